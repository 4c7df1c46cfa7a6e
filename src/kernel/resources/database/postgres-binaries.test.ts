import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyBinaries } from './postgres-binaries.ts';

let folder: string;
let home: string;
let copy: string;
/** The package as npm leaves it: a library, its link, and the list of links. */
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

test('a copy whose links lead into a deleted release is mended', () => {
  copyBinaries(home, copy);
  const link = path.join(copy, 'native', 'lib', 'libicuuc.so.60');
  rmSync(link);
  symlinkSync(path.join(home, 'native', 'lib', 'libicuuc.so.60.2'), link);
  renameSync(home, `${home}-gone`);
  copyBinaries(`${home}-gone`, copy);
  expect(library(copy)).toBe('a library');
});
