import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from '../../resources/crypto/passwords.ts';
import { createWrongGuesses } from './wrong-guesses.server.ts';

test('a wrong guess is remembered for a quarter of an hour, by account and by address', () => {
  let now = 0;
  const guesses = createWrongGuesses(() => now);
  guesses.add(['account a@example.com', 'address 198.18.0.1']);

  expect(guesses.has(['account a@example.com', 'address 203.0.113.9'])).toBe(true);
  expect(guesses.has(['account b@example.com', 'address 198.18.0.1'])).toBe(true);
  expect(guesses.has(['account b@example.com', 'address 203.0.113.9'])).toBe(false);
  now += 15 * 60 * 1000;
  expect(guesses.has(['account a@example.com'])).toBe(false);
});

test('attack 18: whoever has not guessed wrong is served before a queue of those who have', async () => {
  const stored = await hashPassword('correct horse');
  let served = 0;
  const flood = Array.from({ length: 40 }, () =>
    verifyPassword(stored, 'a guess', 'late').then(() => ++served),
  );
  expect(await verifyPassword(stored, 'correct horse')).toBe(true);
  // Not more of the forty than were at work when the owner came, and those that ran beside.
  expect(served).toBeLessThan(8);
  await Promise.all(flood);
});

test('attack 18: a flood fills only its share of the places, and is told to come back', async () => {
  const stored = await hashPassword('correct horse');
  const flood = Array.from({ length: 100 }, () =>
    verifyPassword(stored, 'a guess', 'late').catch((error: { status: number }) => error.status),
  );
  const owner = verifyPassword(stored, 'correct horse');
  const replies = await Promise.all(flood);
  expect(replies.filter((reply) => reply === 503)).toHaveLength(52);
  expect(await owner).toBe(true);
});
