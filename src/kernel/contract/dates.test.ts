import { describe, expect, test } from 'vitest';
import { formatDate, formatDay, formatIsoDay, formatTime, isIsoDay } from './dates.ts';

describe('a moment is written as people say it', () => {
  const now = new Date(2026, 10, 21, 9, 41);
  test.each([
    [new Date(2026, 10, 21, 9, 36), 'today 09:36'],
    [new Date(2026, 10, 20, 23, 59), 'yesterday'],
    [new Date(2026, 10, 18, 12, 0), '18 November'],
    [new Date(2025, 10, 18, 12, 0), '18 November 2025'],
  ])('%s is %s', (at, words) => {
    expect(formatDay(at, now)).toBe(words);
  });

  test('yesterday also works over the end of a month and of a year', () => {
    expect(formatDay(new Date(2025, 11, 31, 8), new Date(2026, 0, 1, 8))).toBe('yesterday');
  });

  test('times have two digits, dates their year', () => {
    expect(formatTime(new Date(2026, 0, 1, 7, 5))).toBe('07:05');
    expect(formatDate(new Date(2026, 11, 1))).toBe('1 December 2026');
  });

  test('a day that the calendar does not have is shown as it is', () => {
    expect(['2026-12-01', '2028-02-29'].map(formatIsoDay)).toEqual(['1 December 2026', '29 February 2028']);
    for (const odd of ['2026-02-31', '2026-13-01', '2026-00-10', '31.05.2026', '+012026-01-01', 'soon', '']) {
      expect(isIsoDay(odd), odd).toBe(false);
      expect(formatIsoDay(odd)).toBe(odd);
    }
  });
});
