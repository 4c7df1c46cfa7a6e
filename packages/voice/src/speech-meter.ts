/** The constants of docs/specification/platform.md §9: sums of levels, and milliseconds. */
export const SPEECH = { threshold: 0.01, volumeDivisor: 0.15, silenceMs: 1000, observerMs: 100 } as const;

/** What the meter reports. */
export interface SpeechListener {
  volume(volume: number): void;
  started(): void;
  ended(): void;
}

/**
 * Turns the levels of all other participants into a volume, and into the start and end of speech: a sum above
 * 0.01 starts or extends it, and it ends 1000 ms after the last such sum (docs/specification/platform.md §4).
 */
export class SpeechMeter {
  readonly #listener: SpeechListener;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(listener: SpeechListener) {
    this.#listener = listener;
  }

  /** Takes one report of the level observer; the volume is emitted before the speech. */
  update(levels: Readonly<Record<string, number>>): void {
    const sum = Object.values(levels).reduce((total, level) => total + level, 0);
    this.#listener.volume(Math.min(1, sum / SPEECH.volumeDivisor));
    if (sum <= SPEECH.threshold) return;
    const speaking = this.#silence !== undefined;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.stop(), SPEECH.silenceMs);
    if (!speaking) this.#listener.started();
  }

  /** Ends speech at once, if there is any: a call that is over is silent. */
  stop(): void {
    if (this.#silence === undefined) return;
    clearTimeout(this.#silence);
    this.#silence = undefined;
    this.#listener.ended();
  }
}
