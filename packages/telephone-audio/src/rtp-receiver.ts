import type { RtpPacket } from 'werift';
import type { CodecName, SoundCodec } from './codecs/sound-codec.ts';
import { COMFORT_NOISE, ComfortNoise } from './comfort-noise.ts';
import { ToneDetector } from './dtmf-tones.ts';
import { FRAME } from './frame-pacing.ts';
import { JitterBuffer, sequenceDistance } from './jitter-buffer.ts';
import { LossConcealment } from './loss-concealment.ts';
import type { AgreedSound } from './sdp-negotiation.ts';
import { readToneEvent } from './tone-event.ts';

/** The figures of the received packets for a report (RFC 3550 §6.4.1). */
export interface ReceivedSoFar {
  readonly ssrc: number;
  readonly received: number;
  readonly expected: number;
  /** Highest sequence number, with its overflows above 16 bits. */
  readonly highest: number;
  readonly jitterMs: number;
  /** Ticks a second of the stream's clock. */
  readonly clock: number;
}

/** A place in the stream: a payload to decode, or a packet without sound. */
type Place = { readonly codec: SoundCodec; readonly payload: Uint8Array } | { readonly codec: undefined };
const NO_SOUND: Place = { codec: undefined };

/** Longest packet, milliseconds; anything else in the timestamps is a jump. */
const LONGEST_PACKET = 120;

/**
 * The receiving direction of a call: packets in, sound of 16 kHz out, in frames of 20 ms whenever one is due.
 */
export class RtpReceiver {
  readonly #codecs: ReadonlyMap<CodecName, SoundCodec>;
  readonly #told: (key: string) => void;
  readonly #buffer = new JitterBuffer<Place>();
  readonly #concealment = new LossConcealment();
  readonly #noise = new ComfortNoise();
  #agreed: AgreedSound | undefined;
  #detector: ToneDetector | undefined;
  /** Decoded sound that does not make a whole frame yet. */
  #sound: Int16Array[] = [];
  #soundLength = 0;
  #quiet = true;
  #packetMs: number = FRAME.ms;
  #ssrc: number | undefined;
  #first = 0;
  #highest = 0;
  #received = 0;
  #unusable = 0;
  #last: { readonly timestamp: number; readonly sequence: number } | undefined;
  #timeMs = 0;
  #clock = 8000;
  #toneAt: number | undefined;

  constructor(codecs: ReadonlyMap<CodecName, SoundCodec>, told: (key: string) => void) {
    this.#codecs = codecs;
    this.#told = told;
  }

  /** Applies a new agreement. */
  agree(agreed: AgreedSound): void {
    this.#agreed = agreed;
    // Named tones are reliable; the sound is searched for keys only where there are none.
    this.#detector = agreed.tones === undefined ? (this.#detector ?? new ToneDetector()) : undefined;
  }

  /** Whether a payload type is one of those agreed on. */
  knows(payloadType: number): boolean {
    const agreed = this.#agreed;
    if (agreed === undefined) return false;
    if (payloadType === agreed.tones?.payloadType || payloadType === COMFORT_NOISE) return true;
    return agreed.codecs.some((codec) => codec.payloadType === payloadType);
  }

  /** How long sound waits here, milliseconds. */
  get delayMs(): number {
    return this.#buffer.depth * this.#packetMs;
  }

  get lost(): number {
    return this.#buffer.lost;
  }

  /** Packets that came twice, too late, or could not be decoded. */
  get rejected(): number {
    return this.#buffer.rejected + this.#unusable;
  }

