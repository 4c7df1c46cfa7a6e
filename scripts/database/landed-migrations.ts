import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import {
  parseChecksums,
  readChecksums,
  readMigrations,
} from '../../src/kernel/resources/database/migration-files.ts';

const FOLDER = path.join(PROJECT_ROOT, 'migrations');
const LIST = 'migrations/landed.sha256';

/**
 * `migrations/landed.sha256` with a line for each file of migrations, and what is wrong with the files that have landed.
 * A file has landed when the list of the last commit has it; one that is newer may still change.
 */
export function landedMigrations(): { text: string; faults: string[] } {
  const found = new Map(readMigrations(FOLDER).map(({ name, checksum }) => [name, checksum]));
  const faults = [...committedChecksums()].flatMap(([name, checksum]) => {
    const now = found.get(name);
    if (now === checksum) return [];
    const what = now === undefined ? 'has landed and is gone' : 'has changed since it landed';
    return [
      `migrations/${name} ${what}: put it back, and write what you want to change as a new file. If it has only landed on a branch of yours, delete its line in ${LIST} and commit that.`,
    ];
  });
  return { text: [...found].map(([name, checksum]) => `${checksum}  ${name}\n`).join(''), faults };
}

/** The list of the last commit; the one that lies here where there is no git. */
function committedChecksums(): Map<string, string> {
  try {
    const text = execFileSync('git', ['show', `HEAD:${LIST}`], {
      cwd: PROJECT_ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return parseChecksums(text);
  } catch {
    return readChecksums(path.join(PROJECT_ROOT, LIST));
  }
}
