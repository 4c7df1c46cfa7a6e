import { expect, test } from 'vitest';
import { calendarDay, moment, utcMoment } from './times.ts';

const takes = (schema: typeof moment | typeof calendarDay, texts: readonly string[]): boolean[] =>
  texts.map((text) => schema.safeParse(text).success);

test('a valid time is one that the database and JavaScript read and write alike', () => {
  const held = [
    '2026-01-31T09:30:00Z',
    '2026-01-31T09:30:00.123456+05:30',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '0000-12-31T23:00:00-02:00',
    '2026-01-31T09:30:00-15:59',
  ];
  const none = [
    '0000-06-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:00:00-02:00',
    '2026-02-31T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T09:30:00+16:00',
    '2026-01-31T09:30:00',
    `2026-01-31T09:30:00.${'0'.repeat(200)}Z`,
    '+012026-01-31T00:00:00Z',
  ];
  expect(takes(moment, held)).toEqual([true, true, true, true, false, true]);
  expect(takes(moment, none)).toEqual(none.map(() => false));
  expect(takes(utcMoment, held)).toEqual([true, false, true, true, false, false]);
  expect(moment.safeParse('soon').error?.issues[0]?.message).toBe(
    'must be a time as 2026-01-31T09:30:00.000Z',
  );
});

test('a day is one of the calendar of the years 1 to 9999', () => {
  expect(takes(calendarDay, ['2026-01-31', '0001-01-01', '9999-12-31'])).toEqual([true, true, true]);
  expect(takes(calendarDay, ['0000-01-01', '2026-02-31', '10000-01-01', '2026-1-1'])).toEqual(
    [0, 1, 2, 3].map(() => false),
  );
});
