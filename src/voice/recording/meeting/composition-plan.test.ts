import { expect, test } from 'vitest';
import { VIDEO_SIZE } from '../picture-file.server.ts';
import { gridOf, largestOf, type Placement, planComposition } from './composition-plan.server.ts';
import type { RecordedPerson } from './meeting-record.contract.ts';

const person = (number: number, from: number, to: number | null): RecordedPerson => ({
  ...{ number, session_id: `s${number}`, user_id: `u${number}`, user_name: `Person ${number}` },
  ...{ from, to },
});
const GRID = [{ at: 0, layout: 'grid' }] as const;
/** Placements as `width × height @ x, y: spans`. */
const words = (placements: readonly Placement[] = []): string[] =>
  placements.map(
    ({ box: { x, y, width, height }, spans }) =>
      `${width}x${height}@${x},${y} ${spans.map(([from, to]) => `${from}-${to}`).join(' ')}`,
  );

test.each([
  [1, ['1280x720@0,0']],
  [2, ['640x360@0,180', '640x360@640,180']],
  [3, ['640x360@0,0', '640x360@640,0', '640x360@320,360']],
  [4, ['640x360@0,0', '640x360@640,0', '640x360@0,360', '640x360@640,360']],
  [5, ['426x240@0,120', '426x240@426,120', '426x240@852,120', '426x240@214,360', '426x240@640,360']],
])('%i people have tiles of one size in rows that are in the middle', (people, boxes) => {
  expect(gridOf(people).map(({ x, y, width, height }) => `${width}x${height}@${x},${y}`)).toEqual(boxes);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'the tiles of %i people are within the picture, of even pixels, and none on another',
  (people) => {
    const boxes = gridOf(people);
    expect(boxes).toHaveLength(people);
    for (const [at, { x, y, width, height }] of boxes.entries()) {
      expect([x, y, width, height].filter((pixels) => pixels % 2 !== 0 || pixels < 0)).toEqual([]);
      expect(x + width <= VIDEO_SIZE.width && y + height <= VIDEO_SIZE.height).toBe(true);
      const others = boxes.slice(at + 1);
      const on = others.filter(
        (other) => x < other.x + width && other.x < x + width && y < other.y + height && other.y < y + height,
      );
      expect(on).toEqual([]);
    }
  },
);

test('nobody has no tile, and who comes and goes changes the tiles of all from that moment on', () => {
  expect(planComposition([], GRID, 10).size).toBe(0);
  const plan = planComposition([person(1, 0, null), person(2, 4, 8)], GRID, 10);
  expect(words(plan.get(1))).toEqual(['1280x720@0,0 0-4 8-10', '640x360@0,180 4-8']);
  expect(words(plan.get(2))).toEqual(['640x360@640,180 4-8']);
  expect(largestOf(plan.get(1) ?? []).width).toBe(1280);
  expect(largestOf(plan.get(2) ?? []).width).toBe(640);
});

test('who comes back has another number, and one who was there alone before has all of it again', () => {
  const plan = planComposition([person(1, 0, 2), person(2, 1, null), person(3, 5, null)], GRID, 6);
  expect(words(plan.get(1))).toEqual(['1280x720@0,0 0-1', '640x360@0,180 1-2']);
  expect(words(plan.get(2))).toEqual(['640x360@640,180 1-2', '1280x720@0,0 2-5', '640x360@0,180 5-6']);
  expect(words(plan.get(3))).toEqual(['640x360@640,180 5-6']);
});

test('a process that was killed left no ends: its people are there until the sound ends', () => {
  const plan = planComposition([person(1, 0, null), person(2, 3, 99)], GRID, 5);
  expect(words(plan.get(2))).toEqual(['640x360@640,180 3-5']);
  expect(words(plan.get(1))).toEqual(['1280x720@0,0 0-3', '640x360@0,180 3-5']);
});

test('the assistant is heard and has no tile', () => {
  const plan = planComposition([person(1, 0, null), { ...person(2, 0, null), voice_only: true }], GRID, 5);
  expect([...plan.keys()]).toEqual([1]);
  expect(words(plan.get(1))).toEqual(['1280x720@0,0 0-5']);
});

test('the layouts change while it goes on: tiles, one person, whoever speaks, so many tiles only', () => {
  const people = [person(1, 0, null), person(2, 0, null), person(3, 0, 8)];
  const plan = planComposition(
    people,
    [
      { at: 0, layout: 'grid', most: 2 },
      { at: 2, layout: 'single', shown: 3 },
      { at: 4, layout: 'active', shown: 2 },
      { at: 6, layout: 'active', shown: 3 },
    ],
    10,
  );
  expect(words(plan.get(1))).toEqual(['640x360@0,180 0-2']);
  expect(words(plan.get(2))).toEqual(['640x360@640,180 0-2', '1280x720@0,0 4-6']);
  // A person who is to be shown alone but has left leaves the ground visible.
  expect(words(plan.get(3))).toEqual(['1280x720@0,0 2-4 6-8']);
});
