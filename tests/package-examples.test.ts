import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BROWSER_PACKAGES } from '../src/plan.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** Those have a page of their own to try, as they need a microphone. */
const IN_A_PAGE = ['packages/call', 'packages/voice'];
const folders = globSync('packages/*/package.json', { cwd: ROOT }).map((file) => path.posix.dirname(file));

test('every package has a README', () => {
  expect(folders.length).toBeGreaterThanOrEqual(BROWSER_PACKAGES.length);
  expect(
    globSync('packages/*/README.md', { cwd: ROOT })
      .map((file) => path.posix.dirname(file))
      .sort(),
  ).toEqual(folders.sort());
});

test('a package needs the same version of a library as the product', () => {
  const dependenciesOf = (file: string): [string, string][] => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(
      readFileSync(path.join(ROOT, file), 'utf8'),
    ) as {
      dependencies?: Record<string, string>;
      devDependencies?: Record<string, string>;
    };
    return Object.entries({ ...devDependencies, ...dependencies });
  };
  const versions = new Map<string, Set<string>>();
  for (const file of ['package.json', ...folders.map((folder) => `${folder}/package.json`)])
    for (const [name, version] of dependenciesOf(file))
      versions.set(name, (versions.get(name) ?? new Set()).add(version));
  expect([...versions].filter(([, found]) => found.size > 1)).toEqual([]);
  expect([...versions].filter(([, found]) => [...found].some((version) => /[\^~*]/.test(version)))).toEqual(
    [],
  );
});

test.each(folders.filter((folder) => !IN_A_PAGE.includes(folder)))('the example of %s runs', (folder) => {
  const page = readFileSync(path.join(ROOT, folder, 'README.md'), 'utf8');
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const [, printed = ''] = /^```text\n([\s\S]*?)^```$/m.exec(page) ?? [];
  expect(printed).not.toBe('');
  const run = execFileSync(process.execPath, ['--input-type=module-typescript', '--eval', code], {
    cwd: path.join(ROOT, folder),
    encoding: 'utf8',
  });
  expect(run).toBe(printed);
});
