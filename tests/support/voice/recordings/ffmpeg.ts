import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whether this machine has ffmpeg and ffprobe (Debian: `apt-get install ffmpeg`); what needs them is skipped without. */
export const HAS_FFMPEG = ['ffmpeg', 'ffprobe'].every((program) =>
  (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program))),
);

/** What a video is, as ffprobe finds it. */
export interface ProbedVideo {
  /** Codecs with the size of pictures, e.g. `h264 1280x720`. */
  readonly streams: readonly string[];
  readonly seconds: number;
}

/** @throws Error where the file is none */
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

/** The colour of a point of a video at a time, from 0 to 255 each. */
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
