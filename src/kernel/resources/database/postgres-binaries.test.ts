import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { canReach, copyBinaries, findPostgresBinariesIn } from './postgres-binaries.ts';

let folder: string;
let home: string;
let copy: string;
/** The package as npm installs it: a library, its link, and the list of links. */
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'northline-binaries-'));
  home = path.join(folder, 'home');
  copy = path.join(folder, 'copy');
  mkdirSync(path.join(home, 'native', 'lib'), { recursive: true });
  writeFileSync(path.join(home, 'native', 'lib', 'libicuuc.so.60.2'), 'a library');
  symlinkSync('libicuuc.so.60.2', path.join(home, 'native', 'lib', 'libicuuc.so.60'));
  const links = [{ source: 'native/lib/libicuuc.so.60.2', target: 'native/lib/libicuuc.so.60' }];
  writeFileSync(path.join(home, 'native', 'pg-symlinks.json'), JSON.stringify(links));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const library = (of: string): string =>
  readFileSync(path.join(of, 'native', 'lib', 'libicuuc.so.60'), 'utf8');

test('a copy of the database binaries works when the release that it was made from is gone', () => {
  copyBinaries(home, copy);
  rmSync(home, { recursive: true });
  expect(library(copy)).toBe('a library');
});

test('a copy whose links lead into a deleted release is repaired', () => {
  copyBinaries(home, copy);
  const link = path.join(copy, 'native', 'lib', 'libicuuc.so.60');
  rmSync(link);
  symlinkSync(path.join(home, 'native', 'lib', 'libicuuc.so.60.2'), link);
  renameSync(home, `${home}-gone`);
  copyBinaries(`${home}-gone`, copy);
  expect(library(copy)).toBe('a library');
});

test('a folder that the account may not enter counts as unreachable, by its owner, its group or anybody', () => {
  const target = path.join(home, 'native');
  const { uid, gid } = statSync(home);
  const mine = { uid, gid };
  const colleague = { uid: uid + 1, gid };
  const stranger = { uid: uid + 1, gid: gid + 1 };
  const reached = (mode: number) => {
    chmodSync(folder, 0o711);
    chmodSync(target, 0o711);
    chmodSync(home, mode);
    return [mine, colleague, stranger].map((account) => canReach(account, target));
  };
  expect(reached(0o711)).toEqual([true, true, true]);
  expect(reached(0o710)).toEqual([true, true, false]);
  expect(reached(0o700)).toEqual([true, false, false]);
  expect(canReach(undefined, target)).toBe(true);
});

test('a folder without PostgreSQL is refused by its name', () => {
  expect(() => findPostgresBinariesIn(folder, undefined)).toThrow(
    `There is no PostgreSQL in ${folder}: name`,
  );
});
