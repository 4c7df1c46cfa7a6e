import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { chooseMigrations } from './earlier-schema.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const applied = (...texts: string[]) =>
  texts.map((text) => ({ name: `${text}.sql`, checksum: sha256(text) }));

/** A folder in which the file `x.sql` has the text `x`. */
function migrations(names: readonly string[], replaced: readonly string[] = []): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-chosen-'));
  folders.push(folder);
  mkdirSync(path.join(folder, 'baseline'));
  for (const name of names) writeFileSync(path.join(folder, `${name}.sql`), name);
  writeFileSync(
    path.join(folder, 'replaced.sha256'),
    replaced.map((name) => `${sha256(name)}  ${name}.sql\n`).join(''),
  );
  return folder;
}

test('the files of a database’s migrations are chosen, and no later ones', () => {
  const folder = migrations(['0001_a', '0002_b', '0003_c']);
  expect(chooseMigrations(folder, applied('0001_a', '0002_b'))).toEqual(['0001_a.sql', '0002_b.sql']);
});

test('a baseline creates what it replaced', () => {
  const folder = migrations(
    ['baseline/01-a', 'baseline/02-b', '0200_later', '0300_latest'],
    ['0001_a', '0002_b'],
  );
  expect(chooseMigrations(folder, applied('0001_a', '0002_b'))).toEqual([
    'baseline/01-a.sql',
    'baseline/02-b.sql',
  ]);
  expect(chooseMigrations(folder, applied('baseline/01-a', 'baseline/02-b', '0200_later'))).toEqual([
    '0200_later.sql',
    'baseline/01-a.sql',
    'baseline/02-b.sql',
  ]);
  expect(() => chooseMigrations(folder, applied('0001_a'))).toThrow('it lacks 0002_b.sql');
});

test('an unknown migration comes from a newer version, and a known one with another text is refused', () => {
  const folder = migrations(['0001_a']);
  expect(() => chooseMigrations(folder, applied('0001_a', '0002_b'))).toThrow(
    'newer version of Northline (it has 0002_b.sql)',
  );
  expect(() => chooseMigrations(folder, [{ name: '0001_a.sql', checksum: 'x' }])).toThrow(
    'another migration 0001_a.sql',
  );
});
