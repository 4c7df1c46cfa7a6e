import { spawn } from 'node:child_process';
import { open, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { LIMITS } from '../../kernel/contract/limits.ts';
import { VIDEO_SIZE } from './picture-file.server.ts';

/** Picture and sound of a recording, and where the video of them goes. */
export interface CompositionParts {
  /** The program: `ffmpeg`, or where it is. */
  readonly program: string;
  readonly picture: string;
  readonly sound: string;
  readonly video: string;
  /** Length of the sound, which says how long it may take. */
  readonly seconds: number;
}

/** The ground of the recording (docs/contracts/voice.md §8). */
export const GROUND = '0x1F2D3D';
export const FRAMES_PER_SECOND = 25;
/** What comes after the program was told to end: the frame at hand, and the index of an hour. */
const INDEX_BYTES = 12 * 1024 * 1024;
/** At these the program ends the video, and what it ends so is none. */
const MOST_BYTES = LIMITS.recordingBytes - INDEX_BYTES;
/** It takes a seventh of the length on a free core; a busy machine gets this many times the length, and a minute. */
const PATIENCE = 6;
const MINUTE_MS = 60_000;
const MOST_TOLD = 500;
/** The picture keeps its form: it is fitted into a size, and the ground is around it. */
export const fittedTo = ({ width, height }: { readonly width: number; readonly height: number }): string =>
  [
    `scale=${width}:${height}:force_original_aspect_ratio=decrease`,
    `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:color=${GROUND}`,
    'setsar=1',
    `fps=${FRAMES_PER_SECOND}`,
    'format=yuv420p',
  ].join(',');
/** Before each input: it is read from the disk, by one thread. */
export const FROM_DISK = ['-protocol_whitelist', 'file', '-threads', '1'];
/** Before what somebody's camera sent: it is what it is to be, and of a size that memory has room for. */
export const FROM_CAMERA = [...FROM_DISK, '-max_pixels', String(1920 * 1920), '-f', 'matroska'];
/** How the program is begun. */
export const QUIETLY = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y'];
/** How pictures are encoded: as fast as it goes, by one thread. */
export const ENCODED = ['-c:v', 'libx264', '-preset', 'ultrafast', '-threads', '1'];
/** How a video is written whose pictures and sound were chosen. */
export const AS_VIDEO = [
  ...[...ENCODED, '-crf', '27'],
  ...['-c:a', 'aac', '-b:a', '96k', '-ar', '48000'],
  ...['-movflags', '+faststart', '-fs', String(MOST_BYTES), '-f', 'mp4'],
];

/**
 * Puts picture and sound together to one MP4 file (H.264, AAC), by a program of its own with the lowest priority. The
 * file is there whole or not at all.
 *
 * @returns why it could not be done; undefined where it was
 * @throws what `signal` was ended with
 */
export function composeVideo(
  { program, picture, sound, video, seconds }: CompositionParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const words = [
    ...[...QUIETLY, ...FROM_CAMERA, '-i', picture],
    ...[...FROM_DISK, '-f', 'wav', '-i', sound],
    ...['-map', '0:v:0', '-map', '1:a:0', '-vf', fittedTo(VIDEO_SIZE), ...AS_VIDEO],
  ];
  return produce({ program, words, file: video, seconds }, signal);
}

/** One run of the program. */
export interface Production {
  readonly program: string;
  /** All but the name of what it writes. */
  readonly words: readonly string[];
  readonly file: string;
  /** Length of what it writes, which says how long it may take. */
  readonly seconds: number;
  /** Bytes at which the program was told to end, and what is ended so is none; what can be stored where it is missing. */
  readonly most?: number;
}

/**
 * Has the program write a file, which is there whole or not at all.
 *
 * @returns why it could not be done; undefined where it was
 * @throws what `signal` was ended with
 */
export async function produce(
  { program, words, file, seconds, most = MOST_BYTES }: Production,
  signal: AbortSignal,
): Promise<string | undefined> {
  const unfinished = `${file}.part`;
  // A program that outlived its process may still write to the one before: from now on to nothing.
  await rm(unfinished, { force: true });
  const limits = AbortSignal.any([signal, AbortSignal.timeout(MINUTE_MS + PATIENCE * seconds * 1000)]);
  const failure =
    (await run(program, [...words, unfinished], limits)) ?? (await finish(unfinished, file, most));
  if (failure !== undefined) await rm(unfinished, { force: true });
  signal.throwIfAborted();
  return failure;
}

/** Gives what was written its name when the disk has all of it. Returns why it is no video. */
async function finish(unfinished: string, video: string, most: number): Promise<string | undefined> {
  const written = await open(unfinished, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (written === undefined) return 'no video was written';
  try {
    const { size } = await written.stat();
    if (size === 0) return 'no video was written';
    if (size >= most) return 'the video would be larger than is stored';
    await written.sync();
  } finally {
    await written.close();
  }
  await rename(unfinished, video);
  const folder = await open(path.dirname(video), 'r');
  await folder.sync().finally(() => folder.close());
}

function run(program: string, words: string[], signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH },
      signal,
      killSignal: 'SIGKILL',
    });
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (words: string) => {
      told = (told + words).slice(-MOST_TOLD);
    });
    if (child.pid !== undefined) yieldToOthers(child.pid);
    child.on('error', (error: NodeJS.ErrnoException) => {
      // One that was begun closes, too.
      if (error.name === 'AbortError') told = 'it took too long';
      else resolve(error.code === 'ENOENT' ? `${program} is not installed` : String(error));
    });
    child.on('close', (code) =>
      resolve(code === 0 ? undefined : `${program} ended with ${code ?? 'a signal'}: ${told.trim()}`),
    );
  });
}

/** Calls that go on come first. */
function yieldToOthers(pid: number): void {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the service may not (deploy/northline.service): one thread of it is all there is.
  }
}
