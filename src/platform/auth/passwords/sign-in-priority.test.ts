import { expect, test } from 'vitest';
import { createHashQueue, createPasswords } from '../../../kernel/resources/crypto/passwords.ts';
import { createSignInPriority } from './sign-in-priority.server.ts';

const passwords = createPasswords();

test('a wrong guess is remembered for a quarter of an hour, by account and by address', () => {
  let now = 0;
  const guesses = createSignInPriority(() => now);
  guesses.add('a@example.com', '198.18.0.1');

  expect(guesses.priorityOf('a@example.com', '203.0.113.9')).toBe('late');
  expect(guesses.priorityOf('b@example.com', '198.18.0.1')).toBe('late');
  expect(guesses.priorityOf('b@example.com', '203.0.113.9')).toBe('new');
  now += 15 * 60 * 1000;
  expect(guesses.priorityOf('a@example.com', '203.0.113.9')).toBe('new');
});

test('attack 18: people who signed in from there before go first, whatever others guess, until they guess wrong', () => {
  const guesses = createSignInPriority(() => 0);
  guesses.right('owner@example.com', '203.0.113.9');
  for (let at = 0; at < 20; at += 1) guesses.add('owner@example.com', `198.18.0.${at}`);
  expect(guesses.priorityOf('owner@example.com', '203.0.113.9')).toBe('first');
  expect(guesses.priorityOf('else@example.com', '203.0.113.9')).toBe('late');
  guesses.add('else@example.com', '203.0.113.9');
  expect(guesses.priorityOf('owner@example.com', '203.0.113.9')).toBe('late');
});

test('attack 18: during a flood unknown people wait behind the others, and no longer than that', () => {
  let now = 0;
  const guesses = createSignInPriority(() => now);
  for (let at = 0; at < 19; at += 1) guesses.add(`${at}@example.com`, `198.18.0.${at}`);
  expect(guesses.priorityOf('new@example.com', '203.0.113.9')).toBe('new');
  guesses.add('last@example.com', '198.18.1.1');
  expect(guesses.priorityOf('new@example.com', '203.0.113.9')).toBe('late');
  now += 10_000;
  expect(guesses.priorityOf('new@example.com', '203.0.113.9')).toBe('new');
});

test('attack 18: people without a history never take the last places', async () => {
  const stored = await passwords.hash('correct horse');
  const crowd = Array.from({ length: 80 }, () =>
    passwords.verify(stored, 'a guess', 'new').catch((error: { status: number }) => error.status),
  );
  const owner = passwords.verify(stored, 'correct horse');
  expect((await Promise.all(crowd)).filter((reply) => reply === 503)).toHaveLength(24);
  expect(await owner).toBe(true);
});

test('attack 18: people who have not guessed wrong are served before those who have', async () => {
  const queue = createHashQueue();
  // Work that lasts until the test ends it, so that the test depends on the order and not on this machine's
  // speed.
  const begun: { readonly name: string; readonly end: () => void }[] = [];
  const work = (name: string) => (): Promise<void> => new Promise((end) => void begun.push({ name, end }));
  const names = (): string[] => begun.map(({ name }) => name);
  const flood = Array.from({ length: 40 }, () => queue.run('late', work('guess')));
  const atOnce = begun.length;
  const owners = Array.from({ length: 3 }, () => queue.run('first', work('owner')));
  // Each place that becomes free goes to an owner until all owners have had one.
  for (let ended = 0; !(names().filter((name) => name === 'owner').length === 3); ended += 1) {
    begun[ended]?.end();
    await new Promise(setImmediate);
    expect(ended).toBeLessThan(begun.length);
  }
  expect(names().filter((name) => name === 'guess')).toHaveLength(atOnce);
  for (let ended = 0; ended < 43; ended += 1) {
    begun[ended]?.end();
    await new Promise(setImmediate);
  }
  await Promise.all([...flood, ...owners]);
});

test('attack 18: a flood fills only its share of the places, and is asked to come back', async () => {
  const stored = await passwords.hash('correct horse');
  const flood = Array.from({ length: 100 }, () =>
    passwords.verify(stored, 'a guess', 'late').catch((error: { status: number }) => error.status),
  );
  const owner = passwords.verify(stored, 'correct horse');
  const replies = await Promise.all(flood);
  expect(replies.filter((reply) => reply === 503)).toHaveLength(52);
  expect(await owner).toBe(true);
});

test('the memory of guesses is bounded: the least recently seen is forgotten', () => {
  const guesses = createSignInPriority(() => 0, 4);
  guesses.add('a@example.com', '198.18.0.1');
  guesses.add('b@example.com', '198.18.0.2');
  guesses.add('a@example.com', '198.18.0.1');
  guesses.add('c@example.com', '198.18.0.3');
  expect(['a', 'b', 'c'].map((name) => guesses.priorityOf(`${name}@example.com`, '203.0.113.9'))).toEqual([
    'late',
    'new',
    'late',
  ]);
});
