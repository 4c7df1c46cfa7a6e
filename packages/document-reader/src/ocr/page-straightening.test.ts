import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../samples/property-runs.fixture.ts';
import { type Box, cornersOf } from './box-geometry.ts';
import {
  measurePose,
  type Pose,
  runsSideways,
  sampleLines,
  straighten,
  type Turn,
} from './page-straightening.ts';
import { blankPicture, type Picture } from './picture.ts';

const SIZE = { width: 1000, height: 1400 };

/** Lines of text down a page that is rotated by an angle, radians. */
const linesAt = (angle: number, count = 12): Box[] =>
  Array.from({ length: count }, (_, index) => {
    const [x, y] = [0, (index - count / 2) * 60];
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return cornersOf({
      along: [cos, sin],
      centre: [SIZE.width / 2 + x * cos - y * sin, SIZE.height / 2 + x * sin + y * cos],
      width: 400,
      height: 30,
    });
  });

test.each([-4, -1, 0, 2.5, 6])('the skew of a page is measured from its lines: %s degrees', (degrees) => {
  const pose = measurePose(linesAt((degrees * Math.PI) / 180), 0, SIZE);
  expect((pose.skew * 180) / Math.PI).toBeCloseTo(degrees, 5);
  expect(pose.convergence).toBe(0);
  expect(pose.lineHeight).toBeCloseTo(30);
});

test('lines that run down the picture lie sideways, and their skew is measured too', () => {
  const lines = linesAt(Math.PI / 2 + 0.03);
  expect(runsSideways(lines)).toBe(true);
  expect(runsSideways(linesAt(0.03))).toBe(false);
  expect(measurePose(lines, 90, SIZE).skew).toBeCloseTo(0.03, 5);
});

test('a page without lines counts as level', () => {
  expect(measurePose([], 0, SIZE)).toEqual({ turn: 0, skew: 0, convergence: 0, lineHeight: 42 });
});

test('each place of a straightened page leads back to where it came from', () => {
  const pose = fc.record({
    turn: fc.constantFrom<Turn>(0, 90, 180, 270),
    skew: fc.double({ min: -0.2, max: 0.2, noNaN: true }),
    convergence: fc.double({ min: -0.0003, max: 0.0003, noNaN: true }),
    lineHeight: fc.constantFrom(21, 42, 84),
  });
  const place = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 40 }));
  fc.assert(
    fc.property(pose, place, (given: Pose, [x, y]) => {
      const { toSource, fromSource } = straighten(blankPicture(60, 40), given);
      const [backX, backY] = toSource(fromSource([x, y]));
      expect(backX).toBeCloseTo(x, 6);
      expect(backY).toBeCloseTo(y, 6);
    }),
    { numRuns: propertyRuns(60) },
  );
});

test('a page that lay on its side becomes upright, with its first line at the top', () => {
  // A dark bar along the right side is the top of a page that was turned clockwise by a quarter.
  const source: Picture = blankPicture(60, 40);
  for (let y = 5; y < 35; y += 1) for (let x = 50; x < 56; x += 1) source.data[y * 60 + x] = 0;
  const { picture } = straighten(source, { turn: 90, skew: 0, convergence: 0, lineHeight: 42 });
  expect([picture.width, picture.height]).toEqual([40, 60]);
  const rows = Array.from(
    { length: 60 },
    (_, y) => picture.data.subarray(y * 40, (y + 1) * 40).filter((grey) => grey < 128).length,
  );
  expect(rows.findIndex((dark) => dark > 25)).toBe(4);
  expect(rows.slice(12).every((dark) => dark === 0)).toBe(true);
});

test('the sample lines for the direction have a middle length', () => {
  const line = (width: number): Box => cornersOf({ along: [1, 0], centre: [500, 100], width, height: 20 });
  const [long, medium, short] = [line(900), line(300), line(60)];
  expect(sampleLines([long, medium, short], false, 1)).toEqual([medium]);
  expect(sampleLines([long, medium, short], false, 2)).toEqual([long, medium]);
  expect(sampleLines([long, medium, short], true, 2)).toEqual([]);
});
