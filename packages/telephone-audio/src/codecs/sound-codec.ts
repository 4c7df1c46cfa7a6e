import { decodeG711, encodeG711 } from './g711-codec.ts';
import { createG722Decoder, createG722Encoder } from './g722-codec.ts';
import { createOpusCodec } from './opus-codec.ts';
import { createRateDoubler, createRateHalver } from './rate-doubling.ts';

/** The names of the codecs in SDP. */
export type CodecName = 'PCMU' | 'PCMA' | 'G722' | 'opus';

/**
 * The description of a codec in SDP. `clock` is the rate of RTP time, which for G.722 is 8000 by an old error
 * (RFC 3551 §4.5.2).
 */
export interface CodecTraits {
  readonly name: CodecName;
  readonly clock: number;
  readonly channels?: number;
  /** Its static payload type (RFC 3551), or the one that our offers give it. */
  readonly payloadType: number;
  readonly fmtp?: string;
}

/** The supported codecs, in the order of our preference. */
export const CODECS: readonly CodecTraits[] = [
  { name: 'opus', clock: 48_000, channels: 2, payloadType: 107, fmtp: 'useinbandfec=1;stereo=0' },
  { name: 'G722', clock: 8000, payloadType: 9 },
  { name: 'PCMU', clock: 8000, payloadType: 0 },
  { name: 'PCMA', clock: 8000, payloadType: 8 },
];

/**
 * Encoder and decoder of one codec for one call; sound is mono, 16-bit, 16 kHz, whatever is sent over the
 * network.
 */
export interface SoundCodec {
  /** Encodes a 20 ms frame to one payload. */
  encode(frame: Int16Array): Uint8Array;
  /** The samples of a payload; undefined where it does not belong to this codec. */
  decode(payload: Uint8Array): Int16Array | undefined;
}

/** Longest payload that is accepted: 120 ms of G.711, and any Opus packet (RFC 6716 §3.2.1). */
const MAX_PAYLOAD = 1500;

/** Makes an encoder and a decoder for one call. */
export async function createSoundCodec(name: CodecName): Promise<SoundCodec> {
  if (name === 'opus') return createOpusCodec();
  if (name === 'G722') {
    const decode = createG722Decoder();
    return { encode: createG722Encoder(), decode: (payload) => usable(payload) && decode(payload) };
  }
  const [double, halve] = [createRateDoubler(), createRateHalver()];
  return {
    encode: (frame) => encodeG711(name, halve(frame)),
    decode: (payload) => usable(payload) && double(decodeG711(name, payload)),
  };
}

const usable = (payload: Uint8Array): true | undefined =>
  payload.length > 0 && payload.length <= MAX_PAYLOAD ? true : undefined;
