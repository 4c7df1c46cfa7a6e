import { FRAME } from '../frame-pacing.ts';

/** Bits a second; speech of 16 kHz gains nothing above it (RFC 7587 §3.1.1). */
const BITRATE = 32_000;
/** One frame on the clock of RTP, which runs at 48 kHz whatever the sound is (RFC 7587 §4.1). */
export const TICKS_PER_FRAME = 48 * FRAME.ms;
/** Longest Opus packet (RFC 6716 §3.2.1: 120 ms); a larger payload cannot be Opus. */
const MAX_PACKET = 1500;
const COMPLEXITY = 5;

/** Opus (RFC 6716) in both directions, mono, 16-bit, 16 kHz: libopus resamples by itself. */
export interface OpusCodec {
  /** Encodes a 20 ms frame to one packet. */
  encode(frame: Int16Array): Uint8Array;
  /** The samples of one packet; undefined where it is not an Opus packet. */
  decode(packet: Uint8Array): Int16Array | undefined;
  /** 20 ms that stand in for a lost packet: the last sound, fading out. */
  conceal(): Int16Array;
}

/** Loads the codec (when the first call needs it) and makes an encoder and a decoder for one call. */
export async function createOpusCodec(): Promise<OpusCodec> {
  const { Decoder, Encoder } = await import('@evan/opus');
  const encoder = new Encoder({ channels: 1, sample_rate: 16_000, application: 'voip' });
  encoder.bitrate = BITRATE;
  encoder.complexity = COMPLEXITY;
  const decoder = new Decoder({ channels: 1, sample_rate: 16_000 });
  let last = new Int16Array(FRAME.samples);
  return {
    encode: (frame) => encoder.encode(frame),
    decode(packet) {
      if (packet.length === 0 || packet.length > MAX_PACKET) return undefined;
      try {
        const bytes = decoder.decode(packet);
        const pcm = new Int16Array(bytes.slice().buffer);
        if (pcm.length >= FRAME.samples) last = pcm.slice(-FRAME.samples);
        return pcm;
      } catch {
        // A malformed packet is the sender's fault; the decoder goes on with the next one.
        return undefined;
      }
    },
    conceal() {
      last = last.map((sample) => sample / 2);
      return last;
    },
  };
}
