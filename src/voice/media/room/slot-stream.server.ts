import { isKeyframe, movedFrame, readVp8, type Vp8Numbers } from './vp8-descriptor.server.ts';

/** The parts of a packet that a slot changes when it passes the packet on (RFC 3550 §5.1). */
export interface SlotPacket {
  readonly sequenceNumber: number;
  readonly timestamp: number;
  readonly marker: boolean;
  readonly payload: Buffer;
}

/** Ticks a second of the timestamps of each sort (RFC 7587 §4.1, RFC 7741 §4.1). */
export const CLOCK_RATES = { audio: 48_000, video: 90_000 } as const;

interface Offsets {
  readonly sequence: number;
  readonly timestamp: number;
  readonly picture: number;
  readonly layer: number;
  /** The source's sequence number of the first packet that was passed on; older ones never are. */
  readonly first: number;
}

const HALF = 0x8000;
const behind = (number: number, first: number): boolean => ((number - first) & 0xffff) >= HALF;

/**
 * One stream to one receiver, whose source changes. The receiver sees a single stream with continuous
 * numbers. After a change of source, pictures are passed on from the first keyframe.
 */
export class SlotStream {
  readonly #kind: 'audio' | 'video';
  #wanted: string | undefined;
  #current: string | undefined;
  #offsets: Offsets | undefined;
  /** The highest numbers that were sent, and the time (milliseconds). */
  #last: { sequence: number; timestamp: number; at: number; vp8: Vp8Numbers } | undefined;

  constructor(kind: 'audio' | 'video') {
    this.#kind = kind;
  }

  /** The source that the stream should carry. */
  get wanted(): string | undefined {
    return this.#wanted;
  }

  /**
   * Changes the source; undefined for none.
   *
   * @param seamless the present source continues until the new one has a keyframe: for another size of the
   * same picture
   */
  take(source: string | undefined, seamless = false): void {
    if (source === this.#wanted) return;
    this.#wanted = source;
    if (!seamless) this.#current = undefined;
  }

  /** Whether the stream waits for a keyframe of `source`. */
  waitsFor(source: string): boolean {
    return this.#kind === 'video' && this.#wanted === source && this.#current !== source;
  }

  /**
   * The packet of a source as the receiver gets it; undefined where the receiver does not get it.
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
