import { expect, test } from 'vitest';
import { jsonFields, jsonList } from './json-slices.ts';

test('a list is written as JSON would be, and other requests get turns in between', async () => {
  const rows = Array.from({ length: 1000 }, (_, n) => ({
    n,
    text: `Zeile ${n} “ü” ${'x'.repeat(1000)}`,
    none: undefined,
  }));
  let rounds = 0;
  let writing = true;
  const count = (): void => {
    rounds += 1;
    if (writing) setImmediate(count);
  };
  setImmediate(count);
  const { bytes } = await jsonList(rows);
  writing = false;
  expect(bytes.toString()).toBe(JSON.stringify(rows));
  // A megabyte in slices of 128 KB.
  expect(rounds).toBeGreaterThanOrEqual(4);
});

test('an empty list and fields around a list are JSON too', async () => {
  expect((await jsonList([])).bytes.toString()).toBe('[]');
  const { bytes } = jsonFields({
    users: await jsonList([1, 2], (n) => ({ n })),
    aud: 'authenticated',
    at: new Date(0),
  });
  expect(JSON.parse(bytes.toString())).toEqual({
    users: [{ n: 1 }, { n: 2 }],
    aud: 'authenticated',
    at: '1970-01-01T00:00:00.000Z',
  });
});
