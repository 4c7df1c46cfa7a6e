import type {
  ExpectedWords,
  Recognised,
  SttStream,
  VoiceActivityDetector,
} from '../engines/engines.server.ts';
import { BeepDetection } from './beep-detection.server.ts';
import { EchoGate } from './echo-gate.server.ts';

/** What happens in a caller's sound. */
export interface AudioInputListener {
  window(ms: number, probability: number): void;
  partial(utterance: number, recognised: Recognised): void;
  final(utterance: number, recognised: Recognised): void;
  /** A tone of one frequency has ended, such as an answering machine's; reported only where this is set. */
  beep?(ms: number): void;
  /** Detector or recogniser failed; the call goes on without it. */
  failed(what: 'detector' | 'recogniser', error: unknown): void;
}

const SAMPLES_PER_MS = 16;
/** Sound from before the onset that belongs to the utterance, so that its first word is not lost. */
const BEFORE_ONSET_MS = 320;
/**
 * Most windows that wait for the detector: half a minute, the longest utterance. A busy machine answers later
 * and loses no word; beyond this limit the oldest sound is dropped.
 */
const MAX_BACKLOG = 940;
/** Most windows that are judged at once, so that a detector that catches up still reports in small steps. */
const MOST_AT_ONCE = 16;

/**
 * Cuts a caller's sound into windows, has the detector judge each, and passes utterances to the recogniser.
 */
export class AudioInput {
  readonly #detector: VoiceActivityDetector;
  readonly #recogniser: SttStream | undefined;
  readonly #listener: AudioInputListener;
  #rest = new Int16Array(0);
  #before: Int16Array[] = [];
  #waiting: { readonly window: Int16Array; readonly isEcho: boolean }[] = [];
  #working = false;
  #open: number | undefined;
  #stopped = false;
  #recognisedMs = 0;
  readonly #echo = new EchoGate();
  readonly #beeps: BeepDetection | undefined;

  constructor(
    detector: VoiceActivityDetector,
    recogniser: SttStream | undefined,
    listener: AudioInputListener,
  ) {
    this.#detector = detector;
    this.#recogniser = recogniser;
    this.#listener = listener;
    this.#beeps = listener.beep === undefined ? undefined : new BeepDetection();
    recogniser?.onPartial((recognised) => {
      if (this.#open !== undefined) listener.partial(this.#open, recognised);
    });
  }

  /** Milliseconds of sound that were recognised, for the cost. */
  get recognisedMs(): number {
    return this.#recognisedMs;
  }

  /** Sound of the caller, in any length. */
  push(pcm: Int16Array): void {
    if (this.#stopped) return;
    const size = this.#detector.windowSamples;
    const all = new Int16Array(this.#rest.length + pcm.length);
    all.set(this.#rest);
    all.set(pcm, this.#rest.length);
    let at = 0;
    for (; at + size <= all.length; at += size) this.#wait(all.slice(at, at + size));
    this.#rest = all.slice(at);
    this.#waiting.splice(0, this.#waiting.length - MAX_BACKLOG);
    void this.#work();
  }

  /**
   * Takes a frame of the assistant's speech that is sent to the caller, for the echo gate. The sound under
   * the speech is not part of it.
   */
  sent(frame: Int16Array): void {
    this.#echo.played(frame);
  }

  /** @param expected what the assistant has asked for */
  beginUtterance(utterance: number, expected: ExpectedWords | undefined): void {
    this.#open = utterance;
    this.#recogniser?.beginUtterance(expected);
    for (const window of this.#before) this.#recognise(window);
    this.#before = [];
  }

  /** The caller pauses within the open utterance, or goes on. */
  pauseUtterance(paused: boolean): void {
    if (paused) this.#recogniser?.pauseUtterance?.();
    else this.#recogniser?.resumeUtterance?.();
  }

  /** The utterance has ended; its text follows by `final`, also where there is no recogniser. */
  endUtterance(utterance: number): void {
    this.#open = undefined;
    const done = this.#recogniser?.endUtterance() ?? Promise.resolve({ text: '', confidence: 0 });
    done.then(
      (recognised) => this.#listener.final(utterance, recognised),
      (error) => {
        this.#listener.failed('recogniser', error);
        this.#listener.final(utterance, { text: '', confidence: 0, lost: true });
      },
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting = [];
    this.#recogniser?.close();
    this.#detector.close();
  }

  /** Echo is judged by what plays at this moment, however late the detector judges the window. */
  #wait(window: Int16Array): void {
    this.#waiting.push({ window, isEcho: this.#echo.isEcho(window) });
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    try {
      while (this.#waiting.length > 0) {
        const next = this.#waiting.splice(0, MOST_AT_ONCE);
        const probabilities = await this.#detector.probabilities(next.map(({ window }) => window));
        for (const [at, { window, isEcho }] of next.entries()) {
          if (this.#stopped) return;
          this.#judged(window, isEcho ? 0 : (probabilities[at] ?? 0));
        }
      }
    } catch (error) {
      this.#stopped = true;
      this.#listener.failed('detector', error);
    } finally {
      this.#working = false;
    }
  }

  #judged(window: Int16Array, probability: number): void {
    this.#keep(window);
    const beep = this.#beeps?.take(window);
    if (beep !== undefined) this.#listener.beep?.(beep);
    this.#listener.window(window.length / SAMPLES_PER_MS, probability);
  }

  #keep(window: Int16Array): void {
    if (this.#open !== undefined) {
      this.#recognise(window);
      return;
    }
    this.#before.push(window);
    const most = Math.ceil((BEFORE_ONSET_MS * SAMPLES_PER_MS) / window.length);
    if (this.#before.length > most) this.#before.shift();
  }

  #recognise(window: Int16Array): void {
    this.#recognisedMs += window.length / SAMPLES_PER_MS;
    this.#recogniser?.push(window);
  }
}
