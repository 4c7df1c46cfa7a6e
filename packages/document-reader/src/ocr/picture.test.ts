import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../samples/property-runs.fixture.ts';
import {
  greyOf,
  mirror,
  type Picture,
  readingSize,
  resize,
  sampleAt,
  turnQuarters,
  withMargin,
} from './picture.ts';

const picture = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
  .chain(([width, height]) =>
    fc
      .uint8Array({ minLength: width * height, maxLength: width * height })
      .map((data): Picture => ({ width, height, data })),
  );

test('four quarter turns, two mirrorings, or a turn and its way back leave a picture as it was', () => {
  fc.assert(
    fc.property(picture, (source) => {
      const once = (from: Picture): Picture => turnQuarters(from, 1);
      expect(once(once(once(once(source))))).toEqual(source);
      expect(turnQuarters(turnQuarters(source, 3), 1)).toEqual(source);
      expect(turnQuarters(source, 2)).toEqual(once(once(source)));
      expect(mirror(mirror(source))).toEqual(source);
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('a quarter turn clockwise takes the bottom left pixel to the top left', () => {
  const source = { width: 3, height: 2, data: Uint8Array.from([1, 2, 3, 4, 5, 6]) };
  expect(turnQuarters(source, 1)).toEqual({ width: 2, height: 3, data: Uint8Array.from([4, 1, 5, 2, 6, 3]) });
});

test('transparent pixels are white, and half-transparent black is a middle grey', () => {
  const pixels = Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 255, 255, 255, 255, 255]);
  expect([...greyOf(pixels, { width: 4, height: 1 }, 4).data]).toEqual([255, 128, 0, 255]);
  expect([...greyOf(Uint8Array.from([255, 0, 0, 0, 255, 0]), { width: 2, height: 1 }, 3).data]).toEqual([
    76, 149,
  ]);
});

test('a reduced picture has the mean of the covered pixels, and an enlarged one values between its pixels', () => {
  const source = { width: 4, height: 2, data: Uint8Array.from([0, 100, 200, 100, 100, 200, 0, 100]) };
  expect([...resize(source, { width: 2, height: 1 }).data]).toEqual([100, 100]);
  expect(resize(source, { width: 4, height: 2 })).toBe(source);
  expect(sampleAt(source, 0.5, 0)).toBe(50);
  expect(sampleAt(source, 0.5, 0.5)).toBe(100);
  expect(sampleAt(source, -9, -9)).toBe(0);
  const { data } = resize(source, { width: 8, height: 4 });
  expect(Math.max(...data)).toBeLessThanOrEqual(200);
});

test('a margin is white on all sides', () => {
  const { width, height, data } = withMargin({ width: 1, height: 1, data: Uint8Array.from([7]) }, 1);
  expect({ width, height, data: [...data] }).toEqual({
    ...{ width: 3, height: 3 },
    data: [255, 255, 255, 255, 7, 255, 255, 255, 255],
  });
});

test('a page is read at its own size, or smaller where it is larger than print needs', () => {
  expect(readingSize({ width: 1240, height: 1754 })).toEqual({ width: 1240, height: 1754 });
  const { width, height } = readingSize({ width: 4960, height: 7016 });
  expect(width * height).toBeLessThan(6_010_000);
  expect(height / width).toBeCloseTo(7016 / 4960, 2);
});
