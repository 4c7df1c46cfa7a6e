/**
 * The numbers of a VP8 frame that a receiver expects to be continuous (RFC 7741 §4.2): PictureID and
 * TL0PICIDX.
 */
export interface Vp8Numbers {
  readonly picture?: number | undefined;
  readonly layer?: number | undefined;
}

/** Where the payload descriptor of a packet has its parts (RFC 7741 §4.2). */
export interface Vp8Descriptor {
  readonly numbers: Vp8Numbers;
  /** Offset of the PictureID, and whether it has 15 bits. */
  readonly pictureAt: number | undefined;
  readonly wide: boolean;
  /** Offset of TL0PICIDX. */
  readonly layerAt: number | undefined;
  /** Whether the packet begins a frame. */
  readonly begins: boolean;
  /** Length of the descriptor. */
  readonly size: number;
}

const X = 0x80;
const S = 0x10;
const PARTITION = 0x07;
const I = 0x80;
const L = 0x40;
const T_OR_K = 0x30;
const M = 0x80;

/** The descriptor of a VP8 packet; undefined where it is cut off. */
export function readVp8(payload: Buffer): Vp8Descriptor | undefined {
  const head = payload[0] ?? 0;
  const begins = (head & S) !== 0 && (head & PARTITION) === 0;
  const flags = (head & X) === 0 ? 0 : (payload[1] ?? 0);
  let size = (head & X) === 0 ? 1 : 2;
  const place = (flag: number, length: number): number | undefined => {
    if ((flags & flag) === 0) return undefined;
    size += length;
    return size - length;
  };
  const wide = ((payload[2] ?? 0) & M) !== 0;
  const pictureAt = place(I, wide ? 2 : 1);
  const layerAt = place(L, 1);
  place(T_OR_K, 1);
  if (payload.length <= size) return undefined;
  const layer = layerAt === undefined ? undefined : payload[layerAt];
  return {
    numbers: { picture: pictureOf(payload, pictureAt, wide), layer },
    pictureAt,
    wide,
    layerAt,
    begins,
    size,
  };
}

function pictureOf(payload: Buffer, at: number | undefined, wide: boolean): number | undefined {
  if (at === undefined) return undefined;
  return wide ? payload.readUInt16BE(at) & 0x7fff : (payload[at] ?? 0) & 0x7f;
}

/** Whether a packet begins a keyframe (RFC 7741 §4.3: P is 0). */
export function isKeyframe({ begins, size }: Vp8Descriptor, payload: Buffer): boolean {
  return begins && ((payload[size] ?? 1) & 1) === 0;
}

/** A copy of the payload with other numbers. */
export function movedFrame(
  payload: Buffer,
  { numbers, pictureAt, wide, layerAt }: Vp8Descriptor,
  by: { readonly picture: number; readonly layer: number },
): Buffer {
  if (by.picture === 0 && by.layer === 0) return payload;
  const moved = Buffer.from(payload);
  if (pictureAt !== undefined && numbers.picture !== undefined) {
    if (wide) moved.writeUInt16BE(((numbers.picture + by.picture) & 0x7fff) | 0x8000, pictureAt);
    else moved[pictureAt] = (numbers.picture + by.picture) & 0x7f;
  }
  if (layerAt !== undefined && numbers.layer !== undefined)
    moved[layerAt] = (numbers.layer + by.layer) & 0xff;
  return moved;
}
