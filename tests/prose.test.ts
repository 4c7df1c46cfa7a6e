import { describe, expect, test } from 'vitest';
import { countByArea, findPlaces, type Place } from '../scripts/checks/prose/prose-count.ts';
import { PATTERNS, patternsIn } from '../scripts/checks/prose/prose-patterns.ts';
import { retiredWordsIn, retiredWordsInPath } from '../scripts/checks/prose/retired-words.ts';

/**
 * How often an area still has a refused pattern (docs/style.md) or a word that docs/glossary.md retired. The numbers
 * only fall; an area that is done has no line. Where an area's places are: `scripts/checks/prose/print-places.ts`.
 */
const STILL: Readonly<Record<string, { readonly patterns: number; readonly retired: number }>> = {
  // Landed migrations, and the names of their tables, columns and stored words.
  migrations: { patterns: 1, retired: 12 },
  'src/business': { patterns: 0, retired: 2 },
  'src/platform': { patterns: 0, retired: 13 },
};

/** The areas that have more places than their line allows, with every place of theirs. */
function beyond(places: readonly Place[], kind: 'patterns' | 'retired'): string[] {
  const counts = countByArea(places);
  process.stdout.write(`${kind} by area: ${JSON.stringify(counts)}\n`);
  return Object.entries(counts)
    .filter(([area, count]) => count > (STILL[area]?.[kind] ?? 0))
    .flatMap(([area, count]) => [
      `${area} has ${count} (${kind}), and may have ${STILL[area]?.[kind] ?? 0}`,
      ...places
        .filter((one) => one.area === area)
        .map(({ at, pattern, text }) => `${at}: ${pattern}: ${text}`),
    ]);
}

test('no area has more refused sentences or retired words than it had', () => {
  const { patterns, retired } = findPlaces();
  expect([...beyond(patterns, 'patterns'), ...beyond(retired, 'retired')]).toEqual([]);
});

describe('each pattern is found', () => {
  const REFUSED: Readonly<Record<string, string>> = {
    'is none': 'Undefined for a field without a place, which is none.',
    'for who': 'Nothing for who is not recorded.',
    'of who': 'Everybody is asked; of who has not agreed nothing is written.',
    'so many': 'A timer of so many milliseconds is set.',
    'what … is ours': 'What frames a request is ours to say.',
    'is told': 'A refused device is told.',
    whoever: 'A link that shows the report to whoever has it.',
    'Who … is': 'Who has a number and no address is told by text message.',
    'What … is': 'What was being sent will not be completed.',
    'Of a … is': 'Of an answer only the beginning is read.',
    'Told is': 'Told is what has a chance of 0.5.',
    'an own': 'Puts an own track on the wire.',
    'for as long': 'A store that does not answer for as long has failed.',
    'the yes': 'The caller took the yes back.',
  };

  test.each(PATTERNS.map(({ name }) => name))('%s', (name) => {
    expect(patternsIn(REFUSED[name] ?? '').map(({ pattern }) => pattern)).toContain(name);
  });
});

test.each([
  'What does the caller hear?',
  'Who may call whom, and when.',
  'What the server sends, and what the browser answers.',
  'What you need is a key.',
  'If there is none, the request fails.',
  'There are so many files that the list is paged.',
  'The operator is told that the backup failed.',
  'Nobody was told about the change.',
  'The list of who did what is kept for a year.',
  'It ends a call without so much as a goodbye.',
  'Every account has its own files, and a team has files of its own.',
  'The log says who called, for how long, and who paid.',
  'None of these is ours.',
  'Of the three requests, two were answered.',
  'It waits for as long as the call goes on.',
])('good English passes: %s', (sentence) => {
  expect(patternsIn(sentence)).toEqual([]);
});

test('a retired word is found in every form of a name, and the words of the world are not', () => {
  expect(retiredWordsIn('closeCallDesk(HASH_LANE, spent_upload_tickets, PhoneLine)')).toEqual([
    'closeCallDesk',
    'HASH_LANE',
    'spent_upload_tickets',
    'PhoneLine',
  ]);
  expect(retiredWordsInPath('src/voice/desk/call-desk.test.ts')).toEqual(['desk', 'call-desk.test.ts']);
  expect(
    retiredWordsIn('The front desk has a desktop. A train ticket, an invoice line and a plane.'),
  ).toEqual([]);
});
