/** A frame of a WebM file with one track: its time in milliseconds, and whether it is a key frame. */
export interface WebmFrame {
  readonly at: number;
  readonly keyframe: boolean;
  readonly bytes: Buffer;
}

/** What a player finds in a WebM file, even in one that was cut off: complete frames only. */
export interface WebmFile {
  readonly docType: string;
  readonly codec: string;
  readonly size: readonly [width: number, height: number];
  /** Milliseconds. */
  readonly duration: number;
  readonly frames: readonly WebmFrame[];
}

const CONTAINERS = new Set([0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0xe0, 0x1f43b675]);
const UNKNOWN = 0xff_ffff_ffff_ffffn;

/** Reads elements one after another (RFC 8794), and enters those that contain others. */
function* elements(file: Buffer): Generator<{ id: number; body: Buffer }> {
  let at = 0;
  while (at < file.length) {
    const idBytes = Math.clz32(file[at] ?? 0) - 23;
    const sizeAt = at + idBytes;
    const sizeBytes = Math.clz32(file[sizeAt] ?? 0) - 23;
    const bodyAt = sizeAt + sizeBytes;
    if (idBytes > 4 || sizeBytes > 8 || bodyAt > file.length) return;
    const id = file.readUIntBE(at, idBytes);
    const marked = BigInt(`0x${file.subarray(sizeAt, bodyAt).toString('hex')}`);
    const size = marked & ((1n << BigInt(7 * sizeBytes)) - 1n);
    if (CONTAINERS.has(id)) {
      yield { id, body: Buffer.alloc(0) };
      at = bodyAt;
      continue;
    }
    const end = bodyAt + Number(size);
    if (size === UNKNOWN || end > file.length) return;
    yield { id, body: file.subarray(bodyAt, end) };
    at = end;
  }
}

/** Reads a WebM file with one video track. */
export function readWebm(file: Buffer): WebmFile {
  const found = new Map<number, Buffer>();
  const frames: WebmFrame[] = [];
  let clusterAt = 0;
  for (const { id, body } of elements(file)) {
    if (id === 0xe7) clusterAt = Number(body.readBigUInt64BE());
    else if (id === 0xa3)
      frames.push({
        at: clusterAt + body.readInt16BE(1),
        keyframe: ((body[3] ?? 0) & 0x80) !== 0,
        bytes: body.subarray(4),
      });
    else found.set(id, body);
  }
  const number = (id: number): number => Number(found.get(id)?.readBigUInt64BE() ?? 0);
  return {
    docType: String(found.get(0x4282)),
    codec: String(found.get(0x86)),
    size: [number(0xb0), number(0xba)],
    duration: found.get(0x4489)?.readDoubleBE() ?? 0,
    frames,
  };
}
