import { expect, test } from 'vitest';
import { readWeeklyHours } from '../../../business/bookings/weekly-hours.server.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';
import { asksForDay, readHoursExceptions, sayOpenOn } from './hours-exceptions.server.ts';

/** A Saturday. */
const NOW = { year: 2026, month: 11, day: 28, hour: 11, minute: 0 };
const week = readWeeklyHours('mon-fri 9:00-12:00, mon-fri 14:00-18:00') ?? new Map();
const YEAR_END = 'We are closed from 24 December to 2 January.';

const say = (question: string, ...sentences: string[]): string | null =>
  sayOpenOn(normaliseWords(question), { week, sentences, now: NOW });

test.each([
  ['Are you open on 28 December?', `No. ${YEAR_END}`],
  ['are you open on december 28', `No. ${YEAR_END}`],
  ['Are you open on Christmas Day?', `No. ${YEAR_END}`],
  ['are you open on the twenty fourth of december', `No. ${YEAR_END}`],
  ['Is anybody there on 2 January?', `No. ${YEAR_END}`],
  ['are you closed on new year’s eve?', `Yes. ${YEAR_END}`],
  [
    'are you open on monday the 4th',
    'Yes, on Monday 4 January my colleagues are there from 9:00 to 12:00 and from 14:00 to 18:00.',
  ],
  [
    'are you open on monday the 4th at 1 pm',
    'No, on Monday 4 January my colleagues are there from 9:00 to 12:00 and from 14:00 to 18:00.',
  ],
  [
    'are you open on 6 december',
    'No, on Sunday 6 December my colleagues are not there. They are there Monday to Friday from 9:00 to 12:00 and from 14:00 to 18:00.',
  ],
])('%s → %s', (question, answer) => {
  expect(say(question, 'We keep books.', YEAR_END)).toBe(answer);
});

test('of a public holiday that no sentence names nothing is made up', () => {
  expect(say('are you open on christmas day')).toMatch(
    /^I do not know whether my colleagues are there on Christmas Day, Friday 25 December\. On other days: Monday/,
  );
  expect(say('are you open on 25 december')).toMatch(/^I do not know/);
  expect(say('are you open on easter monday')).toContain('Easter Monday, Monday 29 March');
  expect(say('are you open on good friday', 'Closed on bank holidays.')).toBe('No. Closed on bank holidays.');
});

test('sentences name days in many ways', () => {
  const covered = (sentence: string, year: number, month: number, day: number) =>
    readHoursExceptions([sentence]).some(({ covers }) => covers({ year, month, day, hour: 0, minute: 0 }));
  expect(covered('Closed 24–26 December.', 2026, 12, 25)).toBe(true);
  expect(covered('Closed 24–26 December.', 2026, 12, 27)).toBe(false);
  expect(covered('We shut on 1 May and 14 July.', 2027, 7, 14)).toBe(true);
  expect(covered('We shut on 1 May and 14 July.', 2027, 6, 1)).toBe(false);
  expect(covered('Closed between Christmas and New Year.', 2026, 12, 29)).toBe(true);
  expect(covered('Closed from 3 to 21 August 2026.', 2026, 8, 10)).toBe(true);
  expect(covered('Closed from 3 to 21 August 2026.', 2027, 8, 10)).toBe(false);
  expect(covered('Closed 24 December 2026 to 2 January 2027.', 2027, 1, 1)).toBe(true);
  expect(covered('Closed 24 December 2026 to 2 January 2027.', 2028, 1, 1)).toBe(false);
  expect(covered('We may do 27 things.', 2026, 5, 27)).toBe(false);
  const [own] = readHoursExceptions(['On 27 December we are open from 10 to 12.']);
  expect(own?.opens).toBe(true);
});

test('a wish for a call on a day is no question for the hours, and a day alone only goes on with one', () => {
  const asks = (words: string, continues = false) => asksForDay(normaliseWords(words), NOW, continues);
  expect(asks('can I book a call on 27 December')).toBe(false);
  expect(asks('are you open to a chat about prices')).toBe(false);
  expect(asks('Monday the 4th?')).toBe(false);
  expect(asks('Monday the 4th?', true)).toBe(true);
  expect(asks('do you work on 8 december')).toBe(true);
});
