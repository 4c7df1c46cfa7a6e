import { randomInt } from 'node:crypto';
import { FRAME } from '@northline/telephone-audio/frame-pacing';
import type { SoundUnder } from '@northline/telephone-audio/sound-session';
import { WhiteNoise } from '@northline/telephone-audio/white-noise';

const RATE = 16_000;
/** Corner frequencies of the air in a room, Hz, and the level of each part: low, with enough for a telephone's 300 Hz on. */
const AIR = [poleAt(90, 80), poleAt(450, 75), poleAt(2200, 50)] as const;
/** Seconds until the air swells or falls anew, by how much of its level, and its share of the way in a frame. */
const SWELL_SECONDS = [2, 6] as const;
const SWELL = 0.3;
const SWELL_SHARE = 0.02;
/** Somebody types far away: seconds of quiet between two runs, keys of a run, milliseconds between two keys. */
const QUIET_SECONDS = [3, 11] as const;
const KEYS = [2, 14] as const;
const KEY_MS = [90, 280] as const;
/** A key: how loud at its onset, and how fast it falls (per sample). */
const KEY_LEVEL = [250, 650] as const;
const KEY_FALL = 0.985;

/**
 * The sound of a quiet office without an end, some 44 dB below full scale, of our own making: moving air, and now and
 * then keys far away. Every sample is drawn anew, so nothing of it comes again in the longest call; nothing in it is like
 * speech, so that no detector takes it for a voice.
 *
 * @param seed of its chance; another office for each call where none is given
 */
export function createOfficeSound(seed = randomInt(1, 2 ** 31)): SoundUnder {
  const office = new Office(seed);
  return () => office.frame();
}

/** Noise with one pole at `hertz`; its root mean square is `level`, whatever the corner takes away. */
function poleAt(hertz: number, level: number): { readonly share: number; readonly gain: number } {
  const share = 1 - Math.exp((-2 * Math.PI * hertz) / RATE);
  // Of even noise between -1 and 1 a third is its variance, and the pole leaves share / (2 - share) of that.
  return { share, gain: level * Math.sqrt((3 * (2 - share)) / share) };
}

class Office {
  readonly #noise: WhiteNoise;
  #low = 0;
  #middle = 0;
  #high = 0;
  #before = 0;
  #key = 0;
  #keys = 0;
  /** Samples until the next key. */
  #wait: number;
  #swell = 0;
  #swellTo = 0;
  #swellFrames = 0;

  constructor(seed: number) {
    this.#noise = new WhiteNoise(seed);
    this.#wait = this.#between(QUIET_SECONDS) * RATE;
  }

  /** The next 20 ms. */
  frame(): Int16Array {
    const air = 1 + this.#swelling();
    const [low, middle, high] = AIR;
    const frame = new Int16Array(FRAME.samples);
    for (let n = 0; n < frame.length; n += 1) {
      const white = this.#noise.next();
      this.#low += low.share * (white - this.#low);
      this.#middle += middle.share * (white - this.#middle);
      this.#high += high.share * (white - this.#high);
      const sound = this.#low * low.gain + this.#middle * middle.gain + this.#high * high.gain;
      this.#wait -= 1;
      if (this.#wait <= 0) this.#press();
      this.#key *= KEY_FALL;
      // The difference of two neighbours: a click has no low part.
      frame[n] = Math.round(sound * air + (white - this.#before) * 0.5 * this.#key);
      this.#before = white;
    }
    return frame;
  }

  #swelling(): number {
    this.#swellFrames -= 1;
    if (this.#swellFrames <= 0) {
      this.#swellTo = this.#noise.next() * SWELL;
      this.#swellFrames = (this.#between(SWELL_SECONDS) * 1000) / FRAME.ms;
    }
    this.#swell += (this.#swellTo - this.#swell) * SWELL_SHARE;
    return this.#swell;
  }

  #press(): void {
    this.#key = this.#between(KEY_LEVEL);
    this.#keys -= 1;
    if (this.#keys > 0) this.#wait = (this.#between(KEY_MS) * RATE) / 1000;
    else {
      this.#keys = Math.round(this.#between(KEYS));
      this.#wait = this.#between(QUIET_SECONDS) * RATE;
    }
  }

  #between([least, most]: readonly [number, number]): number {
    return least + ((this.#noise.next() + 1) / 2) * (most - least);
  }
}
