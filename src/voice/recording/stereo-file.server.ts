import { type FileHandle, open } from 'node:fs/promises';
import { WAVE_HEADER, waveHeader } from '@northline/speech/wave-file';

/** Samples a second, and bytes of one sample for both sides. */
const RATE = 16_000;
const BOTH = 4;

/** Length of `bytes` of stereo sound, seconds. */
export const secondsOf = (bytes: number): number => Math.max(0, bytes - WAVE_HEADER) / (RATE * BOTH);

/** How a file of sound begins. */
interface SoundForm {
  /** 2 for both sides of a call, 1 for one person of a meeting. */
  readonly channels: 1 | 2;
  /** Milliseconds of silence before the first sample; they are a hole in the file and use no disk. */
  readonly from: number;
}

/** A file of sound while it is written. It can be played at any moment, also after the process was killed. */
export class StereoFile {
  readonly channels: 1 | 2;
  readonly #file: FileHandle;
  #bytes: number;

  private constructor(file: FileHandle, { channels, from }: SoundForm) {
    this.#file = file;
    this.channels = channels;
    this.#bytes = Math.round((from * RATE) / 1000) * 2 * channels;
  }

  /** @throws Error of the file system, also when the file exists */
  static async create(path: string, form: SoundForm = { channels: 2, from: 0 }): Promise<StereoFile> {
    const file = await open(path, 'wx', 0o600);
    await file.write(waveHeader(form.channels, 0), 0, WAVE_HEADER, 0);
    return new StereoFile(file, form);
  }

  /**
   * Appends samples; with two channels they alternate. The header is updated after them, so that it never
   * promises what is not there.
   */
  async add(samples: Int16Array): Promise<void> {
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    await this.#file.write(bytes, 0, bytes.length, WAVE_HEADER + this.#bytes);
    this.#bytes += bytes.length;
    await this.#file.write(waveHeader(this.channels, this.#bytes), 0, WAVE_HEADER, 0);
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/**
 * Closes the file of a process that was killed: corrects its header to what is there. Returns its size in
 * bytes.
 */
export async function mendStereoFile(path: string): Promise<number> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const data = Math.max(0, Math.floor((size - WAVE_HEADER) / BOTH) * BOTH);
    await file.truncate(WAVE_HEADER + data);
    await file.write(waveHeader(2, data), 0, WAVE_HEADER, 0);
    await file.datasync();
    return WAVE_HEADER + data;
  } finally {
    await file.close();
  }
}

/** The parts of a recording that can be heard. */
export type RecordedPart = 'stereo' | 'mono' | 'customer' | 'assistant';

/** One part of a stereo file as a WAVE file: both sides, both mixed into one, or one of them. */
export async function* partOf(
  stereo: AsyncIterable<Buffer>,
  bytes: number,
  part: RecordedPart,
): AsyncGenerator<Buffer> {
  if (part === 'stereo') {
    yield* stereo;
    return;
  }
  const data = bytes - WAVE_HEADER;
  yield waveHeader(1, data / 2);
  let rest: Buffer = Buffer.alloc(0);
  let skip = WAVE_HEADER;
  for await (const piece of stereo) {
    const skipped = Math.min(skip, piece.length);
    skip -= skipped;
    const all = Buffer.concat([rest, piece.subarray(skipped)]);
    const whole = all.length - (all.length % BOTH);
    yield oneSide(all.subarray(0, whole), part);
    rest = all.subarray(whole);
  }
}

function oneSide(both: Buffer, part: Exclude<RecordedPart, 'stereo'>): Buffer {
  const out = Buffer.alloc(both.length / 2);
  for (let at = 0; at < both.length; at += BOTH) {
    const [left, right] = [both.readInt16LE(at), both.readInt16LE(at + 2)];
    const one = part === 'customer' ? left : right;
    out.writeInt16LE(part === 'mono' ? Math.round((left + right) / 2) : one, at / 2);
  }
  return out;
}
