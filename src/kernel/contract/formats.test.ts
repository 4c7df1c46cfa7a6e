import { expect, test } from 'vitest';
import { formatBytes, formatStorage } from './formats.ts';

test('sizes are written in B, KB, MB or GB with one decimal, and never as 1024 of the smaller unit', () => {
  const sizes: readonly (readonly [bytes: number, words: string])[] = [
    [0, '0 B'],
    [-5, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KB'],
    [1536, '1.5 KB'],
    [1024 * 1024 - 1, '1.0 MB'],
    [100 * 1024 ** 2, '100.0 MB'],
    [2.5 * 1024 ** 3, '2.5 GB'],
    [5000 * 1024 ** 3, '5000.0 GB'],
  ];
  for (const [bytes, words] of sizes) expect(formatBytes(bytes), String(bytes)).toBe(words);
});

test('storage of a plan is written in megabytes, and in gigabytes only where they are whole', () => {
  expect([250, 1000, 2048, 5000, 10_240].map(formatStorage)).toEqual([
    '250 MB',
    '1,000 MB',
    '2 GB',
    '5,000 MB',
    '10 GB',
  ]);
});
