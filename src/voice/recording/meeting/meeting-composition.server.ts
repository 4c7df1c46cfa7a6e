import { stat } from 'node:fs/promises';
import { VIDEO_SIZE } from '../picture-file.server.ts';
import {
  AS_VIDEO,
  ENCODED,
  FRAMES_PER_SECOND,
  FROM_CAMERA,
  FROM_DISK,
  fittedTo,
  GROUND,
  produce,
  QUIETLY,
} from '../video-composition.server.ts';
import { type CompositionPlan, largestOf, type Placement } from './composition-plan.server.ts';
import type { TrackFiles } from './track-files.server.ts';

/** What the video of a meeting is made of. */
export interface MeetingParts {
  readonly program: string;
  /** The people who were recorded with a camera, by their numbers. */
  readonly tracks: ReadonlyMap<number, TrackFiles>;
  readonly plan: CompositionPlan;
  readonly sound: string;
  readonly video: string;
  /** Length of the sound. */
  readonly seconds: number;
}

/**
 * Most bytes of a person's fitted picture, which is only an intermediate file: enough for a restless hour.
 */
const MOST_FITTED = 4 * 1024 * 1024 * 1024;
/**
 * Bit rate of the whole video: an hour with its sound stays below the store's limit (LIMITS.recordingBytes).
 */
const WITHIN_THE_STORE = ['-maxrate', '1000k', '-bufsize', '4000k'];

/** A person's picture in one size, and where it is shown. */
interface Fitted {
  readonly file: string;
  readonly placements: readonly Placement[];
}

/**
 * Composes the pictures and the sound of a meeting into one MP4 file. Each camera's picture is first brought
 * to one size, since cameras change theirs at any time; then all pictures are laid on the ground.
 *
 * @returns why it could not be done; undefined where it was
 * @throws the reason that `signal` was aborted with
 */
export async function composeMeeting(
  { program, tracks, plan, sound, video, seconds }: MeetingParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const all: Fitted[] = [];
  for (const [number, { picture, fitted: file }] of tracks) {
    const placements = plan.get(number) ?? [];
    if (placements.length === 0) continue;
    const words = [
      ...[...QUIETLY, ...FROM_CAMERA, '-i', picture, '-map', '0:v:0', '-vf', fittedTo(largestOf(placements))],
      ...[...ENCODED, '-crf', '20', '-fs', String(MOST_FITTED), '-f', 'matroska'],
    ];
    // An earlier process may already have fitted this picture.
    const isThere = await stat(file).catch(() => undefined);
    const failure = isThere
      ? undefined
      : await produce({ program, words, file, seconds, most: MOST_FITTED }, signal);
    if (failure !== undefined) return failure;
    all.push({ file, placements });
  }
  return produce({ program, words: wordsFor(all, sound, seconds), file: video, seconds }, signal);
}

/** The ground is the first input, then the sound, then the pictures. */
function wordsFor(all: readonly Fitted[], sound: string, seconds: number): string[] {
  const { width, height } = VIDEO_SIZE;
  const ground = `color=c=${GROUND}:s=${width}x${height}:r=${FRAMES_PER_SECOND}:d=${seconds}`;
  return [
    ...[...QUIETLY, '-f', 'lavfi', '-i', ground],
    ...[...FROM_DISK, '-f', 'wav', '-i', sound],
    ...all.flatMap(({ file }) => [...FROM_DISK, '-f', 'matroska', '-i', file]),
    ...[
      '-filter_complex',
      graphOf(all),
      '-map',
      '[whole]',
      '-map',
      '1:a:0',
      ...WITHIN_THE_STORE,
      ...AS_VIDEO,
    ],
  ];
}

/** The filter graph: each placement of each picture is overlaid on the result so far, while it is shown. */
function graphOf(all: readonly Fitted[]): string {
  const parts: string[] = [];
  let below = '0:v';
  for (const [index, { placements }] of all.entries()) {
    const copies = placements.map((_, at) => `[p${index}_${at}]`);
    parts.push(`[${index + 2}:v]split=${placements.length}${copies.join('')}`);
    for (const [at, { box, spans }] of placements.entries()) {
      const shown = spans.map(([from, to]) => `gte(t,${from})*lt(t,${to})`).join('+');
      const [tile, laid] = [`t${index}_${at}`, `l${index}_${at}`];
      parts.push(`${copies[at]}scale=${box.width}:${box.height},setsar=1[${tile}]`);
      parts.push(`[${below}][${tile}]overlay=${box.x}:${box.y}:enable='${shown}'[${laid}]`);
      below = laid;
    }
  }
  return [...parts, `[${below}]format=yuv420p[whole]`].join(';');
}
