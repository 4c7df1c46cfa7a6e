import { type FileHandle, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { WAVE_HEADER, waveHeader } from '@northline/speech/wave-file';

/** The files of one person of a recorded meeting on this machine. */
export interface TrackFiles {
  readonly sound: string;
  /** What their camera showed. */
  readonly picture: string;
  /** The picture in one size, while the recording is being composed. */
  readonly fitted: string;
}

/** The files of one person's tracks in a recording, beside the recording's other files. */
export function trackFiles(folder: string, recordingId: string, number: number): TrackFiles {
  const file = (type: string): string => path.join(folder, `${recordingId}.${number}.${type}`);
  return { sound: file('wav'), picture: file('webm'), fitted: file('mkv') };
}

/** The numbers of a recording's tracks of one type on this machine, in order. */
export async function trackNumbers(
  folder: string,
  recordingId: string,
  type: 'wav' | 'webm',
): Promise<number[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  const ending = new RegExp(`^${recordingId}\\.(\\d+)\\.${type}$`);
  return names
    .flatMap((name) => ending.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => one - other);
}

/** Samples that are mixed at a time: one second. */
const PIECE = 16_000;

/**
 * Mixes the voices of a meeting into the sound of its recording, the same on both sides; sums that are too
 * loud are limited. A file that a killed process left incomplete counts as far as it goes.
 *
 * @throws Error of the file system
 */
export async function mixTracks(tracks: readonly string[], mixed: string): Promise<void> {
  const files: FileHandle[] = [];
  const out = await open(mixed, 'w', 0o600);
  try {
    for (const track of tracks) files.push(await open(track, 'r'));
    let bytes = 0;
    for (let at = WAVE_HEADER; ; at += PIECE * 2) {
      const piece = await mixPiece(files, at);
      if (piece.length === 0) break;
      await out.write(piece, 0, piece.length, WAVE_HEADER + bytes);
      bytes += piece.length;
    }
    await out.write(waveHeader(2, bytes), 0, WAVE_HEADER, 0);
    await out.datasync();
  } finally {
    for (const file of [out, ...files]) await file.close();
  }
}

/**
 * Both sides of one second of all tracks, from a place in the files on; empty where no track is that long.
 */
async function mixPiece(files: readonly FileHandle[], at: number): Promise<Buffer> {
  const sum = new Int32Array(PIECE);
  let samples = 0;
  for (const file of files) {
    const piece = Buffer.alloc(PIECE * 2);
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    const read = Math.floor(bytesRead / 2);
    for (let n = 0; n < read; n += 1) sum[n] = (sum[n] ?? 0) + piece.readInt16LE(2 * n);
    samples = Math.max(samples, read);
  }
  const both = Buffer.alloc(samples * 4);
  for (let n = 0; n < samples; n += 1) {
    const sample = Math.max(-32_768, Math.min(32_767, sum[n] ?? 0));
    both.writeInt16LE(sample, 4 * n);
    both.writeInt16LE(sample, 4 * n + 2);
  }
  return both;
}
