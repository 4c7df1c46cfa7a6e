import { ServiceError } from '@northline/service-error/service-error';
import type { CodecName, SoundCodec } from './codecs/sound-codec.ts';
import { keySound, type ToneFrame, toneFrames } from './dtmf-tones.ts';
import { FRAME } from './frame-pacing.ts';
import type { AgreedSound } from './sdp-negotiation.ts';
import { writeToneEvent } from './tone-event.ts';

type Werift = typeof import('werift');

/** How often the end of a key is sent, since a packet may be lost (RFC 4733 §2.5.1.4). */
const ENDS = 3;
const SILENCE = new Int16Array(FRAME.samples);

interface Dialling {
  readonly frames: ToneFrame[];
  readonly done: PromiseWithResolvers<void>;
}

/** The figures of the sent packets for a report. */
export interface SentSoFar {
  readonly packets: number;
  readonly bytes: number;
  /** Time of the next packet, ticks. */
  readonly timestamp: number;
}

/** The sending direction of a call: frames of 20 ms in, packets out. Dialled keys replace the sound. */
export class RtpSender {
  readonly ssrc = randomBits(32);
  readonly #werift: Werift;
  readonly #codecs: ReadonlyMap<CodecName, SoundCodec>;
  #agreed: AgreedSound | undefined;
  #sequence = randomBits(15);
  #timestamp = randomBits(31);
  #toneAt = 0;
  #packets = 0;
  #bytes = 0;
  #talking = false;
  #dialling: Dialling[] = [];

  constructor(werift: Werift, codecs: ReadonlyMap<CodecName, SoundCodec>) {
    this.#werift = werift;
    this.#codecs = codecs;
  }

  agree(agreed: AgreedSound): void {
    this.#agreed = agreed;
  }

  soFar(): SentSoFar {
    return { packets: this.#packets, bytes: this.#bytes, timestamp: this.#timestamp };
  }

  /**
   * Dials keys; resolves when the last one has been sent. @throws ServiceError 400 `bad_tones`, 409
   * `call_over`
   */
  dial(digits: string): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#dialling.push({ frames: toneFrames(digits), done });
    return done.promise;
  }

  /** The packets for the next 20 ms. */
  packets(frame: Int16Array): Buffer[] {
    const agreed = this.#agreed;
    const [codec] = agreed?.codecs ?? [];
    const sound = codec === undefined ? undefined : this.#codecs.get(codec.name);
    if (agreed === undefined || codec === undefined || sound === undefined) return [];
    const ticks = (codec.clock * FRAME.ms) / 1000;
    const tone = this.#dialled();
    const packets =
      tone !== undefined && tone !== 'pause' && agreed.tones !== undefined
        ? this.#event(tone, agreed.tones)
        : [this.#packet(codec.payloadType, sound.encode(soundOf(tone, frame)), this.#timestamp)];
    this.#timestamp = (this.#timestamp + ticks) >>> 0;
    return packets;
  }

  /** Lets 20 ms pass without sending, while the other side is on hold. */
  skip(): void {
    const [codec] = this.#agreed?.codecs ?? [];
    this.#timestamp = (this.#timestamp + ((codec?.clock ?? 8000) * FRAME.ms) / 1000) >>> 0;
    this.#talking = false;
  }

  /** Rejects the keys that have not been dialled. */
  close(): void {
    const over = new ServiceError(409, 'call_over', 'The call ended before all tones were sent.');
    for (const { done } of this.#dialling.splice(0)) done.reject(over);
  }

  #dialled(): ToneFrame | undefined {
    const [now] = this.#dialling;
    const tone = now?.frames.shift();
    if (now !== undefined && now.frames.length === 0) {
      this.#dialling.shift();
      now.done.resolve();
    }
    return tone;
  }

  #event(
    { key, part, last }: Exclude<ToneFrame, 'pause'>,
    { payloadType, clock }: NonNullable<AgreedSound['tones']>,
  ): Buffer[] {
    if (part === 0) {
      this.#toneAt = this.#timestamp;
      this.#talking = false;
    }
    const duration = ((part + 1) * FRAME.ms * clock) / 1000;
    const payload = writeToneEvent({ key, end: last, duration });
    return Array.from({ length: last ? ENDS : 1 }, () => this.#packet(payloadType, payload, this.#toneAt));
  }

  #packet(payloadType: number, payload: Uint8Array, timestamp: number): Buffer {
    const { RtpHeader, RtpPacket } = this.#werift;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    const header = new RtpHeader({
      payloadType,
      timestamp,
      sequenceNumber: this.#sequence,
      ssrc: this.ssrc,
      // Set for the first packet after a pause (RFC 3551 §4.1), and for the first one of a key.
      marker: !this.#talking,
    });
    this.#talking = true;
    this.#packets += 1;
    this.#bytes += payload.length;
    return new RtpPacket(header, Buffer.from(payload)).serialize();
  }
}

/** The sound where named tones are not available: the tones themselves. */
function soundOf(tone: ToneFrame | undefined, frame: Int16Array): Int16Array {
  if (tone === undefined) return frame;
  return tone === 'pause' ? SILENCE : keySound(tone.key, tone.part);
}

function randomBits(bits: number): number {
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) >>> (32 - bits);
}
