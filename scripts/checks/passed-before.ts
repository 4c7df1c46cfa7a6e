import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { StaticCheck } from './static-checks.ts';

/** What is made here and belongs to nobody's sources; `.gitignore` has the same. */
const MADE = ['node_modules', '.git', 'dist', 'data', 'release', 'coverage', '.cache'];
const MADE_BESIDE = /^(?:dist\.|\.installing)/;
/** npm's list of what is installed: the tools and the types that they read. */
const INSTALLED = 'node_modules/.package-lock.json';

/**
 * Which checks have passed with exactly the files that are there now. A check is known by its command, the Node that
 * runs it, the installed packages, and the name and content of every file that it may read, so an old pass never hides
 * a fault.
 */
export class PassedBefore {
  readonly #root: string;
  readonly #folder: string;
  /** SHA-256 of each file by its path from the root, read when this run began. */
  readonly #files: readonly (readonly [file: string, hash: string])[];

  /** @param folder where passes are noted */
  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
    this.#files = sourceFiles(root).map((file) => [file, hashOf(path.join(root, file))]);
  }

  has(check: StaticCheck): boolean {
    const note = this.#noteOf(check);
    return existsSync(note) && readFileSync(note, 'utf8') === this.#keyOf(check);
  }

  /** Notes that a check passed with the files as they were when this run began. */
  add(check: StaticCheck): void {
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(this.#noteOf(check), this.#keyOf(check));
  }

  #noteOf({ name }: StaticCheck): string {
    return path.join(this.#folder, `${name.replaceAll(/\W+/g, '-')}.passed`);
  }

  #keyOf({ command, readsDocuments = false }: StaticCheck): string {
    const key = createHash('sha256').update(JSON.stringify([process.version, command]));
    const installed = path.join(this.#root, INSTALLED);
    if (existsSync(installed)) key.update(readFileSync(installed));
    for (const [file, hash] of this.#files)
      if (readsDocuments || !file.endsWith('.md')) key.update(`${file}\0${hash}\n`);
    return key.digest('hex');
  }
}

function sourceFiles(root: string): string[] {
  const exclude = (name: string): boolean =>
    MADE.includes(path.basename(name)) || MADE_BESIDE.test(path.basename(name));
  return globSync('**/*', { cwd: root, exclude })
    .concat(globSync('{.*,.*/**/*}', { cwd: root, exclude }))
    .filter((file) => statSync(path.join(root, file)).isFile())
    .sort();
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
