import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../src/kernel/config/project-root.ts';

interface Entry {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}
const read = (name: string): string => readFileSync(path.join(PROJECT_ROOT, name), 'utf8');
const packages = Object.entries(
  (JSON.parse(read('package-lock.json')) as { packages: Record<string, Entry> }).packages,
);

/** Whether npm would install it on Linux with Debian's C library, as for tests and releases. */
const isOurs = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: Entry): boolean =>
  os.includes('linux') && cpu.includes('x64') && libc.includes('glibc');

test('every package that runs on this platform has its hash in the lock file', () => {
  const bare = packages.filter(
    // Our own packages are folders of this repository.
    ([name, entry]) => /(?:^|\/)node_modules\//.test(name) && !entry.link && entry.integrity === undefined,
  );
  // This version of npm does not record the C library in the lock file; only the names tell it.
  const missing = bare.filter(([name, entry]) => isOurs(entry) && !/musl/.test(name)).map(([name]) => name);
  expect(missing).toEqual([]);
});

test('no package runs scripts when it is installed', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  expect(read('scripts/run.cjs')).toContain("'--ignore-scripts'");
});
