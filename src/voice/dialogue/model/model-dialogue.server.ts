import type OpenAI from 'openai';
import type { CallerTurn, DialogueManager, DialogueStep, SpokenTurn } from '../../engines/engines.server.ts';
import type { ChatModel, ChatPiece } from '../../engines/providers/chat-model.server.ts';
import {
  carryOut,
  closing,
  LONGEST_ANSWER,
  LOST_THREAD,
  MOST_CALLS,
  MOST_ROUNDS,
  offeredTools,
  orFallback,
  PICKED_UP,
  type Steps,
  type ToolCall,
} from './answer-steps.server.ts';
import type { ModelTool } from './model-tools.server.ts';
import { SentenceStream } from './sentence-stream.server.ts';
import type { ToolOutcome } from './tool-run.server.ts';

/** What a dialogue with a language model is made from. */
export interface ModelDialogueOptions {
  readonly model: ChatModel;
  /** Who the assistant is and what it knows. */
  readonly system: string;
  readonly tools: Readonly<Record<string, ModelTool>>;
  /** The passages of the assistant's files for a turn, marked as data; empty where they say nothing. */
  readonly context?: ((question: string) => Promise<string>) | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Summarises the call, where the assistant's plan asks a model to. */
  readonly analyse?: DialogueManager['analyse'] | undefined;
  /** Takes the turn when the model does not answer. */
  readonly fallback: DialogueManager;
  readonly warn: (line: string) => void;
}

type Message = OpenAI.ChatCompletionMessageParam;

/** A tool call as it arrives, piece by piece. */
type CallParts = { -readonly [Part in keyof ToolCall]: ToolCall[Part] };

/**
 * A dialogue with a language model, streamed. When the model fails before it has said a word, the embedded
 * dialogue answers the turn instead, so that the caller notices nothing.
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
    this.#offered = offeredTools(options.tools).map((offered) => ({ type: 'function', function: offered }));
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
      const outcomes: ToolOutcome[] = [];
      for (const call of calls) {
        const outcome = yield* carryOut(this.#options.tools, call);
        outcomes.push(outcome);
        const content = JSON.stringify(outcome.result ?? null);
        messages.push({ role: 'tool', tool_call_id: call.id, content });
      }
      if (yield* closing(calls, outcomes)) return;
    }
    // The model went on calling tools; the caller must not be left in silence.
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

  #orFallback(steps: Steps, instead: () => AsyncIterable<DialogueStep>, signal: AbortSignal): Steps {
    const failed = (why: string): void => this.#options.warn(`the language model failed: ${why}`);
    return orFallback(steps, { instead, failed, signal });
  }
}

function collect(calls: CallParts[], part: NonNullable<ChatPiece['call']>): void {
  if (!(part.index >= 0 && part.index < MOST_CALLS)) return;
  const call = calls[part.index] ?? { id: '', name: '', text: '' };
  calls[part.index] = call;
  call.id ||= part.id ?? '';
  call.name += part.name ?? '';
  call.text += part.arguments ?? '';
}
