import { isKeyframe, movedFrame, readVp8, type Vp8Numbers } from './vp8-descriptor.server.ts';

/** What a slot changes in a packet that it passes on (RFC 3550 §5.1). */
export interface SlotPacket {
  readonly sequenceNumber: number;
  readonly timestamp: number;
  readonly marker: boolean;
  readonly payload: Buffer;
}

/** How many ticks a second the timestamps of a kind have (RFC 7587 §4.1, RFC 7741 §4.1). */
export const CLOCK_RATES = { audio: 48_000, video: 90_000 } as const;

interface Offsets {
  readonly sequence: number;
  readonly timestamp: number;
  readonly picture: number;
  readonly layer: number;
  /** The source's number of the first packet that was passed on; what is older never is. */
  readonly first: number;
}

const HALF = 0x8000;
const behind = (number: number, first: number): boolean => ((number - first) & 0xffff) >= HALF;

/**
 * One stream to one receiver, whose source changes: to the receiver it is one stream all the time, with
 * numbers that go on. Of a picture's new source nothing is passed on before a frame that stands alone.
 */
export class SlotStream {
  readonly #kind: 'audio' | 'video';
  #wanted: string | undefined;
  #current: string | undefined;
  #offsets: Offsets | undefined;
  /** The highest numbers that were sent, and when (milliseconds). */
  #last: { sequence: number; timestamp: number; at: number; vp8: Vp8Numbers } | undefined;

  constructor(kind: 'audio' | 'video') {
    this.#kind = kind;
  }

  /** The source that the stream is to carry. */
  get wanted(): string | undefined {
    return this.#wanted;
  }

  /**
   * Takes another source; undefined for none.
   *
   * @param seamless the one before goes on until the new one can be shown: another size of the same picture
   */
  take(source: string | undefined, seamless = false): void {
    if (source === this.#wanted) return;
    this.#wanted = source;
    if (!seamless) this.#current = undefined;
  }

  /** Whether the stream waits for a frame of `source` that stands alone. */
  waitsFor(source: string): boolean {
    return this.#kind === 'video' && this.#wanted === source && this.#current !== source;
  }

  /**
   * The packet of a source as the receiver gets it, or undefined where it gets none.
   *
   * @param now milliseconds of a clock that never goes back
   */
  pass(source: string, packet: SlotPacket, now: number): SlotPacket | undefined {
    const vp8 = this.#kind === 'video' ? readVp8(packet.payload) : undefined;
    if (this.#kind === 'video' && vp8 === undefined) return undefined;
    if (source === this.#wanted && source !== this.#current && (!vp8 || isKeyframe(vp8, packet.payload))) {
      this.#current = source;
      this.#offsets = this.#begin(packet, vp8?.numbers ?? {}, now);
    }
    if (source !== this.#current || this.#offsets === undefined) return undefined;
    const { sequence, timestamp, picture, layer, first } = this.#offsets;
    if (behind(packet.sequenceNumber, first)) return undefined;
    const passed: SlotPacket = {
      sequenceNumber: (packet.sequenceNumber + sequence) & 0xffff,
      timestamp: (packet.timestamp + timestamp) >>> 0,
      marker: packet.marker,
      payload: vp8 === undefined ? packet.payload : movedFrame(packet.payload, vp8, { picture, layer }),
    };
    this.#remember(passed, now);
    return passed;
  }

  #begin(packet: SlotPacket, numbers: Vp8Numbers, now: number): Offsets {
    const { sequenceNumber: first, timestamp } = packet;
    const last = this.#last;
    if (last === undefined) return { sequence: 0, timestamp: 0, picture: 0, layer: 0, first };
    const ticks = Math.max(1, Math.round(((now - last.at) / 1000) * CLOCK_RATES[this.#kind]));
    return {
      sequence: last.sequence + 1 - first,
      timestamp: last.timestamp + ticks - timestamp,
      picture: (last.vp8.picture ?? 0) + 1 - (numbers.picture ?? 0),
      layer: (last.vp8.layer ?? 0) + 1 - (numbers.layer ?? 0),
      first,
    };
  }

  #remember({ sequenceNumber: sequence, timestamp, payload }: SlotPacket, now: number): void {
    if (this.#last !== undefined && behind(sequence, this.#last.sequence)) return;
    const vp8 = this.#kind === 'video' ? (readVp8(payload)?.numbers ?? {}) : {};
    this.#last = { sequence, timestamp, at: now, vp8 };
  }
}
