import type { TtsStream } from '../engines/engines.server.ts';
import type { MediaSession } from '../media/media-transport.server.ts';
import type { FirstSoundOf } from './first-sound.server.ts';

/** What happens to the sentences that are played. */
export interface SpeechListener {
  /** The first sound of a sentence is ready. */
  synthesised(speech: number): void;
  audible(speech: number, text: string): void;
  /** A sentence was heard to its end. */
  played(speech: number, text: string): void;
  /** Nothing can be spoken. */
  failed(error: unknown): void;
}

/** An interrupted sentence: the words that were audible, and all words, which a client shows as it begins. */
export interface CutSentence {
  readonly heard: string;
  readonly shown: string;
}

/** What a player needs besides its line and its voice. */
interface PlayerOptions {
  /** Milliseconds since 1970; never goes back. */
  readonly now: () => number;
  /** The sounds that are played in place of texts. */
  readonly soundOf?: FirstSoundOf | undefined;
}

interface Sentence {
  readonly speech: number;
  text: string;
  /** Whether it is a sound from a file, which has no words to count. */
  recorded: boolean;
  readonly notBefore: number;
  /** When its sound begins and (so far) ends, in milliseconds of all sound that was written. */
  from: number;
  to: number;
  complete: boolean;
  audible: boolean;
}

const SAMPLES_PER_MS = 16;
/** Milliseconds of silence between two sentences, added to what the voices leave. */
const BREATH_MS = 180;
/** The word that shows a caller that somebody listens, and its loudness compared with a sentence. */
const LISTENING = 'Mm-hm.';
const LISTENING_LEVEL = 0.35;
/** For a sentence whose sound is not complete: about 15 characters a second. */
const MS_PER_CHARACTER = 65;

/** Speaks sentences one after another, synthesises the next while one is heard, and knows what was heard. */
export class SpeechPlayer {
  readonly #session: MediaSession;
  readonly #voice: TtsStream;
  readonly #listener: SpeechListener;
  readonly #now: () => number;
  readonly #soundOf: FirstSoundOf;
  #sentences: Sentence[] = [];
  #writtenMs = 0;
  #abort = new AbortController();
  #working: Promise<void> = Promise.resolve();
  #characters = 0;
  /**
   * The sound of `LISTENING`, synthesised once in advance. Undefined: not requested; null: not ready, or not
   * available.
   */
  #listening: Int16Array | null | undefined;

  constructor(session: MediaSession, voice: TtsStream, listener: SpeechListener, given: PlayerOptions) {
    this.#session = session;
    this.#voice = voice;
    this.#listener = listener;
    this.#now = given.now;
    this.#soundOf = given.soundOf ?? (() => undefined);
  }

  /** Characters that were synthesised, for the cost. */
  get characters(): number {
    return this.#characters;
  }

