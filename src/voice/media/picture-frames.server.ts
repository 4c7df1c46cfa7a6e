import { PacketOrder } from './packet-order.server.ts';
import { isKeyframe, readVp8 } from './room/vp8-descriptor.server.ts';

/** One packet of a camera's picture, as it was received. */
export interface PicturePacket {
  readonly sequenceNumber: number;
  readonly timestamp: number;
  /** Whether the packet ends a frame. */
  readonly marker: boolean;
  readonly payload: Buffer;
}

/** One whole frame of a camera's picture: VP8 (RFC 6386), without the headers of its packets. */
export interface PictureFrame {
  readonly bytes: Buffer;
  /** Whether it can be decoded without the frames before it. */
  readonly keyframe: boolean;
}

/** How many packets a missing one is waited for: it is requested again, and comes a round trip later. */
const LIMITS = { patience: 40, largestGap: 1000 };
/** No camera sends a larger frame, bytes. */
const MOST_BYTES = 1024 * 1024;
/** Largest width and height that is recorded; cameras are asked for less. */
const MOST_PIXELS = 1920;
/** First bytes of a keyframe: a tag of three bytes, a start code, then width and height (RFC 6386 §9.1). */
const START_CODE = [0x9d, 0x01, 0x2a];
const KEYFRAME_HEADER = 10;
/** Mask for the size: the upper two bits of width and height hold a scale. */
const SIZE_BITS = 0x3fff;

/**
 * Assembles the packets of one VP8 stream into frames. After a loss nothing is passed on before the next
 * keyframe.
 */
export class PictureFrames {
  readonly #order = new PacketOrder<PicturePacket>(LIMITS);
  #waits = true;
  #last: number | undefined;
  #parts: Buffer[] = [];
  #bytes = 0;
  #timestamp: number | undefined;
  #keyframe = false;

  /** Whether a keyframe is needed before anything can be passed on. */
  get waits(): boolean {
    return this.#waits;
  }

  /** Passes on nothing before the next keyframe. */
  restart(): void {
    this.#lose();
  }

  /** Takes a packet, and returns the frames that it completes. */
  take(packet: PicturePacket): PictureFrame[] {
    const frames: PictureFrame[] = [];
    for (const ordered of this.#order.take(packet.sequenceNumber, packet)) {
      const frame = ordered === 'lost' ? this.#lose() : this.#add(ordered.payload);
      if (frame !== undefined) frames.push(frame);
    }
    return frames;
  }

  #lose(): undefined {
    this.#waits = true;
    this.#drop();
  }

  #drop(): undefined {
    this.#parts = [];
    this.#bytes = 0;
    this.#timestamp = undefined;
  }

  #add({ sequenceNumber, timestamp, marker, payload }: PicturePacket): PictureFrame | undefined {
    // A jump in the numbers means that the stream began anew: what was before is lost.
    if (this.#last !== undefined && ((this.#last + 1) & 0xffff) !== sequenceNumber) this.#lose();
    this.#last = sequenceNumber;
    const vp8 = readVp8(payload);
    if (vp8 === undefined) return undefined;
    const goesOn = this.#timestamp === timestamp;
    if (vp8.begins && !goesOn) this.#begin(timestamp, isKeyframe(vp8, payload));
    else if (!goesOn) return undefined;
    this.#bytes += payload.length - vp8.size;
    if (this.#bytes > MOST_BYTES) return this.#lose();
    this.#parts.push(payload.subarray(vp8.size));
    return marker ? this.#end() : undefined;
  }

  #begin(timestamp: number, keyframe: boolean): void {
    this.#drop();
    this.#timestamp = timestamp;
    this.#keyframe = keyframe;
  }

  #end(): PictureFrame | undefined {
    const frame = { bytes: Buffer.concat(this.#parts), keyframe: this.#keyframe };
    this.#drop();
    if (frame.keyframe) this.#waits = !canBeRecorded(frame.bytes);
    return this.#waits ? undefined : frame;
  }
}

/** Whether a keyframe has a readable size that can be recorded. */
function canBeRecorded(frame: Buffer): boolean {
  if (frame.length <= KEYFRAME_HEADER || !START_CODE.every((byte, at) => frame[at + 3] === byte))
    return false;
  const sizes = [frame.readUInt16LE(6) & SIZE_BITS, frame.readUInt16LE(8) & SIZE_BITS];
  return sizes.every((size) => size > 0 && size <= MOST_PIXELS);
}
