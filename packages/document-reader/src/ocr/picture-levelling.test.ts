import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../samples/property-runs.fixture.ts';
import type { Picture } from './picture.ts';
import { blurPicture, median } from './picture-levelling.ts';

const picture = fc
  .tuple(fc.integer({ min: 3, max: 12 }), fc.integer({ min: 3, max: 12 }))
  .chain(([width, height]) =>
    fc
      .uint8Array({ minLength: width * height, maxLength: width * height })
      .map((data): Picture => ({ width, height, data })),
  );

test('each pixel becomes the middle of its nine neighbours, those of the edge stay', () => {
  fc.assert(
    fc.property(picture, ({ width, height, data }) => {
      const out = median({ width, height, data }).data;
      return out.every((value, at) => {
        const [x, y] = [at % width, Math.floor(at / width)];
        if (x === 0 || y === 0 || x === width - 1 || y === height - 1) return value === data[at];
        const nine = [-1, 0, 1].flatMap((down) =>
          [-1, 0, 1].map((across) => data[at + down * width + across] ?? 0),
        );
        return value === nine.toSorted((a, b) => a - b)[4];
      });
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('blurring keeps a plain picture as it is, and spreads a point evenly', () => {
  const plain = { width: 9, height: 7, data: new Uint8Array(63).fill(90) };
  expect(blurPicture(plain, 1.2).data).toEqual(plain.data);
  const point = { width: 9, height: 9, data: new Uint8Array(81) };
  point.data[40] = 255;
  const blurred = blurPicture(point, 1.2).data;
  expect(blurred[39]).toBe(blurred[41]);
  expect(blurred[31]).toBe(blurred[49]);
  expect(blurred[39]).toBeGreaterThan(0);
  expect(blurred[40]).toBeGreaterThan(blurred[39] ?? 0);
});
