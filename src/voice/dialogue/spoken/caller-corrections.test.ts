import { expect, test } from 'vitest';
import { takenBack } from './caller-corrections.server.ts';
import { readSpokenName } from './spoken-name.server.ts';
import { readSpokenTime } from './spoken-time.server.ts';

const NOW = { year: 2026, month: 3, day: 4, hour: 10, minute: 0 };

test.each([
  ['the basic plan no sorry the pro plan', 'the pro plan'],
  ['a filling i mean a crown', 'a crown'],
  ['monday at nine no make that ten', 'ten'],
  ['is it open sorry i meant the office', 'the office'],
])('%j takes back', (words, meant) => {
  expect(takenBack(words)?.meant).toBe(meant);
});

test.each([
  'there is no charge',
  'i have no email',
  'no thanks',
  'sorry what was that',
  'is it actually open',
  'for a call i mean',
])('%j takes nothing back', (words) => {
  expect(takenBack(words)).toBeNull();
});

test('a time keeps what was not taken back', () => {
  expect(readSpokenTime('friday at eleven no sorry make that thursday', NOW)).toMatchObject({
    day: { day: 5 },
    hour: 11,
  });
});

test('a name that was taken back is not heard', () => {
  expect(readSpokenName('simon bell no wait simon ball')).toBe('Simon Ball');
});
