/** How much sound is kept of texts that are said again and again, bytes: some ten minutes. */
const MOST_BYTES = 20_000_000;

/** Sound by the text that it says. The sound that nobody has used for longest is removed first. */
export class SoundCache {
  readonly #sounds = new Map<string, Int16Array>();
  readonly #most: number;
  #bytes = 0;

  /** @param most bytes; only tests give another number */
  constructor(most: number = MOST_BYTES) {
    this.#most = most;
  }

  get(key: string): Int16Array | undefined {
    const sound = this.#sounds.get(key);
    if (sound === undefined) return undefined;
    // A `Map` keeps insertion order: what was used last is removed last.
    this.#sounds.delete(key);
    this.#sounds.set(key, sound);
    return sound;
  }

  put(key: string, sound: Int16Array): void {
    this.#bytes += sound.byteLength - (this.#sounds.get(key)?.byteLength ?? 0);
    this.#sounds.delete(key);
    this.#sounds.set(key, sound);
    for (const [oldest, { byteLength }] of this.#sounds) {
      if (this.#bytes <= this.#most) return;
      this.#sounds.delete(oldest);
      this.#bytes -= byteLength;
    }
  }
}
