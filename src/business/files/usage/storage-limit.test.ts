import { describe, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import { storageUse } from './storage-limit.web.ts';

const MB = 1024 * 1024;

describe('storage usage (docs/specification/site.md §2, §9)', () => {
  test.each([
    [187.5, 'ok', 75],
    [187.6, 'warn', 75],
    [225, 'warn', 90],
    [225.1, 'bad', 90],
    [250, 'bad', 100],
  ])('%d of 250 MB is %s at %d%%', (usedMb, level, percent) => {
    expect(storageUse([usedMb * MB], 250 * MB)).toMatchObject({ level, percent });
  });

  test('the percentage is capped at 100, the sum is not', () => {
    claims('Storage is full.', 'Above …%: …% used.');
    const use = storageUse([200 * MB, 200 * MB], 250 * MB);
    expect(use).toMatchObject({ percent: 100, usedBytes: 400 * MB });
  });
});
