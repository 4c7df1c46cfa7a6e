/** Samples a second of every voice. */
export const SAMPLES_PER_SECOND = 24_000;
/** Level of speech that callers hear, dBFS root mean square. */
export const SPEECH_LEVEL = -16.5;
/** Above this value samples are bent, so that none reaches 1; the rest is the ceiling's distance from it. */
const KNEE = 0.6;
const BEND = 0.32;
/** 10 ms. */
const WINDOW = SAMPLES_PER_SECOND / 100;
/** Root mean square below which a window counts as silent: -48 dBFS. */
const QUIET = 0.004;
/** Windows of silence that stay before the first and after the last sound, so that no consonant is cut. */
const LEAD_WINDOWS = 2;
const TAIL_WINDOWS = 8;
/** 2 ms. */
export const CROSS_FADE = SAMPLES_PER_SECOND / 500;

/** Brings a voice's samples to the common level; loud ones are bent softly, and none is clipped. */
export function levelled(samples: Float32Array, voiceLevel: number): Float32Array {
  const gain = 10 ** ((SPEECH_LEVEL - voiceLevel) / 20);
  return samples.map((sample) => {
    const loud = sample * gain;
    const size = Math.abs(loud);
    return size <= KNEE ? loud : Math.sign(loud) * (KNEE + BEND * Math.tanh((size - KNEE) / BEND));
  });
}

/** Fades from the end of one piece into the beginning of the next, which were made of the same frames. */
export function crossFaded(tail: Float32Array | undefined, piece: Float32Array): Float32Array {
  if (tail === undefined) return piece;
  const faded = piece.slice();
  for (let at = 0; at < tail.length && at < faded.length; at++) {
    const share = (at + 1) / (tail.length + 1);
    faded[at] = (tail[at] ?? 0) * (1 - share) + (piece[at] ?? 0) * share;
  }
  return faded;
}

/** Drops the silence before a sentence, and holds silence back until sound follows, so that its end can be dropped. */
export class EdgeSilence {
  #held: Float32Array = new Float32Array(0);
  #begun = false;

  /** The samples that are certain to be followed by sound. */
  push(samples: Float32Array): Float32Array {
    const all = joinedSamples([this.#held, samples]);
    const end = endOfSound(all);
    if (end === 0 && !this.#begun) {
      this.#held = all.slice(Math.max(0, all.length - LEAD_WINDOWS * WINDOW));
      return all.slice(0, 0);
    }
    const start = this.#begun ? 0 : Math.max(0, startOfSound(all) - LEAD_WINDOWS * WINDOW);
    this.#begun = true;
    this.#held = all.slice(end);
    return all.slice(start, end);
  }

  /** The end of the sentence: what stays of the silence. */
  end(): Float32Array {
    const held = this.#held;
    this.#held = new Float32Array(0);
    const tail = held.slice(0, TAIL_WINDOWS * WINDOW);
    // Faded, because the sound does not end at zero.
    return tail.map((sample, at) => sample * (1 - at / tail.length));
  }
}

/** Where the first window that is not silent begins. */
function startOfSound(samples: Float32Array): number {
  for (let at = 0; at + WINDOW <= samples.length; at += WINDOW)
    if (isLoud(samples.subarray(at, at + WINDOW))) return at;
  return 0;
}

/** Where the last window that is not silent ends. */
function endOfSound(samples: Float32Array): number {
  for (let end = samples.length; end > 0; end -= WINDOW) {
    if (isLoud(samples.subarray(Math.max(0, end - WINDOW), end))) return end;
  }
  return 0;
}

function isLoud(part: Float32Array): boolean {
  const energy = part.reduce((sum, sample) => sum + sample * sample, 0);
  return Math.sqrt(energy / part.length) >= QUIET;
}

/** The parts one after another. */
export function joinedSamples(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Normal noise of deviation 0.5, the same every time, so that the same words are the same sound.
 *
 * @param length in samples
 */
export function fixedNoise(length: number): Float32Array {
  const noise = new Float32Array(length);
  let state = 1;
  const uniform = (): number => {
    // Marsaglia's xorshift of 32 bits.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 0.5) / 2 ** 32;
  };
  for (let at = 0; at < length; at += 2) {
    const radius = 0.5 * Math.sqrt(-2 * Math.log(uniform()));
    const angle = 2 * Math.PI * uniform();
    noise[at] = radius * Math.cos(angle);
    if (at + 1 < length) noise[at + 1] = radius * Math.sin(angle);
  }
  return noise;
}
