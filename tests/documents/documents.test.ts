import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { withSettingsTables } from '../../scripts/docs/settings-table.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

test('the tables of settings are current (npm run docs writes it)', () => {
  expect(read('docs/settings.md')).toBe(withSettingsTables(read('docs/settings.md')));
});

test('every link between documents leads to a file, and every command that they name exists', () => {
  const documents = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    ...globSync('docs/**/*.md', { cwd: ROOT }),
  ];
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const broken = documents.flatMap((file) => {
    const text = read(file);
    const links = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .map(([, link]) => link ?? '')
      .filter((link) => !existsSync(path.join(ROOT, path.dirname(file), link)));
    const commands = [...text.matchAll(/npm run ([a-z:]+)/g)]
      .map(([, name]) => name ?? '')
      .filter((name) => scripts[name] === undefined);
    return [...links, ...commands].map((missing) => `${file}: ${missing}`);
  });
  expect(broken).toEqual([]);
});

test('the decisions are numbered once each', () => {
  const numbers = globSync('docs/decisions/*.md', { cwd: ROOT }).map((file) =>
    path.basename(file).slice(0, 4),
  );
  expect(numbers.length).toBeGreaterThan(0);
  expect(new Set(numbers).size).toBe(numbers.length);
});
