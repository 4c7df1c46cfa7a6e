import { decodeG711, encodeG711 } from './g711-codec.ts';
import { createG722Decoder, createG722Encoder } from './g722-codec.ts';
import { createOpusCodec } from './opus-codec.ts';
import { createRateDoubler, createRateHalver } from './rate-doubling.ts';

/** Names of the codecs as SDP has them. */
export type CodecName = 'PCMU' | 'PCMA' | 'G722' | 'opus';

/** What SDP says of a codec. `clock` counts RTP time, which for G.722 is 8000 by an old error (RFC 3551 §4.5.2). */
export interface CodecTraits {
  readonly name: CodecName;
  readonly clock: number;
  readonly channels?: number;
  /** Its static payload type (RFC 3551), or the one that we give it in an offer. */
  readonly payloadType: number;
  readonly fmtp?: string;
}

/** The codecs that we have, in the order in which we like them. */
export const CODECS: readonly CodecTraits[] = [
  { name: 'opus', clock: 48_000, channels: 2, payloadType: 107, fmtp: 'useinbandfec=1;stereo=0' },
  { name: 'G722', clock: 8000, payloadType: 9 },
  { name: 'PCMU', clock: 8000, payloadType: 0 },
  { name: 'PCMA', clock: 8000, payloadType: 8 },
];

/** Both directions of one codec for one call; sound is mono, 16-bit, 16 kHz whatever goes over the wire. */
export interface SoundCodec {
  /** One 20 ms frame to one payload. */
  encode(frame: Int16Array): Uint8Array;
  /** The samples of a payload; undefined where it is none of this codec. */
  decode(payload: Uint8Array): Int16Array | undefined;
}

/** Longest payload that is taken: 120 ms of G.711, and any Opus packet (RFC 6716 §3.2.1). */
const MAX_PAYLOAD = 1500;

/** Makes one pair of encoder and decoder. */
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
