import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');

/** Names of the folders in a folder. */
function foldersIn(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** The listing of ARCHITECTURE.md: folders of `src`, and the folders in each. */
function listing(): Map<string, string[]> {
  const page = readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const block = /^## Folders\n\n```\nsrc\/\n([\s\S]*?)^```/m.exec(page)?.[1] ?? '';
  const listed = new Map<string, string[]>();
  let wing = '';
  for (const [, indent = '', name = ''] of block.matchAll(/^( +)([\w-]+)\/? {2,}\S/gm)) {
    if (indent.length === 2) {
      wing = name;
      listed.set(wing, []);
    } else listed.get(wing)?.push(name);
  }
  return listed;
}

test('ARCHITECTURE.md lists the folders of src, two levels deep', () => {
  const listed = listing();
  expect([...listed.keys()].sort()).toEqual(foldersIn('src'));
  const inside = foldersIn('src').map((wing) => [wing, foldersIn(`src/${wing}`)]);
  expect([...listed].map(([wing, names]) => [wing, names.sort()]).sort()).toEqual(inside);
});

test('each wing has a README of its own', () => {
  expect(foldersIn('src').filter((wing) => !existsSync(path.join(ROOT, 'src', wing, 'README.md')))).toEqual(
    [],
  );
});

test('ARCHITECTURE.md lists the packages', () => {
  const page = readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const block = /^packages\/\n((?: .*\n)+)/m.exec(page)?.[1] ?? '';
  const listed = [...block.matchAll(/^ {2}([\w-]+) {2,}\S/gm)].map(([, name = '']) => name);
  expect(listed).toEqual(foldersIn('packages').filter((name) => name !== 'dist'));
});
