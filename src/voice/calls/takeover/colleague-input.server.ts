import type { AudioInput, AudioInputListener } from '../audio-input.server.ts';
import type { ConversationEvent, ConversationState } from '../conversation/conversation-events.server.ts';
import type { ConversationRules } from '../conversation/conversation-rules.server.ts';
import { beginConversation, stepConversation } from '../conversation/conversation-step.server.ts';

/** What a colleague was understood to say. */
export interface ColleagueListener {
  /** What is understood so far of the open utterance. */
  partial(text: string): void;
  /** The text of a finished utterance; empty where nothing was understood. */
  words(text: string, confidence: number): void;
  failed(what: string, error: unknown): void;
}

/** What the input is opened with. */
export interface ColleagueInputParts {
  readonly rules: ConversationRules;
  /** Undefined where speech is not recognised. */
  open(listener: AudioInputListener): Promise<AudioInput | undefined>;
  readonly listener: ColleagueListener;
  /** Milliseconds since 1970; never goes back. */
  readonly now: () => number;
}

/** Most samples that wait until the recogniser is open: ten seconds. Beyond it the oldest are dropped. */
const MOST_WAITING = 160_000;

/**
 * Recognises what a colleague says in the assistant's place, or somebody in a meeting. Utterances begin and
 * end by the same rules as a caller's: by a conversation of their own, in which nobody answers.
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
  /** Closed utterances whose text is still awaited. */
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

  /** Whether there is, or may soon be, a recogniser. */
  get hears(): boolean {
    return this.#input !== undefined || this.#opening;
  }

  /** Sound of the colleague, in any length. */
  push(pcm: Int16Array): void {
    if (this.#finished) return;
    if (this.#input !== undefined) this.#input.push(pcm);
    else if (this.#opening) this.#wait(pcm);
  }

  /** Time has passed; called several times a second. */
  tick(): void {
    this.#dispatch({ type: 'tick' });
  }

  /** Closes the open utterance, accepts no more sound, and resolves when all texts have come. */
  async finish(): Promise<void> {
    this.#finished = true;
    const open = this.#state.utterance?.id;
    if (open !== undefined) this.#endUtterance(open);
    await Promise.all([...this.#due.values()].map(({ promise }) => promise));
    this.stop();
  }

  /** Ends at once; no more texts come. */
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
