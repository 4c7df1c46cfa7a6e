import { FRAME } from './frame-pacing.ts';

/** Samples in a millisecond. */
const PER_MS = 16;
/** Sound that is remembered, and the pitch periods that are looked for in it: 66 to 400 Hz. */
const PAST = 48 * PER_MS;
const SHORTEST = 2.5 * PER_MS;
const LONGEST = 15 * PER_MS;
/** Sound that is compared, and the seam between two pieces. */
const COMPARED = 10 * PER_MS;
const SEAM = 2.5 * PER_MS;
/** What is made up is held for 10 ms and then fades out until 60 ms (G.711 Appendix I). */
const HELD = 10 * PER_MS;
const FADED = 60 * PER_MS;

/** Fills the places of lost packets with the last pitch periods, as ITU-T G.711 Appendix I does at 8 kHz. */
export class LossConcealment {
  #past = new Int16Array(PAST);
  /** Samples made up since the last real one, and the pitch that they repeat. */
  #made = 0;
  #period = 0;
  #source = new Int16Array(0);

  /** Takes real sound; its beginning is blended with what was made up before it. */
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

/** The shift at which the end of the sound is most like itself. */
function pitchOf(past: Int16Array): number {
  let best: number = LONGEST;
  let highest = Number.NEGATIVE_INFINITY;
  for (let period = SHORTEST; period <= LONGEST; period += 1) {
    let [product, energy] = [0, 1];
    // Every other sample is enough to find it.
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

/** The end of the last period is blended into what stands before its beginning, so that repeating it does not click. */
function closeSeam(source: Int16Array, period: number): void {
  for (let n = 0; n < SEAM; n += 1) {
    const at = PAST - SEAM + n;
    const share = (n + 1) / (SEAM + 1);
    source[at] = Math.round((source[at] ?? 0) * (1 - share) + (source[at - period] ?? 0) * share);
  }
}
