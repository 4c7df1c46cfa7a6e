import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PassedBefore } from '../scripts/checks/passed-before.ts';
import type { StaticCheck } from '../scripts/checks/static-checks.ts';

const CODE: StaticCheck = { name: 'types of code', command: ['tsc'] };
const TEXT: StaticCheck = { name: 'words', command: ['vitest'], readsDocuments: true };

/** A checkout in which both checks have passed; `write` changes a file of it. */
function checkedOut() {
  const root = mkdtempSync(path.join(os.tmpdir(), 'northline-checks-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  write('src/one.ts', 'export const one = 1;');
  write('.npmrc', 'fund=false');
  write('README.md', 'A page.');
  write('node_modules/.package-lock.json', '{"packages":{}}');
  const now = (): PassedBefore => new PassedBefore(root, path.join(root, 'node_modules', '.cache'));
  for (const check of [CODE, TEXT]) now().add(check);
  const passed = (): boolean[] => [CODE, TEXT].map((check) => now().has(check));
  return { root, write, now, passed };
}

test('a check that passed is known by its command and all files, and nothing else', () => {
  const { now, passed } = checkedOut();
  expect(passed()).toEqual([true, true]);
  expect(now().has({ ...CODE, command: ['tsc', '--strict'] })).toBe(false);
  expect(now().has({ ...CODE, name: 'never run' })).toBe(false);
});

test('a change to a source, a hidden setting, a new file or the installed packages is checked again', () => {
  for (const file of ['src/one.ts', '.npmrc', 'src/new.ts', 'node_modules/.package-lock.json']) {
    const { write, passed } = checkedOut();
    write(file, 'export const one = 2;');
    expect([file, ...passed()]).toEqual([file, false, false]);
  }
});

test('a file that goes is checked again, and a document only by checks that read documents', () => {
  const { root, write, passed } = checkedOut();
  write('README.md', 'Another page.');
  expect(passed()).toEqual([true, false]);
  rmSync(path.join(root, 'src/one.ts'));
  expect(passed()).toEqual([false, false]);
});

test('what changed while a check ran is checked again', () => {
  const { write, now, passed } = checkedOut();
  const before = now();
  write('src/one.ts', 'export const one: string = 1;');
  before.add(CODE);
  expect(passed()).toEqual([false, false]);
});
