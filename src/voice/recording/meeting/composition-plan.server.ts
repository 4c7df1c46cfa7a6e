import { VIDEO_SIZE } from '../picture-file.server.ts';
import type { RecordedPerson, Scene } from './meeting-record.contract.ts';

/** Where a person's picture is in the recording's, pixels; all even, as the encoder requires. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** From when until when, seconds; the end is excluded. */
export type Span = readonly [from: number, to: number];

/** One place of a person's picture, and when it is shown there. */
export interface Placement {
  readonly box: Box;
  readonly spans: readonly Span[];
}

/** What a recording shows: the placements of each person, by the numbers of their tracks. */
export type CompositionPlan = ReadonlyMap<number, readonly Placement[]>;

const WHOLE: Box = { x: 0, y: 0, ...VIDEO_SIZE };
const even = (pixels: number): number => Math.floor(pixels / 2) * 2;

/** Tiles of one size, 16 to 9, in centred rows; the last row may have fewer. */
export function gridOf(tiles: number): Box[] {
  const columns = Math.max(1, Math.ceil(Math.sqrt(tiles)));
  const rows = Math.ceil(tiles / columns);
  const width = even(VIDEO_SIZE.width / columns);
  const height = even((width * VIDEO_SIZE.height) / VIDEO_SIZE.width + 1);
  const top = even((VIDEO_SIZE.height - rows * height) / 2);
  return Array.from({ length: tiles }, (_, at) => {
    const row = Math.floor(at / columns);
    const inRow = Math.min(columns, tiles - row * columns);
    const left = even((VIDEO_SIZE.width - inRow * width) / 2);
    return { x: left + (at % columns) * width, y: top + row * height, width, height };
  });
}

/**
 * What a recording shows at each time: either everybody who is recorded has a tile while they are present, or
 * one person fills it, as the scenes say. The tile of somebody without a picture shows the ground.
 *
 * @param seconds length of the recording; somebody without an end stays until then
 */
export function planComposition(
  recorded: readonly RecordedPerson[],
  scenes: readonly Scene[],
  seconds: number,
): CompositionPlan {
  const people = recorded.filter(({ voice_only: isVoice }) => isVoice !== true);
  const ends = people.map(({ to }) => Math.min(to ?? seconds, seconds));
  const moments = [0, seconds, ...people.map(({ from }) => from), ...ends, ...scenes.map(({ at }) => at)];
  const times = [...new Set(moments)]
    .filter((time) => time >= 0 && time <= seconds)
    .sort((one, other) => one - other);
  const plan = new Map<number, { box: Box; spans: Span[] }[]>();
  for (const [index, begin] of times.slice(0, -1).entries()) {
    const end = times[index + 1] ?? seconds;
    const inside = people
      .filter(({ from }, at) => from <= begin && (ends[at] ?? 0) >= end)
      .map(({ number }) => number)
      .sort((one, other) => one - other);
    for (const [number, box] of boxesOf(
      scenes.findLast(({ at }) => at <= begin),
      inside,
    ))
      place(plan, number, box, [begin, end]);
  }
  return plan;
}

/** The largest box of a person: their picture is never needed larger. */
export function largestOf(placements: readonly Placement[]): Box {
  return placements
    .map(({ box }) => box)
    .reduce((one, other) => (other.width > one.width ? other : one), placements[0]?.box ?? WHOLE);
}

function boxesOf(scene: Scene | undefined, inside: readonly number[]): (readonly [number, Box])[] {
  const { layout, shown, most } = scene ?? { layout: 'grid' };
  if (layout !== 'grid') return inside.filter((number) => number === shown).map((number) => [number, WHOLE]);
  const shownHere = inside.slice(0, most);
  const boxes = gridOf(shownHere.length);
  return shownHere.map((number, at) => [number, boxes[at] ?? WHOLE]);
}

function place(
  plan: Map<number, { box: Box; spans: Span[] }[]>,
  number: number,
  box: Box,
  [begin, end]: Span,
): void {
  const placements = plan.get(number) ?? [];
  plan.set(number, placements);
  const known = placements.find(
    ({ box: { x, y, width } }) => x === box.x && y === box.y && width === box.width,
  );
  const last = known?.spans.at(-1);
  if (known === undefined) placements.push({ box, spans: [[begin, end]] });
  else if (last?.[1] === begin) known.spans[known.spans.length - 1] = [last[0], end];
  else known.spans.push([begin, end]);
}
