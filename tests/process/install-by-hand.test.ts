import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const CHECKOUT = path.join(import.meta.dirname, '..', '..');
/** npm's list of what it installed. */
const LIST = path.join('node_modules', '.package-lock.json');

interface NpmList {
  packages: Record<
    string,
    { version?: string; optional?: boolean; os?: readonly string[]; cpu?: readonly string[] }
  >;
}

/**
 * Runs a program by `scripts/run.cjs` in a checkout in which npm left its list, and nothing else tells of an install.
 * npm itself is not there: where an install is begun, it ends at once.
 */
function runIn(change: (list: NpmList) => void): { code: number | null; said: string } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-by-hand-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, 'node_modules'));
  mkdirSync(path.join(folder, 'scripts'));
  for (const file of ['package.json', 'package-lock.json', 'scripts/run.cjs'])
    cpSync(path.join(CHECKOUT, file), path.join(folder, file));
  const node = path.join('node_modules', `node-${process.platform}-${process.arch}`);
  symlinkSync(path.join(CHECKOUT, node), path.join(folder, node));
  const list = JSON.parse(readFileSync(path.join(CHECKOUT, LIST), 'utf8')) as NpmList;
  change(list);
  writeFileSync(path.join(folder, LIST), JSON.stringify(list));
  writeFileSync(path.join(folder, 'program.js'), "console.log('the program ran');");
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/run.cjs', 'program.js'], {
    cwd: folder,
    env: { PATH: folder },
    encoding: 'utf8',
  });
  return { code: status, said: stdout + stderr };
}

test("what a person's own npm ci installed is not installed again", () => {
  expect(runIn(() => {})).toEqual({ code: 0, said: 'the program ran\n' });
});

test('an install by hand that left out what this machine needs is made again', () => {
  const [place = ''] =
    Object.entries((JSON.parse(readFileSync(path.join(CHECKOUT, LIST), 'utf8')) as NpmList).packages).find(
      ([, { optional, os: systems, cpu }]) =>
        optional && systems?.includes(process.platform) && cpu?.includes(process.arch),
    ) ?? [];
  const { code, said } = runIn(({ packages }) => delete packages[place]);
  expect(code).toBe(1);
  expect(said).toContain('Installing dependencies');
});

test('an install by hand of other versions, or without the tools of development, is made again', () => {
  const olderPg = runIn(({ packages }) => {
    packages['node_modules/pg'] = { ...packages['node_modules/pg'], version: '8.0.0' };
  });
  expect(olderPg.said).toContain('Installing dependencies');
  expect(runIn(({ packages }) => delete packages['node_modules/vitest']).said).toContain(
    'Installing dependencies',
  );
});
