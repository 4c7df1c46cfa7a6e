import { FRAME } from './frame-pacing.ts';
import { WhiteNoise } from './white-noise.ts';

/** Payload type of comfort noise at 8 kHz (RFC 3389 §5). */
export const COMFORT_NOISE = 13;

/** Loudest noise that is made, -dBov, whatever the sender asks for. */
const LOUDEST = 30;
/**
 * The noise between two talk spurts: as loud as the other side says (RFC 3389), and none until it has said
 * so.
 */
export class ComfortNoise {
  #size = 0;
  readonly #noise = new WhiteNoise(0x2545f491);
  #last = 0;

  /** Takes the payload of a noise packet: its first byte is the level, 0 to 127 -dBov; the spectrum is not used. */
  take(payload: Uint8Array): void {
    const level = (payload[0] ?? 127) & 0x7f;
    this.#size = level >= 127 ? 0 : 32767 * 10 ** (-Math.max(LOUDEST, level) / 20) * Math.sqrt(3);
  }

  /** The next 20 ms. */
  frame(): Int16Array {
    if (this.#size === 0) return new Int16Array(FRAME.samples);
    return Int16Array.from({ length: FRAME.samples }, () => {
      // Neighbouring values are averaged, because white noise at 16 kHz would hiss.
      const value = this.#noise.next();
      const sample = ((value + this.#last) / Math.SQRT2) * this.#size;
      this.#last = value;
      return Math.round(sample);
    });
  }
}
