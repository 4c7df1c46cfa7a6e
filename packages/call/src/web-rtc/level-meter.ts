const GESTURES = ['pointerdown', 'keydown'] as const;

/**
 * Measures the loudness of a track, as the root of the mean square: 0 to 1. A browser that waits for a
 * gesture begins to measure at the next one.
 */
export class LevelMeter {
  readonly #context: AudioContext;
  readonly #analyser: AnalyserNode;
  readonly #samples: Float32Array<ArrayBuffer>;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #wake = (): void => {
    for (const gesture of GESTURES) globalThis.removeEventListener?.(gesture, this.#wake, true);
    if (this.#context.state === 'suspended')
      this.#context.resume().catch((error: unknown) => console.warn(error));
  };

  constructor(track: MediaStreamTrack, intervalMs: number, onLevel: (level: number) => void) {
    this.#context = new AudioContext();
    this.#analyser = this.#context.createAnalyser();
    this.#analyser.fftSize = 2048;
    this.#samples = new Float32Array(this.#analyser.fftSize);
    this.#context.createMediaStreamSource(new MediaStream([track])).connect(this.#analyser);
    if (this.#context.state === 'suspended')
      for (const gesture of GESTURES) globalThis.addEventListener?.(gesture, this.#wake, true);
    this.#timer = setInterval(() => onLevel(this.#level()), intervalMs);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const gesture of GESTURES) globalThis.removeEventListener?.(gesture, this.#wake, true);
    this.#context.close().catch((error: unknown) => console.warn(error));
  }

  #level(): number {
    this.#analyser.getFloatTimeDomainData(this.#samples);
    return Math.sqrt(this.#samples.reduce((sum, sample) => sum + sample * sample, 0) / this.#samples.length);
  }
}
