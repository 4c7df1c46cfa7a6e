import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { needsSite, testFiles } from '../../tests/rings.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

/**
 * Builds the site where it is not current, unless every test file that the words name does without it.
 * Returns whether there is a current build now.
 *
 * @param words parts of paths as vitest takes them, `src/business/news` or `formats.test.ts:12`; none of them are all files
 */
export function buildSiteFor(words: readonly string[]): boolean {
  const parts = words.map((word) => path.normalize(word.replace(/:\d+$/, '').replace(`${ROOT}/`, '')));
  const files = testFiles().filter((file) => parts.some((part) => file.includes(part)));
  // A word that names no file may be one that vitest understands otherwise.
  if (files.length > 0 && !files.some(needsSite)) return false;
  const run = path.join(ROOT, 'scripts', 'run.cjs');
  const { status } = spawnSync(process.execPath, [run, '--with-site'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  return true;
}
