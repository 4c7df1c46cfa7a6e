import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
function migrations(names: readonly string[]): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-chosen-'));
  folders.push(folder);
  for (const name of names) writeFileSync(path.join(folder, `${name}.sql`), name);
  return folder;
}

test('the files of a database’s migrations are chosen, and no later ones', () => {
  const folder = migrations(['0001_a', '0002_b', '0003_c']);
  expect(chooseMigrations(folder, applied('0001_a', '0002_b'))).toEqual(['0001_a.sql', '0002_b.sql']);
});

test('an unknown migration is of a newer version, and a known one with another text is refused', () => {
  const folder = migrations(['0001_a']);
  expect(() => chooseMigrations(folder, applied('0001_a', '0002_b'))).toThrow(
    'newer version of Northline (it has 0002_b.sql)',
  );
  expect(() => chooseMigrations(folder, [{ name: '0001_a.sql', checksum: 'x' }])).toThrow(
    'another migration 0001_a.sql',
  );
});
