import { FRAME } from './frame-pacing.ts';

/** Samples in a millisecond. */
const PER_MS = 16;
/** Length of the remembered sound, and of the pitch periods that are searched for: 66 to 400 Hz. */
const PAST = 48 * PER_MS;
const SHORTEST = 2.5 * PER_MS;
const LONGEST = 15 * PER_MS;
/** Length of the sound that is compared, and of the seam between two pieces. */
const COMPARED = 10 * PER_MS;
const SEAM = 2.5 * PER_MS;
/** Replacement sound stays at its level for 10 ms, and then fades out until 60 ms (G.711 Appendix I). */
const HELD = 10 * PER_MS;
const FADED = 60 * PER_MS;

/** Replaces lost packets by repeating the last pitch periods, as ITU-T G.711 Appendix I does at 8 kHz. */
export class LossConcealment {
  #past = new Int16Array(PAST);
  /** Samples of replacement sound since the last real one, and the pitch period that they repeat. */
  #made = 0;
  #period = 0;
  #source = new Int16Array(0);

  /** Takes real sound; its beginning is blended with the replacement before it. */
  hear(pcm: Int16Array): Int16Array {
    if (this.#made > 0) {
      const bridge = this.#makeUp(Math.min(SEAM, pcm.length));
      bridge.forEach((sample, n) => {
        const share = (n + 1) / (bridge.length + 1);
        pcm[n] = Math.round(sample * (1 - share) + (pcm[n] ?? 0) * share);
      });
      this.#made = 0;
    }
    this.#remember(pcm);
    return pcm;
  }

  /** 20 ms in place of a lost packet. */
  conceal(): Int16Array {
    if (this.#made === 0) {
      this.#source = this.#past.slice();
      this.#period = pitchOf(this.#source);
      closeSeam(this.#source, this.#period);
    }
    const pcm = this.#makeUp(FRAME.samples);
    this.#remember(pcm);
    return pcm;
  }

  #makeUp(length: number): Int16Array {
    const from = PAST - this.#period;
    return Int16Array.from({ length }, () => {
      const sample = this.#source[from + (this.#made % this.#period)] ?? 0;
      const share = 1 - Math.max(0, this.#made - HELD) / (FADED - HELD);
      this.#made += 1;
      return Math.round(sample * Math.max(0, share));
    });
  }

  #remember(pcm: Int16Array): void {
    if (pcm.length >= PAST) this.#past = pcm.slice(-PAST);
    else {
      this.#past.copyWithin(0, pcm.length);
      this.#past.set(pcm, PAST - pcm.length);
    }
  }
}

/** The shift at which the end of the sound is most similar to itself. */
function pitchOf(past: Int16Array): number {
  let best: number = LONGEST;
  let highest = Number.NEGATIVE_INFINITY;
  for (let period = SHORTEST; period <= LONGEST; period += 1) {
    let [product, energy] = [0, 1];
    // Every other sample is enough for the comparison.
    for (let n = PAST - COMPARED; n < PAST; n += 2) {
      const earlier = past[n - period] ?? 0;
      product += (past[n] ?? 0) * earlier;
      energy += earlier * earlier;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > highest) [highest, best] = [likeness, period];
  }
  return best;
}

/**
 * Blends the end of the last period into the sound before its beginning, so that repeating it does not click.
 */
function closeSeam(source: Int16Array, period: number): void {
  for (let n = 0; n < SEAM; n += 1) {
    const at = PAST - SEAM + n;
    const share = (n + 1) / (SEAM + 1);
    source[at] = Math.round((source[at] ?? 0) * (1 - share) + (source[at - period] ?? 0) * share);
  }
}
