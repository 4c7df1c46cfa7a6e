import { randomInt } from 'node:crypto';
import { FRAME } from '@northline/telephone-audio/frame-pacing';
import type { SoundUnder } from '@northline/telephone-audio/sound-session';
import { WhiteNoise } from '@northline/telephone-audio/white-noise';

const RATE = 16_000;
/**
 * Corner frequencies of the room's air noise, Hz, and the level of each part: low, with enough above 300 Hz
 * for a telephone.
 */
const AIR = [poleAt(90, 80), poleAt(450, 75), poleAt(2200, 50)] as const;
/**
 * Seconds between changes of the air noise's level, how far it changes, and the share of the change in one
 * frame.
 */
const SWELL_SECONDS = [2, 6] as const;
const SWELL = 0.3;
const SWELL_SHARE = 0.02;
/** Somebody types far away: seconds between two runs, keys in a run, milliseconds between two keys. */
const QUIET_SECONDS = [3, 11] as const;
const KEYS = [2, 14] as const;
const KEY_MS = [90, 280] as const;
/** A key: its loudness at the onset, and its decay per sample. */
const KEY_LEVEL = [250, 650] as const;
const KEY_FALL = 0.985;

/**
 * The endless sound of a quiet office, some 44 dB below full scale: moving air, and now and then keys far
 * away. It is generated, so that nothing repeats even in the longest call, and nothing in it resembles
 * speech, so that no detector takes it for a voice.
 *
 * @param seed of its random numbers; without one each call has another office
 */
export function createOfficeSound(seed = randomInt(1, 2 ** 31)): SoundUnder {
  const office = new Office(seed);
  return () => office.frame();
}

/** Noise through one pole at `hertz`, scaled so that its root mean square is `level`. */
function poleAt(hertz: number, level: number): { readonly share: number; readonly gain: number } {
  const share = 1 - Math.exp((-2 * Math.PI * hertz) / RATE);
  // The variance of even noise between -1 and 1 is a third, and the pole leaves share / (2 - share) of that.
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
      // The difference of two neighbouring samples, since a click has no low frequencies.
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
