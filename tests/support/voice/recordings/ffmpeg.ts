import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Whether this machine has ffmpeg and ffprobe (Debian: `apt-get install ffmpeg`); without them, tests that
 * need them are skipped.
 */
export const HAS_FFMPEG = ['ffmpeg', 'ffprobe'].every((program) =>
  (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program))),
);

/** A video's properties, as ffprobe reports them. */
export interface ProbedVideo {
  /** Codecs with the size of the picture, e.g. `h264 1280x720`. */
  readonly streams: readonly string[];
  readonly seconds: number;
}

/** @throws Error when the file is not a video */
export async function probe(file: string): Promise<ProbedVideo> {
  const { stdout } = await run('ffprobe', [
    ...[
      '-v',
      'error',
      '-of',
      'json',
      '-show_entries',
      'format=duration:stream=codec_name,width,height',
      file,
    ],
  ]);
  const { streams, format } = JSON.parse(stdout) as {
    streams: { codec_name: string; width?: number; height?: number }[];
    format: { duration: string };
  };
  return {
    streams: streams.map(({ codec_name: codec, width, height }) =>
      width === undefined ? codec : `${codec} ${width}x${height}`,
    ),
    seconds: Number(format.duration),
  };
}

/** The colour of a video at a point and a time, each part from 0 to 255. */
export async function colourAt(
  file: string,
  seconds: number,
  [x, y]: readonly [x: number, y: number],
): Promise<[red: number, green: number, blue: number]> {
  const { stdout } = await run(
    'ffmpeg',
    [
      ...['-v', 'error', '-ss', String(seconds), '-i', file, '-frames:v', '1'],
      ...['-vf', `crop=2:2:${x}:${y}`, '-pix_fmt', 'rgb24', '-f', 'rawvideo', 'pipe:1'],
    ],
    { encoding: 'buffer' },
  );
  return [stdout[0] ?? -1, stdout[1] ?? -1, stdout[2] ?? -1];
}
