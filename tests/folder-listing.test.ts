import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderFaults, foldersIn, withFolderList } from '../scripts/docs/folder-list.ts';

const ROOT = path.join(import.meta.dirname, '..');

test('the plan says of each folder of src, two levels deep, what it is', () => {
  expect(folderFaults()).toEqual([]);
});

test('ARCHITECTURE.md lists the folders as the plan has them', () => {
  const page = readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  expect(page).toBe(withFolderList(page));
});

test('each wing has a README of its own', () => {
  const wings = readdirSync(path.join(ROOT, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(wings.filter(({ name }) => !existsSync(path.join(ROOT, 'src', name, 'README.md')))).toEqual([]);
});

test.each(['business', 'platform', 'voice', 'kernel'])(
  'the README of %s names its folders, and no others',
  (wing) => {
    const page = readFileSync(path.join(ROOT, 'src', wing, 'README.md'), 'utf8');
    const listed = [...page.matchAll(/^- `([\w-]+)\/`/gm)].map(([, name = '']) => name);
    expect(listed.sort()).toEqual(foldersIn(path.join('src', wing)).sort());
  },
);

test('ARCHITECTURE.md lists the packages', () => {
  const page = readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const block = /^packages\/\n((?: .*\n)+)/m.exec(page)?.[1] ?? '';
  const listed = [...block.matchAll(/^ {2}([\w-]+) {2,}\S/gm)].map(([, name = '']) => name);
  expect(listed).toEqual(
    foldersIn('packages')
      .filter((name) => name !== 'dist')
      .sort(),
  );
});
