import { KEYS } from './dtmf-tones.ts';

/** A telephone key in a packet. */
export interface ToneEvent {
  readonly key: string;
  /** Whether the key was released. */
  readonly end: boolean;
  /** How long it has been pressed, ticks of the agreed clock. */
  readonly duration: number;
}

const BYTES = 4;
const END = 0x80;
/** The loudness that is sent, -dBm0. */
const VOLUME = 10;

/** Parses the payload of a named tone (RFC 4733 §2.3); undefined where it is not a key. */
export function readToneEvent(payload: Uint8Array): ToneEvent | undefined {
  const [event = 255, flags = 0, high = 0, low = 0] = payload;
  const key = KEYS[event];
  if (payload.length < BYTES || key === undefined) return undefined;
  return { key, end: (flags & END) !== 0, duration: high * 256 + low };
}

/** Writes such a payload. */
export function writeToneEvent({ key, end, duration }: ToneEvent): Uint8Array {
  return Uint8Array.of(KEYS.indexOf(key), VOLUME | (end ? END : 0), (duration >> 8) & 0xff, duration & 0xff);
}
