import { type FileHandle, open } from 'node:fs/promises';
import { LIMITS } from '../../kernel/contract/limits.ts';

/** Width and height of recordings (docs/contracts/voice.md §8). */
export const VIDEO_SIZE = { width: 1280, height: 720 } as const;

/** Ids of the WebM elements that are written (RFC 9559, Matroska). */
const ID = {
  header: 0x1a45dfa3,
  headerVersion: 0x4286,
  headerReadVersion: 0x42f7,
  longestId: 0x42f2,
  longestSize: 0x42f3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  lacing: 0x9c,
  codec: 0x86,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
} as const;
/** Nanoseconds of a tick: times are in milliseconds. */
const TICK = 1_000_000;
/** The size of an element that extends to the end of the file (RFC 8794 §6.2). */
const TO_THE_END = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
/** Track 1, a time of 16 bits, and flags. */
const BLOCK_HEADER = 4;
const KEYFRAME_FLAG = 0x80;
/** Milliseconds of a cluster; the times of its blocks count from its own, in 16 bits. */
const CLUSTER_MS = 1000;
const NAME = Buffer.from('northline');
/**
 * Bytes that stay free for a last frame, the largest that a camera sends, for a frame of the ground, and for
 * the headers of clusters.
 */
const SPARE_BYTES = 2 * 1024 * 1024;

/**
 * The picture of a call while it is recorded: WebM with one VP8 track, written cluster by cluster. The file
 * can be played at any moment, also after the process was killed.
 */
export class PictureFile {
  readonly #file: FileHandle;
  readonly #most: number;
  #bytes: number;
  /** Bytes of all frames that were added. */
  #added = 0;
  /** Clusters that wait to be written, and the blocks of the present one. */
  #clusters: Buffer[] = [];
  #blocks: Buffer[] = [];
  #clusterAt = 0;
  #lastAt = -1;

  private constructor(file: FileHandle, bytes: number, most: number) {
    this.#file = file;
    this.#bytes = bytes;
    this.#most = most;
  }

  /**
   * @param most most bytes of the file: a larger one could not be stored
   * @throws Error of the file system, also when the file exists
   */
  static async create(path: string, most: number = LIMITS.recordingBytes): Promise<PictureFile> {
    const file = await open(path, 'wx', 0o600);
    const head = headOf(0);
    await file.write(head, 0, head.length, 0);
    return new PictureFile(file, head.length, most);
  }

  /** Whether there is space for one more frame only. */
  get isFull(): boolean {
    return this.#added > this.#most - SPARE_BYTES;
  }

  /** Bytes that wait to be written. */
  get waiting(): number {
    return [...this.#clusters, ...this.#blocks].reduce((sum, { length }) => sum + length, 0);
  }

  /**
   * Queues a frame of VP8 for the next write; times never go back.
   *
   * @param at milliseconds from the beginning
   */
  add(frame: { readonly bytes: Buffer; readonly keyframe: boolean }, at: number): void {
    const time = Math.max(this.#lastAt + 1, Math.round(at));
    this.#lastAt = time;
    if (time - this.#clusterAt >= CLUSTER_MS) this.#seal();
    if (this.#blocks.length === 0) this.#clusterAt = time;
    const head = Buffer.alloc(BLOCK_HEADER);
    head[0] = 0x81;
    head.writeInt16BE(time - this.#clusterAt, 1);
    head[3] = frame.keyframe ? KEYFRAME_FLAG : 0;
    const block = element(ID.simpleBlock, head, frame.bytes);
    this.#blocks.push(block);
    this.#added += block.length;
  }

  /** Writes the queued frames. Only one write may run at a time. */
  async write(): Promise<void> {
    this.#seal();
    if (this.#clusters.length === 0) return;
    const added = Buffer.concat(this.#clusters.splice(0));
    const head = headOf(this.#lastAt + 1);
    await this.#file.write(added, 0, added.length, this.#bytes);
    this.#bytes += added.length;
    // The duration in the header is updated after the clusters, so that it never promises what is not there.
    await this.#file.write(head, 0, head.length, 0);
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #seal(): void {
    if (this.#blocks.length === 0) return;
    const blocks = this.#blocks.splice(0);
    this.#clusters.push(element(ID.cluster, number(ID.timestamp, this.#clusterAt), ...blocks));
  }
}

/** Everything before the first cluster. Its length is fixed, since it is written again and again. */
function headOf(duration: number): Buffer {
  const seconds = Buffer.alloc(8);
  seconds.writeDoubleBE(duration);
  return Buffer.concat([
    element(
      ID.header,
      number(ID.headerVersion, 1),
      number(ID.headerReadVersion, 1),
      number(ID.longestId, 4),
      number(ID.longestSize, 8),
      element(ID.docType, Buffer.from('webm')),
      number(ID.docTypeVersion, 4),
      number(ID.docTypeReadVersion, 2),
    ),
    idOf(ID.segment),
    TO_THE_END,
    element(
      ID.info,
      number(ID.timestampScale, TICK),
      element(ID.duration, seconds),
      element(ID.muxingApp, NAME),
      element(ID.writingApp, NAME),
    ),
    element(
      ID.tracks,
      element(
        ID.trackEntry,
        number(ID.trackNumber, 1),
        number(ID.trackUid, 1),
        number(ID.trackType, 1),
        number(ID.lacing, 0),
        element(ID.codec, Buffer.from('V_VP8')),
        element(ID.video, number(ID.width, VIDEO_SIZE.width), number(ID.height, VIDEO_SIZE.height)),
      ),
    ),
  ]);
}

function element(id: number, ...parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  // A size always takes eight bytes, which its first byte says (RFC 8794 §4.3).
  const size = Buffer.alloc(8);
  size.writeUIntBE(length, 2, 6);
  size[0] = 0x01;
  return Buffer.concat([idOf(id), size, ...parts]);
}

function number(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return element(id, bytes);
}

/** An id as bytes, without leading zeros. */
function idOf(id: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(id);
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0));
}
