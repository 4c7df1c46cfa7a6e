import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MESSAGES } from '../src/kernel/contract/messages.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** SOURCES use the messages; TESTS prove that. */
const SOURCES = globSync('src/**/*.{ts,tsx}', { cwd: ROOT }).filter(
  (file) => !/\.test\.tsx?$|generated|contract\/messages\.ts$/.test(file),
);
const TESTS = globSync(['src/**/*.test.{ts,tsx}', 'tests/**/*.test.ts'], { cwd: ROOT }).filter(
  (file) => path.join(ROOT, file) !== import.meta.filename,
);

const textOf = (files: readonly string[]): string =>
  files.map((file) => readFileSync(path.join(ROOT, file), 'utf8')).join('\n');

/** Each constant by the name that code uses. */
const messages = Object.entries(MESSAGES).flatMap(([group, named]) =>
  Object.entries<unknown>(named).map(([name, said]) => ({ name: `MESSAGES.${group}.${name}`, said })),
);

/** The longest part of a message without inserted values and on one line; for a function, from its source. */
function quotable(said: unknown): string {
  const words = typeof said === 'function' ? (/`(.*)`/s.exec(String(said))?.[1] ?? '') : String(said);
  const pieces = words.split(/\$\{[^}]*\}|\n/).map((piece) => piece.trim());
  return pieces.toSorted((one, other) => other.length - one.length)[0] ?? '';
}

const isNamed = (text: string, name: string): boolean =>
  new RegExp(`\\b${name.replaceAll('.', '\\.')}\\b`).test(text);

test('the product uses every constant of the messages', () => {
  const text = textOf(SOURCES);
  expect(messages.length).toBeGreaterThan(50);
  expect(messages.map(({ name }) => name).filter((name) => !isNamed(text, name))).toEqual([]);
});

test('every constant of the messages is named or quoted by a test that waits for it', () => {
  const text = textOf(TESTS);
  const untold = messages.filter(({ name, said }) => {
    const words = quotable(said);
    return !isNamed(text, name) && (words.length < 12 || !text.includes(words));
  });
  expect(untold.map(({ name }) => name)).toEqual([]);
});
