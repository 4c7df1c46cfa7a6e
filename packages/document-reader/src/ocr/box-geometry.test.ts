import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../samples/property-runs.fixture.ts';
import {
  cornersOf,
  distance,
  extentOf,
  isUpright,
  medianOf,
  type Point,
  smallestRectangle,
} from './box-geometry.ts';

const points = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 500 })) as fc.Arbitrary<Point>,
  { minLength: 3, maxLength: 30 },
);

test('the smallest rectangle holds every point, and is no larger than the upright one', () => {
  fc.assert(
    fc.property(points, (all) => {
      const found = smallestRectangle(all);
      if (found === undefined) return true;
      const { along, centre, width, height } = found;
      const isInside = ([x, y]: Point): boolean => {
        const [dx, dy] = [x - centre[0], y - centre[1]];
        const across = Math.abs(dx * along[0] + dy * along[1]);
        const down = Math.abs(dy * along[0] - dx * along[1]);
        return across <= width / 2 + 1e-6 && down <= height / 2 + 1e-6;
      };
      const { left, top, right, bottom } = extentOf(all);
      const upright = (right - left + 1) * (bottom - top + 1);
      // A side counts the pixels at both of its ends, so a slanted rectangle may be one pixel larger each way.
      return all.every(isInside) && width * height <= upright + (right - left) + (bottom - top) + 3;
    }),
    { numRuns: propertyRuns(200) },
  );
});

test('points on one line have no rectangle', () => {
  expect(
    smallestRectangle([
      [0, 0],
      [5, 5],
      [9, 9],
    ]),
  ).toBeUndefined();
});

test('the corners of a slanted line go clockwise from its top left one, and the margin grows on all sides', () => {
  const angle = Math.PI / 18;
  const slanted = {
    along: [Math.cos(angle), Math.sin(angle)] as const,
    centre: [200, 100] as const,
    width: 120,
    height: 20,
  };
  const box = cornersOf(slanted);
  const [topLeft, topRight, bottomRight, bottomLeft] = box;
  expect(topLeft[0]).toBeLessThan(topRight[0]);
  expect(topLeft[1]).toBeLessThan(bottomLeft[1]);
  expect(topRight[1]).toBeLessThan(bottomRight[1]);
  expect(distance(topLeft, topRight)).toBeCloseTo(120);
  expect(distance(topLeft, bottomLeft)).toBeCloseTo(20);
  const [grownLeft, grownRight] = cornersOf(slanted, 5);
  expect(distance(grownLeft, grownRight)).toBeCloseTo(130);
});

test('text that runs across its picture is upright, and text that runs down is not', () => {
  const runningAt = (degrees: number): boolean => {
    const angle = (degrees * Math.PI) / 180;
    return isUpright(
      cornersOf({ along: [Math.cos(angle), Math.sin(angle)], centre: [200, 100], width: 120, height: 20 }),
    );
  };
  expect([0, 4, -4, 30].map(runningAt)).toEqual([true, true, true, true]);
  expect([90, 86, 94].map(runningAt)).toEqual([false, false, false]);
});

test('the middle value of an even number is the upper one, and without values the given one', () => {
  expect(medianOf([4, 1, 3, 2], 9)).toBe(3);
  expect(medianOf([], 9)).toBe(9);
});
