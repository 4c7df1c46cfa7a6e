import type { DialogueManager, DialogueStep, SpokenTurn } from '../engines.server.ts';
import type { ConversationEffect, ConversationEvent, EndedReason } from './conversation-events.server.ts';

/** What comes of asking. */
export interface DialogueListener {
  happened(event: ConversationEvent): void;
  step(step: Exclude<DialogueStep, { kind: 'hang-up' }>): void;
  failed(error: unknown): void;
}

type Asked = Extract<ConversationEffect, { type: 'greet' | 'reply' }>;

/** Asks the dialogue for one answer at a time, and hands on what it says as it comes. */
export class DialogueCaller {
  readonly #dialogue: DialogueManager;
  readonly #listener: DialogueListener;
  #asking = new AbortController();

  constructor(dialogue: DialogueManager, listener: DialogueListener) {
    this.#dialogue = dialogue;
    this.#listener = listener;
  }

  /** `history` is everything that was said before the turn that is answered. */
  ask(asked: Asked, history: readonly SpokenTurn[]): void {
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    this.#take(asked, history, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#listener.failed(error);
    });
  }

  cancel(): void {
    this.#asking.abort();
  }

  async #take(asked: Asked, history: readonly SpokenTurn[], signal: AbortSignal): Promise<void> {
    const { turn } = asked;
    const steps: AsyncIterable<DialogueStep> =
      asked.type === 'greet'
        ? this.#dialogue.greet(signal)
        : this.#dialogue.reply(
            { text: asked.text, confidence: asked.confidence, typed: asked.typed },
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
      if (step.kind === 'sentence') this.#listener.happened({ type: 'sentence', turn, text: step.text });
    }
    if (!signal.aborted) this.#listener.happened({ type: 'reply-ended', turn, hangUp });
  }
}
