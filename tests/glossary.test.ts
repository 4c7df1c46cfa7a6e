import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const SOURCES = '{src,packages/*/src,tests,scripts,bench}/**/*.{ts,tsx,cjs}';

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const section = read('docs/glossary.md').split('\n## Retired names\n')[1] ?? '';
const retired = [...section.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
const isRetired = new RegExp(String.raw`\b(?:${retired.join('|')})\b`, 'g');

/** Retired names in a text, without repetitions. */
function retiredNames(text: string): string[] {
  return [...new Set(text.match(isRetired))];
}

test('a retired name is found', () => {
  expect(retired.length).toBeGreaterThan(10);
  expect(retiredNames(retired.map((name) => `const x = ${name}(1);`).join('\n'))).toEqual(retired);
  expect(retiredNames(retired.map((name) => `${name}s`).join('\n'))).toEqual([]);
});

test('no source has a name that the glossary retired', () => {
  const files = globSync(SOURCES, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] });
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) => retiredNames(read(file)).map((name) => `${file}: ${name}`));
  expect(found).toEqual([]);
});
