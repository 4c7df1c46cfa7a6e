import { KEYS } from './dtmf-tones.ts';

/** A key of a telephone as a packet names it. */
export interface ToneEvent {
  readonly key: string;
  /** The key was let go. */
  readonly end: boolean;
  /** How long it has been down, ticks of the clock agreed on. */
  readonly duration: number;
}

const BYTES = 4;
const END = 0x80;
/** Loudness that is sent, -dBm0. */
const VOLUME = 10;

/** Reads the payload of a named tone (RFC 4733 §2.3); undefined for what is no key. */
export function readToneEvent(payload: Uint8Array): ToneEvent | undefined {
  const [event = 255, flags = 0, high = 0, low = 0] = payload;
  const key = KEYS[event];
  if (payload.length < BYTES || key === undefined) return undefined;
  return { key, end: (flags & END) !== 0, duration: high * 256 + low };
}

/** Writes one. */
export function writeToneEvent({ key, end, duration }: ToneEvent): Uint8Array {
  return Uint8Array.of(KEYS.indexOf(key), VOLUME | (end ? END : 0), (duration >> 8) & 0xff, duration & 0xff);
}
