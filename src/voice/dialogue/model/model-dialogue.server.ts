import type OpenAI from 'openai';
import { z } from 'zod';
import type { CallerTurn, DialogueManager, DialogueStep, SpokenTurn } from '../../engines/engines.server.ts';
import type { ChatModel, ChatPiece } from '../../engines/providers/chat-model.server.ts';
import { END_CALL, type ModelTool } from './model-tools.server.ts';
import { SentenceStream } from './sentence-stream.server.ts';

/** What a dialogue with a language model is made of. */
export interface ModelDialogueOptions {
  readonly model: ChatModel;
  /** Who the assistant is and what it knows. */
  readonly system: string;
  readonly tools: Readonly<Record<string, ModelTool>>;
  /** What the assistant's files say to a turn, marked as data; empty where they say nothing. */
  readonly context?: ((question: string) => Promise<string>) | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Sums the call up, where the assistant's plan asks a model to. */
  readonly analyse?: DialogueManager['analyse'] | undefined;
  /** Takes the turn when the model does not answer. */
  readonly fallback: DialogueManager;
  readonly warn: (line: string) => void;
}

type Message = OpenAI.ChatCompletionMessageParam;
type Steps = AsyncGenerator<DialogueStep, void>;

/** A tool call as it arrives, piece by piece. */
interface CallParts {
  id: string;
  name: string;
  text: string;
}

/** Tool calls after which a turn is ended: a model that goes on calling would keep the caller waiting. */
const MOST_ROUNDS = 4;
const LOST_THREAD = 'Sorry, I lost my thread. Could you say that again?';
/** Tool calls of one round, letters of their arguments, letters of one answer: beyond them a model has lost its way, or was led astray. */
const MOST_CALLS = 6;
const LONGEST_ARGUMENTS = 8000;
const LONGEST_ANSWER = 4000;
const PICKED_UP = '(The caller has just picked up. Greet them: say that you are an AI assistant.)';

/**
 * A dialogue with a language model, streamed. When the
 * model fails before it has said a word, the embedded dialogue answers the turn instead: the caller
 * hears nothing strange.
 */
export function createModelDialogue(options: ModelDialogueOptions): DialogueManager {
  const { analyse, fallback } = options;
  const dialogue = new ModelDialogue(options);
  return {
    name: options.model.name,
    followsInstructions: true,
    greet: (signal) => dialogue.greet(signal),
    reply: (turn, history, signal) => dialogue.reply(turn, history, signal),
    ...(analyse === undefined ? {} : { analyse }),
    usage: () => dialogue.usage(),
    close: () => fallback.close(),
  };
}

class ModelDialogue {
  readonly #options: ModelDialogueOptions;
  readonly #offered: OpenAI.ChatCompletionFunctionTool[];
  readonly #used = { promptTokens: 0, completionTokens: 0 };

