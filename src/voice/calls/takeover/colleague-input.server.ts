import type { AudioInput, AudioInputListener } from '../audio-input.server.ts';
import type { ConversationEvent, ConversationState } from '../conversation/conversation-events.server.ts';
import { beginConversation, stepConversation } from '../conversation/conversation-step.server.ts';
import type { ConversationRules } from '../conversation/turn-rules.server.ts';

/** What a colleague is understood to say. */
export interface ColleagueListener {
  /** What is understood so far of what is being said. */
  partial(text: string): void;
  /** One utterance to its end; empty where nothing was understood. */
  words(text: string, confidence: number): void;
  failed(what: string, error: unknown): void;
}

/** What the input is opened with. */
export interface ColleagueInputParts {
  readonly rules: ConversationRules;
  /** Undefined where speech is not recognised. */
  open(listener: AudioInputListener): Promise<AudioInput | undefined>;
  readonly listener: ColleagueListener;
  /** Milliseconds since 1970 that never go back. */
  readonly now: () => number;
}

/** Sound that waits until the recogniser is there: ten seconds, samples. Later the oldest goes. */
const MOST_WAITING = 160_000;

/**
 * Understands what a colleague says in the assistant's place, or somebody in a meeting. Where an utterance begins and ends is decided as it is for
 * a caller: by a conversation of its own, in which nobody answers.
 */
export class ColleagueInput {
  readonly #listener: ColleagueListener;
  readonly #now: () => number;
  #state: ConversationState;
  #input: AudioInput | undefined;
  #opening = true;
  #finished = false;
  #stopped = false;
  #waiting: Int16Array[] = [];
  #waitingSamples = 0;
  /** Utterances that were closed and whose words are not there yet. */
  readonly #due = new Map<number, PromiseWithResolvers<void>>();

  constructor({ rules, open, listener, now }: ColleagueInputParts) {
    this.#listener = listener;
    this.#now = now;
    this.#state = { ...beginConversation(rules, now()), phase: 'talking', taken: true };
    open(this.#inputListener()).then(
      (input) => this.#opened(input),
      (error: unknown) => {
        this.#opening = false;
        listener.failed('recogniser', error);
      },
    );
  }

  /** Whether there is a recogniser that may have something to say still. */
  get hears(): boolean {
    return this.#input !== undefined || this.#opening;
  }

  /** Sound of the colleague, in any length. */
  push(pcm: Int16Array): void {
    if (this.#finished) return;
    if (this.#input !== undefined) this.#input.push(pcm);
    else if (this.#opening) this.#wait(pcm);
  }

  /** Time passes; several times a second. */
  tick(): void {
    this.#dispatch({ type: 'tick' });
  }

  /** Closes what is being said, hears nothing more, and resolves when all words have come. */
  async finish(): Promise<void> {
    this.#finished = true;
    const open = this.#state.utterance?.id;
    if (open !== undefined) this.#endUtterance(open);
    await Promise.all([...this.#due.values()].map(({ promise }) => promise));
    this.stop();
  }

  /** Ends at once: no more words come. */
  stop(): void {
    this.#finished = true;
    this.#stopped = true;
    this.#opening = false;
    this.#waiting = [];
    this.#input?.stop();
    this.#input = undefined;
    for (const { resolve } of this.#due.values()) resolve();
    this.#due.clear();
  }

  #wait(pcm: Int16Array): void {
    this.#waiting.push(pcm);
    this.#waitingSamples += pcm.length;
    while (this.#waitingSamples > MOST_WAITING) this.#waitingSamples -= this.#waiting.shift()?.length ?? 0;
  }

  #opened(input: AudioInput | undefined): void {
    this.#opening = false;
    if (this.#finished) {
      input?.stop();
      return;
    }
    this.#input = input;
    for (const pcm of this.#waiting.splice(0)) input?.push(pcm);
  }

  #inputListener(): AudioInputListener {
    return {
      window: (ms, probability) => this.#dispatch({ type: 'window', ms, probability }),
      partial: (utterance, { text }) => {
        if (text !== '' && !this.#stopped) this.#listener.partial(text);
        this.#dispatch({ type: 'partial', utterance, text });
      },
      final: (utterance, { text, confidence }) => {
        if (!this.#stopped) this.#listener.words(text.trim(), confidence);
        this.#dispatch({ type: 'final', utterance, text, confidence });
        this.#due.get(utterance)?.resolve();
        this.#due.delete(utterance);
      },
      failed: (what, error) => this.#listener.failed(what, error),
    };
  }

  #dispatch(event: ConversationEvent): void {
    const { state, effects } = stepConversation(this.#state, event, this.#now());
    this.#state = state;
    for (const effect of effects) {
      if (effect.type === 'begin-utterance') this.#input?.beginUtterance(effect.utterance, undefined);
      else if (effect.type === 'pause-utterance') this.#input?.pauseUtterance(true);
      else if (effect.type === 'resume-utterance') this.#input?.pauseUtterance(false);
      else if (effect.type === 'end-utterance') this.#endUtterance(effect.utterance);
    }
  }

  #endUtterance(utterance: number): void {
    if (this.#input === undefined) return;
    this.#due.set(utterance, Promise.withResolvers<void>());
    this.#input.endUtterance(utterance);
  }
}