  /** The figures of the present source; undefined before its first packet. */
  soFar(): ReceivedSoFar | undefined {
    if (this.#ssrc === undefined) return undefined;
    return {
      ssrc: this.#ssrc,
      received: this.#received,
      expected: this.#highest - this.#first + 1,
      highest: this.#highest,
      jitterMs: this.#buffer.jitterMs,
      clock: this.#clock,
    };
  }

  /** Takes a packet with a known payload type, which arrived at `arrivalMs` of any clock. */
  take({ header, payload }: RtpPacket, arrivalMs: number): void {
    const codec = this.#agreed?.codecs.find(({ payloadType }) => payloadType === header.payloadType);
    this.#count(header.ssrc, header.sequenceNumber);
    const sound = codec === undefined ? undefined : this.#codecs.get(codec.name);
    if (codec !== undefined) {
      this.#clock = codec.clock;
      this.#time(header.timestamp, header.sequenceNumber);
    }
    if (header.payloadType === COMFORT_NOISE) this.#noise.take(payload);
    else if (sound === undefined) this.#hearTone(header.timestamp, payload);
    this.#buffer.put(
      {
        sequence: header.sequenceNumber,
        // All packets of a key have the time at which it began.
        timeMs: sound === undefined ? undefined : this.#timeMs,
        arrivalMs,
        payload: sound === undefined ? NO_SOUND : { codec: sound, payload },
      },
      this.#packetMs,
    );
  }

  /** The next 20 ms: received sound, a replacement for lost sound, or noise. */
  frame(): Int16Array {
    while (this.#soundLength < FRAME.samples) {
      const more = this.#next();
      this.#sound.push(more);
      this.#soundLength += more.length;
    }
    const frame = this.#cut();
    for (const key of this.#detector?.push(frame) ?? []) this.#told(key);
    return frame;
  }

  #next(): Int16Array {
    const place = this.#buffer.take();
    if (place === 'wait') {
      this.#quiet = true;
      return this.#noise.frame();
    }
    if (place === 'lost') return this.#quiet ? this.#noise.frame() : this.#concealment.conceal();
    this.#quiet = place.codec === undefined;
    if (place.codec === undefined) return this.#noise.frame();
    const pcm = place.codec.decode(place.payload);
    if (pcm !== undefined && pcm.length > 0) return this.#concealment.hear(pcm);
    this.#unusable += 1;
    return this.#concealment.conceal();
  }

  #cut(): Int16Array {
    const frame = new Int16Array(FRAME.samples);
    let filled = 0;
    while (filled < FRAME.samples) {
      const piece = this.#sound[0] ?? frame;
      const part = piece.subarray(0, FRAME.samples - filled);
      frame.set(part, filled);
      filled += part.length;
      if (part.length === piece.length) this.#sound.shift();
      else this.#sound[0] = piece.subarray(part.length);
    }
    this.#soundLength -= FRAME.samples;
    return frame;
  }

  /** A key is reported with its first packet; its other packets have the same time (RFC 4733 §2.5.1.3). */
  #hearTone(timestamp: number, payload: Uint8Array): void {
    const event = readToneEvent(payload);
    if (event === undefined) {
      this.#unusable += 1;
      return;
    }
    if (timestamp === this.#toneAt) return;
    this.#toneAt = timestamp;
    this.#told(event.key);
  }

  #count(ssrc: number, sequence: number): void {
    if (ssrc !== this.#ssrc) {
      this.#ssrc = ssrc;
      this.#first = sequence;
      this.#highest = sequence;
      this.#received = 0;
      this.#last = undefined;
    }
    this.#received += 1;
    this.#highest = Math.max(
      this.#highest,
      this.#highest + sequenceDistance(this.#highest & 0xffff, sequence),
    );
  }

  /**
   * Follows the sender's clock across the overflow of its 32 bits; two consecutive packets show how long one
   * is.
   */
  #time(timestamp: number, sequence: number): void {
    const last = this.#last;
    this.#last = { timestamp, sequence };
    if (last === undefined) return;
    const ms = (((timestamp - last.timestamp) | 0) / this.#clock) * 1000;
    this.#timeMs += ms;
    if (sequenceDistance(last.sequence, sequence) === 1 && ms > 0 && ms <= LONGEST_PACKET)
      this.#packetMs = ms;
  }
}