  constructor(options: ModelDialogueOptions) {
    this.#options = options;
    this.#offered = Object.entries(options.tools).map(([name, tool]) => ({
      type: 'function',
      function: { name, description: tool.description, parameters: parametersOf(tool) },
    }));
  }

  usage(): ReturnType<DialogueManager['usage']> {
    return { ...this.#used };
  }

  greet(signal: AbortSignal): Steps {
    const { fallback } = this.#options;
    const steps = this.#answer([{ role: 'user', content: PICKED_UP }], signal);
    return this.#orFallback(steps, () => fallback.greet(signal), signal);
  }

  reply(turn: CallerTurn, history: readonly SpokenTurn[], signal: AbortSignal): Steps {
    const { fallback } = this.#options;
    const messages = history.map(({ role, text }): Message => ({ role, content: text }));
    const steps = this.#answer([...messages, { role: 'user', content: turn.text }], signal, turn.text);
    return this.#orFallback(steps, () => fallback.reply(turn, history, signal), signal);
  }

  async *#answer(history: readonly Message[], signal: AbortSignal, question = ''): Steps {
    const known = question === '' ? '' : ((await this.#options.context?.(question)) ?? '');
    const messages: Message[] = [
      { role: 'system', content: this.#options.system },
      ...history.slice(0, -1),
      ...(known === '' ? [] : [{ role: 'system', content: known } as const]),
      ...history.slice(-1),
    ];
    let spoke = false;
    for (let round = 0; round < MOST_ROUNDS && !signal.aborted; round++) {
      const { said, calls } = yield* this.#oneRound(messages, signal);
      spoke ||= said.trim() !== '';
      if (calls.length === 0) return;
      messages.push({
        role: 'assistant',
        content: said,
        tool_calls: calls.map(({ id, name, text }) => ({
          id,
          type: 'function',
          function: { name, arguments: text },
        })),
      });
      for (const call of calls) {
        const result = yield* this.#carryOut(call);
        messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify(result ?? null) });
      }
      if (calls.some((call) => call.name === END_CALL)) {
        yield { kind: 'hang-up', reason: 'assistant-ended-call' };
        return;
      }
    }
    // It went on calling tools: the caller is not left in silence.
    if (!spoke) yield { kind: 'sentence', text: LOST_THREAD };
  }

  async *#oneRound(
    messages: Message[],
    signal: AbortSignal,
  ): AsyncGenerator<DialogueStep, { said: string; calls: CallParts[] }> {
    const { model, temperature, maxTokens } = this.#options;
    const stream = model.stream({ messages, tools: this.#offered, temperature, maxTokens }, signal);
    const sentences = new SentenceStream();
    const calls: CallParts[] = [];
    let said = '';
    for await (const { text: piece = '', call, usage } of stream) {
      this.#used.promptTokens += usage?.promptTokens ?? 0;
      this.#used.completionTokens += usage?.completionTokens ?? 0;
      said += piece;
      for (const text of sentences.push(piece)) yield { kind: 'sentence', text };
      if (call !== undefined) collect(calls, call);
      if (said.length > LONGEST_ANSWER) break;
    }
    for (const text of sentences.finish()) yield { kind: 'sentence', text };
    return { said, calls: calls.filter(Boolean) };
  }

  async *#carryOut({ id, name, text }: CallParts): AsyncGenerator<DialogueStep, unknown> {
    const { tools } = this.#options;
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    const given = parse(text);
    if (tool?.begun !== undefined) yield { kind: 'sentence', text: tool.begun };
    yield { kind: 'tool-call', id, name, arguments: given };
    // The model learns what a tool refused, and asks the caller again.
    const run = async (): Promise<unknown> => {
      if (!tool) throw new Error(`There is no tool ${name}.`);
      return tool.run(given, id);
    };
    const result = await run().catch((error: unknown) => ({
      error: error instanceof Error ? error.message : String(error),
    }));
    if (tool?.consent && !isFailure(result)) yield { kind: 'consent', to: tool.consent, given: true };
    yield { kind: 'tool-result', id, name, result };
    if (tool?.failed !== undefined && isFailure(result)) yield { kind: 'sentence', text: tool.failed };
    return result;
  }

  async *#orFallback(steps: Steps, instead: () => AsyncIterable<DialogueStep>, signal: AbortSignal): Steps {
    let begun = false;
    try {
      for await (const step of steps) {
        begun = true;
        yield step;
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#options.warn(
        `the language model failed: ${error instanceof Error ? error.message : String(error)}`,
      );
      if (!begun) yield* instead();
      else yield { kind: 'sentence', text: LOST_THREAD };
    }
  }
}

const isFailure = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'error' in result;

function parametersOf({ parameters, input }: ModelTool): Record<string, unknown> {
  return (parameters ?? z.toJSONSchema(input ?? z.object({}))) as Record<string, unknown>;
}

function collect(calls: CallParts[], part: NonNullable<ChatPiece['call']>): void {
  if (!(part.index >= 0 && part.index < MOST_CALLS)) return;
  const call = calls[part.index] ?? { id: '', name: '', text: '' };
  calls[part.index] = call;
  call.id ||= part.id ?? '';
  call.name += part.name ?? '';
  call.text += part.arguments ?? '';
}

/** What is no JSON object, or beyond all measure, counts as nothing given: the tool then says what it needs. */
function parse(text: string): Record<string, unknown> {
  if (text.length > LONGEST_ARGUMENTS) return {};
  try {
    const given: unknown = JSON.parse(text || '{}');
    return typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
