import { PacketOrder } from './packet-order.server.ts';
import { isKeyframe, readVp8 } from './room/vp8-descriptor.server.ts';

/** One packet of a camera's picture, as it came. */
export interface PicturePacket {
  readonly sequenceNumber: number;
  readonly timestamp: number;
  /** The packet ends a frame. */
  readonly marker: boolean;
  readonly payload: Buffer;
}

/** One whole frame of a camera's picture: VP8 (RFC 6386), without what the wire put around it. */
export interface PictureFrame {
  readonly bytes: Buffer;
  /** It stands alone. */
  readonly keyframe: boolean;
}

/** Packets that are waited for: lost ones are asked for again, and come after a round trip. */
const LIMITS = { patience: 40, largestGap: 1000 };
/** A frame beyond it is none that a camera sends, bytes. */
const MOST_BYTES = 1024 * 1024;
/** A picture beyond it is none that is recorded, in both directions; it is larger than what is asked for. */
const MOST_PIXELS = 1920;
/** First bytes of a frame that stands alone: a tag of three, a start code, then width and height (RFC 6386 §9.1). */
const START_CODE = [0x9d, 0x01, 0x2a];
const KEYFRAME_HEADER = 10;
/** The upper two bits of a width or height say how it is to be scaled. */
const SIZE_BITS = 0x3fff;

/** Puts the packets of one VP8 stream together to frames. After a loss nothing is given before a frame that stands alone. */
export class PictureFrames {
  readonly #order = new PacketOrder<PicturePacket>(LIMITS);
  #waits = true;
  #last: number | undefined;
  #parts: Buffer[] = [];
  #bytes = 0;
  #timestamp: number | undefined;
  #keyframe = false;

  /** Whether a frame that stands alone is needed before anything can be given. */
  get waits(): boolean {
    return this.#waits;
  }

  /** From now on nothing is given before a frame that stands alone. */
  restart(): void {
    this.#lose();
  }

  /** Takes a packet, and returns the frames that are whole now. */
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
    // A stream that began anew has lost what was before, too.
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

/** Whether a frame that stands alone is whole as far as its size, and of a size that a camera has. */
function canBeRecorded(frame: Buffer): boolean {
  if (frame.length <= KEYFRAME_HEADER || !START_CODE.every((byte, at) => frame[at + 3] === byte))
    return false;
  const sizes = [frame.readUInt16LE(6) & SIZE_BITS, frame.readUInt16LE(8) & SIZE_BITS];
  return sizes.every((size) => size > 0 && size <= MOST_PIXELS);
}
