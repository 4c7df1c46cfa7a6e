import { LevelMeter } from './level-meter.ts';

/** Measures the loudness of all other participants, reported together. */
export class RemoteLevels {
  readonly #meters = new Map<string, { track: MediaStreamTrack; meter: LevelMeter }>();
  readonly #levels = new Map<string, number>();
  readonly #intervalMs: number;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(intervalMs: number, onLevels: (levels: Readonly<Record<string, number>>) => void) {
    this.#intervalMs = intervalMs;
    this.#timer = setInterval(() => onLevels(Object.fromEntries(this.#levels)), intervalMs);
  }

  /** Measures these tracks from now on; the keys are the sessions that they belong to. */
  follow(tracks: ReadonlyMap<string, MediaStreamTrack>): void {
    for (const [id, { track }] of [...this.#meters]) if (tracks.get(id) !== track) this.#drop(id);
    for (const [id, track] of tracks) {
      if (this.#meters.has(id)) continue;
      const meter = new LevelMeter(track, this.#intervalMs, (level) => this.#levels.set(id, level));
      this.#meters.set(id, { track, meter });
    }
  }

  close(): void {
    clearInterval(this.#timer);
    for (const id of [...this.#meters.keys()]) this.#drop(id);
  }

  #drop(id: string): void {
    this.#meters.get(id)?.meter.close();
    this.#meters.delete(id);
    this.#levels.delete(id);
  }
}
