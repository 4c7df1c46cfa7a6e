import type { DialogueManager, DialogueStep, SpokenTurn } from '../engines/engines.server.ts';
import type {
  ConversationEffect,
  ConversationEvent,
  EndedReason,
} from './conversation/conversation-events.server.ts';

/** What a reply of the dialogue causes. */
export interface DialogueListener {
  dispatch(event: ConversationEvent): void;
  step(step: Exclude<DialogueStep, { kind: 'hang-up' }>): void;
  failed(error: unknown): void;
}

type TurnRequest = Extract<ConversationEffect, { type: 'greet' | 'reply' }>;

/** Requests one reply of the dialogue at a time, and passes on its steps as they come. */
export class DialogueTurns {
  readonly #dialogue: DialogueManager;
  readonly #listener: DialogueListener;
  #current = new AbortController();

  constructor(dialogue: DialogueManager, listener: DialogueListener) {
    this.#dialogue = dialogue;
    this.#listener = listener;
  }

  /** Requests a reply. `history` is everything that was said before the turn that is answered. */
  request(requested: TurnRequest, history: readonly SpokenTurn[]): void {
    this.#current = new AbortController();
    const { signal } = this.#current;
    this.#run(requested, history, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#listener.failed(error);
    });
  }

  cancel(): void {
    this.#current.abort();
  }

  async #run(requested: TurnRequest, history: readonly SpokenTurn[], signal: AbortSignal): Promise<void> {
    const { turn } = requested;
    const steps: AsyncIterable<DialogueStep> =
      requested.type === 'greet'
        ? this.#dialogue.greet(signal)
        : this.#dialogue.reply(
            { text: requested.text, confidence: requested.confidence, typed: requested.typed },
            history,
            signal,
          );
    let hangUp: EndedReason | undefined;
    for await (const step of steps) {
      if (signal.aborted) return;
      if (step.kind === 'hang-up') {
        hangUp = step.reason;
        continue;
      }
      this.#listener.step(step);
      if (step.kind === 'sentence') this.#listener.dispatch({ type: 'sentence', turn, text: step.text });
    }
    if (!signal.aborted) this.#listener.dispatch({ type: 'reply-ended', turn, hangUp });
  }
}
