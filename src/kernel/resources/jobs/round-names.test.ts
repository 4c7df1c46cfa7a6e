import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..', '..', '..');
const NAMED = /(?:\.every(?:ByOne)?\(\s*|\bround: )'([^']*)'/g;

test('every periodic round is named by the things that it looks after, and no two alike', () => {
  const names = globSync('{src,packages}/**/*.ts', {
    cwd: ROOT,
    exclude: ['**/*.test.ts', '**/node_modules/**'],
  }).flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(NAMED)].map(([, name = '']) => name),
  );
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !/^[a-z]+( [a-z]+(-[a-z]+)?)+$/.test(name))).toEqual([]);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
