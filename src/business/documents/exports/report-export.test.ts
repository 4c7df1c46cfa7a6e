import { expect, test } from 'vitest';
import { hasCalendarDays } from './report-export.contract.ts';

const field = (type: 'date' | 'text', normalized?: string) => ({
  ...{ key: 'due_date', label: 'Due', type, value: '1 May', confidence: 1, cites: [] },
  ...(normalized !== undefined && { normalized }),
});

test('a calendar is offered only for a report with a day: of a fact, of a part, or of an obligation', () => {
  const none = { obligations: [], parts: [] };
  expect(hasCalendarDays([field('date', '2027-05-01')] as never, none)).toBe(true);
  expect(
    hasCalendarDays([field('date'), field('date', 'May'), field('text', '2027-05-01')] as never, none),
  ).toBe(false);
  const part = { fields: [field('date', '2027-05-01')] };
  expect(hasCalendarDays([], { ...none, parts: [part] as never })).toBe(true);
  expect(hasCalendarDays([], { ...none, obligations: [{ deadline: '2027-05-01' }] as never })).toBe(true);
  expect(hasCalendarDays([], { ...none, obligations: [{}] as never })).toBe(false);
  expect(hasCalendarDays([], {})).toBe(false);
});
