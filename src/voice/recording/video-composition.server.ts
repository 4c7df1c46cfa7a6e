import { spawn } from 'node:child_process';
import { open, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { LIMITS } from '../../kernel/contract/limits.ts';
import { VIDEO_SIZE } from './picture-file.server.ts';

/** The picture and the sound of a recording, and the file for their video. */
export interface CompositionParts {
  /** The program: `ffmpeg`, or its path. */
  readonly program: string;
  readonly picture: string;
  readonly sound: string;
  readonly video: string;
  /** Length of the sound, seconds; it determines how long the program may take. */
  readonly seconds: number;
}

/** The ground of the recording (docs/contracts/voice.md §8). */
export const GROUND = '0x1F2D3D';
export const FRAMES_PER_SECOND = 25;
/** Bytes that the program may write after its limit: the frame at hand, and the index of an hour. */
const INDEX_BYTES = 12 * 1024 * 1024;
/** The program is told to stop at this size. A video that reaches it is incomplete and not used. */
const MOST_BYTES = LIMITS.recordingBytes - INDEX_BYTES;
/**
 * The program needs about a seventh of the recording's length on a free core; it gets six times the length
 * plus a minute, for busy machines.
 */
const PATIENCE = 6;
const MINUTE_MS = 60_000;
const MOST_TOLD = 500;
/** Filters that fit a picture into a size without stretching it, with the ground around it. */
export const fittedTo = ({ width, height }: { readonly width: number; readonly height: number }): string =>
  [
    `scale=${width}:${height}:force_original_aspect_ratio=decrease`,
    `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:color=${GROUND}`,
    'setsar=1',
    `fps=${FRAMES_PER_SECOND}`,
    'format=yuv420p',
  ].join(',');
/** Options before each input: it is a file on the disk, and is decoded by one thread. */
export const FROM_DISK = ['-protocol_whitelist', 'file', '-threads', '1'];
/** Options before a camera's input: only the expected format, and no picture too large for the memory. */
export const FROM_CAMERA = [...FROM_DISK, '-max_pixels', String(1920 * 1920), '-f', 'matroska'];
/** Options that the program is started with. */
export const QUIETLY = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y'];
/** How pictures are encoded: by the fastest preset, by one thread. */
export const ENCODED = ['-c:v', 'libx264', '-preset', 'ultrafast', '-threads', '1'];
/** How a video is written once its pictures and sound are chosen. */
export const AS_VIDEO = [
  ...[...ENCODED, '-crf', '27'],
  ...['-c:a', 'aac', '-b:a', '96k', '-ar', '48000'],
  ...['-movflags', '+faststart', '-fs', String(MOST_BYTES), '-f', 'mp4'],
];

/**
 * Composes picture and sound into one MP4 file (H.264, AAC), in a separate process with the lowest priority.
 * The file appears whole or not at all.
 *
 * @returns why it could not be done; undefined where it was
 * @throws the reason that `signal` was aborted with
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
  /** The program's arguments, without the name of the output file. */
  readonly words: readonly string[];
  readonly file: string;
  /** Length of the output, seconds; it determines how long the program may take. */
  readonly seconds: number;
  /**
   * Size at which the program was told to stop, bytes: an output that reaches it is incomplete. Where it is
   * missing, the store's limit applies.
   */
  readonly most?: number;
}

/**
 * Has the program write a file, which appears whole or not at all.
 *
 * @returns why it could not be done; undefined where it was
 * @throws the reason that `signal` was aborted with
 */
export async function produce(
  { program, words, file, seconds, most = MOST_BYTES }: Production,
  signal: AbortSignal,
): Promise<string | undefined> {
  const unfinished = `${file}.part`;
  // A program that outlived its process may still write to the unfinished file; once it is removed, that does
  // no harm.
  await rm(unfinished, { force: true });
  const limits = AbortSignal.any([signal, AbortSignal.timeout(MINUTE_MS + PATIENCE * seconds * 1000)]);
  const failure =
    (await run(program, [...words, unfinished], limits)) ?? (await finish(unfinished, file, most));
  if (failure !== undefined) await rm(unfinished, { force: true });
  signal.throwIfAborted();
  return failure;
}

/** Renames the output once all of it is on the disk. Returns why it cannot be used, or undefined. */
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
      // A program that did start also reports its end below.
      if (error.name === 'AbortError') told = 'it took too long';
      else resolve(error.code === 'ENOENT' ? `${program} is not installed` : String(error));
    });
    child.on('close', (code) =>
      resolve(code === 0 ? undefined : `${program} ended with ${code ?? 'a signal'}: ${told.trim()}`),
    );
  });
}

/** Calls in progress come first. */
function yieldToOthers(pid: number): void {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_LOW);
  } catch {
    // The program has ended already, or the service may not change priorities (deploy/northline.service); it
    // uses one thread at most.
  }
}