  /** Queues a sentence that must not be heard before `notBefore` (milliseconds since 1970). */
  speak(speech: number, text: string, notBefore: number): void {
    const sentence = {
      ...{ speech, text, notBefore, from: 0, to: 0 },
      ...{ recorded: false, complete: false, audible: false },
    };
    this.#sentences.push(sentence);
    const { signal } = this.#abort;
    this.#working = this.#working
      .then(() => this.#make(sentence, signal))
      .catch((error) => this.#listener.failed(error));
  }

  /** Synthesises `LISTENING` in advance. The call goes on without it if that fails. */
  prepareListening(): void {
    if (this.#listening !== undefined) return;
    this.#listening = null;
    const { signal } = this.#abort;
    // Errors are ignored: if the voice fails, the next sentence reports it.
    this.#working = this.#working.then(() => this.#makeListening(signal)).catch(() => {});
  }

  /**
   * Plays `LISTENING` quietly, if nothing else is being played. It is not a sentence and cannot be
   * interrupted.
   */
  showListening(): void {
    if (this.#listening && this.#sentences.length === 0 && this.#session.queuedMs() === 0)
      this.#write(this.#listening);
  }

  hold(held: boolean): void {
    this.#session.hold(held);
  }

  /**
   * Reports which sentences have become audible or have ended since the last call; called every few
   * milliseconds.
   */
  poll(): void {
    const playedMs = this.#writtenMs - this.#session.queuedMs();
    for (const sentence of [...this.#sentences]) {
      if (sentence.to === sentence.from && !sentence.complete) return;
      if (!sentence.audible && (playedMs > sentence.from || sentence.complete)) {
        sentence.audible = true;
        this.#listener.audible(sentence.speech, sentence.text);
      }
      if (!sentence.complete || playedMs < sentence.to) return;
      this.#sentences = this.#sentences.filter((one) => one !== sentence);
      this.#listener.played(sentence.speech, sentence.text);
    }
  }

  /** Drops everything. Returns the sentence that was interrupted. */
  interrupt(): CutSentence {
    this.#abort.abort();
    this.#abort = new AbortController();
    const playedMs = this.#writtenMs - this.#session.queuedMs();
    this.#session.flush();
    const [cut] = this.#sentences;
    this.#sentences = [];
    this.#writtenMs = 0;
    if (cut?.audible !== true) return { heard: '', shown: '' };
    return { heard: cut.recorded ? cut.text : playedWords(cut, playedMs), shown: cut.text };
  }

  /** Ends everything. */
  stop(): void {
    this.interrupt();
    this.#voice.close();
  }

  async #make(sentence: Sentence, signal: AbortSignal): Promise<void> {
    const sound = await this.#soundOf(sentence.text)?.();
    if (signal.aborted) return;
    sentence.text = sound?.text ?? sentence.text;
    sentence.recorded = sound?.pcm !== undefined;
    // Nobody makes sound of a sentence that is only read.
    if (!sentence.recorded && this.#session.written !== true) this.#characters += sentence.text.length;
    // Leaves a breath after another sentence.
    if (this.#session.queuedMs() > 0 && this.#voice.ownPauses !== true)
      this.#write(new Int16Array(BREATH_MS * SAMPLES_PER_MS));
    sentence.from = this.#writtenMs;
    sentence.to = this.#writtenMs;
    let first = true;
    const pieces = sound?.pcm === undefined ? this.#voice.speak(sentence.text, signal) : [sound.pcm];
    for await (const pcm of pieces) {
      if (signal.aborted) return;
      if (first) {
        first = false;
        this.#listener.synthesised(sentence.speech);
        await waitUntil(sentence.notBefore - this.#now(), signal);
        if (signal.aborted) return;
      }
      this.#write(pcm);
      sentence.to = this.#writtenMs;
    }
    sentence.complete = !signal.aborted;
  }

  async #makeListening(signal: AbortSignal): Promise<void> {
    const pieces: Int16Array[] = [];
    this.#characters += LISTENING.length;
    for await (const pcm of this.#voice.speak(LISTENING, signal)) pieces.push(pcm);
    // If it was interrupted, it is synthesised again next time.
    this.#listening = signal.aborted
      ? undefined
      : Int16Array.from(
          pieces.flatMap((pcm) => [...pcm]),
          (sample) => Math.round(sample * LISTENING_LEVEL),
        );
  }

  #write(pcm: Int16Array): void {
    this.#session.writePcm(pcm);
    this.#writtenMs += pcm.length / SAMPLES_PER_MS;
  }
}

/** The words of a sentence that fit into the time for which it was heard. */
function playedWords({ text, from, to, complete }: Sentence, playedMs: number): string {
  const wholeMs = complete ? to - from : Math.max(to - from, text.length * MS_PER_CHARACTER);
  if (wholeMs <= 0) return '';
  const words = text.split(/\s+/);
  const count = Math.floor(Math.min(1, Math.max(0, (playedMs - from) / wholeMs)) * words.length);
  return words.slice(0, count).join(' ');
}

function waitUntil(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
