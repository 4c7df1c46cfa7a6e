import type { RealtimeFunctionTool } from 'openai/resources/realtime/realtime';
import type { CallerTurn, DialogueManager, DialogueStep, SpokenTurn } from '../../engines/engines.server.ts';
import type { AnswerPiece, RealtimeResponse } from '../../engines/realtime/realtime-response.server.ts';
import type { RealtimeSession } from '../../engines/realtime/realtime-session.server.ts';
import { newMark, type OpenAnswer } from '../../engines/realtime/spoken-conversation.server.ts';
import {
  carryOut,
  closing,
  LONGEST_ANSWER,
  LOST_THREAD,
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

/** What a dialogue by a realtime session is made from. */
export interface RealtimeDialogueOptions {
  /** The name of the model, for the call's log. */
  readonly name: string;
  readonly session: RealtimeSession;
  /** Who the assistant is and what it knows. */
  readonly system: string;
  readonly tools: Readonly<Record<string, ModelTool>>;
  /** The passages of the assistant's files for a turn, marked as data; empty where they say nothing. */
  readonly context?: ((question: string) => Promise<string>) | undefined;
  readonly maxTokens?: number | undefined;
  readonly analyse?: DialogueManager['analyse'] | undefined;
  /** Takes the turn when the session does not answer. */
  readonly fallback: DialogueManager;
}

/** A turn to be answered. */
interface Question {
  /** Undefined for a greeting; empty where the caller said something that was not understood. */
  readonly turn: string | undefined;
  readonly history: readonly SpokenTurn[];
  readonly signal: AbortSignal;
}

type Part = Exclude<AnswerPiece, { readonly kind: 'call' }>;

/** Most characters of a tool's result. */
const LONGEST_RESULT = 60_000;
const UNCLEAR =
  '(The caller said something that could not be understood. Ask them, in few words, to say it again.)';

/**
 * A dialogue by a realtime session. The session has the caller's sound already, and the sound of an answer
 * comes with its words. Its sentences, tools and limits are those of a dialogue with a language model, and it
 * handles failures in the same way.
 */
export function createRealtimeDialogue(options: RealtimeDialogueOptions): DialogueManager {
  const { name, session, analyse, fallback } = options;
  const dialogue = new RealtimeDialogue(options);
  session.attach();
  // The session's tokens are counted once, however many assistants of a call use it in turn.
  const counts = !session.counted;
  session.counted = true;
  return {
    name,
    followsInstructions: true,
    greet: (signal) => dialogue.greet(signal),
    reply: (turn, history, signal) => dialogue.reply(turn, history, signal),
    ...(analyse === undefined ? {} : { analyse }),
    usage: () => (counts ? session.usage() : { promptTokens: 0, completionTokens: 0 }),
    close() {
      session.release();
      fallback.close();
    },
  };
}

class RealtimeDialogue {
  readonly #options: RealtimeDialogueOptions;
  readonly #offered: readonly RealtimeFunctionTool[];

  constructor(options: RealtimeDialogueOptions) {
    this.#options = options;
    this.#offered = offeredTools(options.tools).map((offered) => ({ type: 'function', ...offered }));
    options.session.brief(options.system, this.#offered);
  }

  greet(signal: AbortSignal): Steps {
    const { fallback } = this.#options;
    return this.#orFallback({ turn: undefined, history: [], signal }, () => fallback.greet(signal));
  }

  reply(turn: CallerTurn, history: readonly SpokenTurn[], signal: AbortSignal): Steps {
    const { fallback } = this.#options;
    return this.#orFallback({ turn: turn.text.trim(), history, signal }, () =>
      fallback.reply(turn, history, signal),
    );
  }

  #orFallback(question: Question, instead: () => AsyncIterable<DialogueStep>): Steps {
    const { session } = this.#options;
    const failed = (why: string): void => session.warn(`the realtime provider failed: ${why}`);
    return orFallback(this.#answer(question), { instead, failed, signal: question.signal });
  }

  async *#answer({ turn, history, signal }: Question): Steps {
    const { session, system, tools } = this.#options;
    session.deleteSentences();
    await session.quiet();
    const [more] = await Promise.all([this.#getAdvice(turn), session.open()]);
    if (signal.aborted) return;
    session.brief(system, this.#offered);
    for (const event of session.conversation.reconcile(history, turn)) session.send(event);
    const answer = session.conversation.beginAnswer();
    let spoke = false;
    for (let round = 0; round < MOST_ROUNDS && !signal.aborted; round++) {
      const { said, calls } = yield* this.#oneRound(answer, more, signal);
      spoke ||= said;
      if (calls.length === 0 || signal.aborted) return;
      const outcomes: ToolOutcome[] = [];
      for (const call of calls) {
        const outcome = yield* withSentences(answer, carryOut(tools, call));
        outcomes.push(outcome);
        this.#sendResult(answer, call, outcome.result);
      }
      if (yield* closing(calls, outcomes)) return;
    }
    // The model went on calling tools; the caller must not be left in silence.
    if (!spoke && !signal.aborted) {
      answer.say(LOST_THREAD);
      yield { kind: 'sentence', text: LOST_THREAD };
    }
  }

  /** Instructions for this answer only. */
  async #getAdvice(turn: string | undefined): Promise<string> {
    if (turn === undefined) return PICKED_UP;
    if (turn === '') return UNCLEAR;
    return (await this.#options.context?.(turn)) ?? '';
  }

  async *#oneRound(
    answer: OpenAnswer,
    more: string,
    signal: AbortSignal,
  ): AsyncGenerator<DialogueStep, { said: boolean; calls: ToolCall[] }> {
    const { session, system, maxTokens } = this.#options;
    const instructions = more === '' ? undefined : `${system}\n${more}`;
    const response = session.respond({ instructions, maxTokens });
    const calls: ToolCall[] = [];
    let said = 0;
    let last: Part | undefined;
    const stream = new SentenceStream();
    try {
      for await (const piece of response.pieces(signal)) {
        if (piece.kind === 'call') calls.push(piece);
        else {
          last = piece;
          yield* this.#sentences(answer, stream, piece);
        }
        if (piece.kind === 'words') said += piece.text.trim().length;
        if (said > LONGEST_ANSWER) break;
      }
      // The answer was cut off, so its last words have no end of their own.
      if (last !== undefined && !signal.aborted)
        yield* this.#sentences(answer, stream, { ...last, kind: 'words-end' });
    } finally {
      this.#close(answer, response, signal);
    }
    return { said: said > 0, calls };
  }

  /** The sentences that are complete now, each with the sound that has arrived for it. */
  *#sentences(answer: OpenAnswer, stream: SentenceStream, part: Part): Generator<DialogueStep, void> {
    const { session } = this.#options;
    const { sound } = part;
    for (const text of part.kind === 'words' ? stream.push(part.text) : stream.finish()) {
      session.storeSentence({ text, sound, share: sound.share(text, part.upTo) });
      answer.say(text);
      yield { kind: 'sentence', text };
    }
    if (part.kind === 'words-end') sound.settle();
  }

  /** Closes an answer that is over, or that nobody listens to any more; in that case its sound is dropped. */
  #close(answer: OpenAnswer, response: RealtimeResponse, signal: AbortSignal): void {
    const { session } = this.#options;
    answer.add(response.items);
    response.settle();
    session.cancel(response);
    if (signal.aborted) session.deleteSentences();
  }

  #sendResult(answer: OpenAnswer, { id: call_id }: ToolCall, result: unknown): void {
    const id = newMark();
    const output = JSON.stringify(result ?? null).slice(0, LONGEST_RESULT);
    const { session } = this.#options;
    session.send({
      type: 'conversation.item.create',
      event_id: `put-${id}`,
      item: { id, type: 'function_call_output', call_id, output },
    });
    answer.add([{ id, spoken: false }]);
  }
}

/** Passes on the steps, and adds their sentences to the answer. */
async function* withSentences<Result>(
  answer: OpenAnswer,
  steps: AsyncGenerator<DialogueStep, Result>,
): AsyncGenerator<DialogueStep, Result> {
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return step.value;
    if (step.value.kind === 'sentence') answer.say(step.value.text);
    yield step.value;
  }
}
