/** Measures how loud a track is, as the root of the mean square: 0 to 1. */
export class LevelMeter {
  readonly #context: AudioContext;
  readonly #analyser: AnalyserNode;
  readonly #samples: Float32Array<ArrayBuffer>;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(track: MediaStreamTrack, intervalMs: number, heard: (level: number) => void) {
    this.#context = new AudioContext();
    this.#analyser = this.#context.createAnalyser();
    this.#analyser.fftSize = 2048;
    this.#samples = new Float32Array(this.#analyser.fftSize);
    this.#context.createMediaStreamSource(new MediaStream([track])).connect(this.#analyser);
    this.#timer = setInterval(() => heard(this.#level()), intervalMs);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#context.close().catch((error: unknown) => console.warn(error));
  }

  #level(): number {
    this.#analyser.getFloatTimeDomainData(this.#samples);
    return Math.sqrt(this.#samples.reduce((sum, sample) => sum + sample * sample, 0) / this.#samples.length);
  }
}
