import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** The parts of the checkout that a release contains besides `node_modules`. */
const PARTS = [
  'LICENSE',
  'README.md',
  'ARCHITECTURE.md',
  '.npmrc',
  'package.json',
  'package-lock.json',
  'vite.config.ts',
  'bin',
  'deploy',
  'dist',
  'docs',
  'migrations',
  'packages',
  'scripts/run.cjs',
  'scripts/supervise.cjs',
  'scripts/build',
  'src',
];
/**
 * Not needed to run; `scripts/run.cjs` leaves out the same when it checks whether the build is up to date.
 */
const LEFT_OUT = /\.test\.[a-z]+$|\.fixture\.|(?:^|\/)node_modules\/\.bin(?:\/|$)|^docs\/screenshots\//;
/** Parts of packages that are for other machines, for compiling, or for reading. */
const UNUSED_IN_PACKAGES =
  /^node_modules\/node-[^/]+\/(?:include|share)\/|\/bin\/napi-v\d+\/(?!PLATFORM\/)|^node_modules\/\.(?!installed-lock$)/;

interface LockEntry {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly version?: string;
  readonly integrity?: string;
}

/** Folders of the production packages that are installed on this machine, in order. */
export function releasedPackages(root: string): string[] {
  return installed(root, ({ link }) => link !== true);
}

/** Links from `node_modules` to our own packages, by which everything finds them. */
function packageLinks(root: string): string[] {
  return installed(root, ({ link }) => link === true);
}

function installed(root: string, wanted: (entry: LockEntry) => boolean): string[] {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  return Object.entries(lock.packages)
    .filter(([place, entry]) => place !== '' && entry.dev !== true && wanted(entry))
    .map(([place]) => place)
    .filter((place) => existsSync(path.join(root, place)))
    .sort();
}

/**
 * Every file and link of a release, relative to `root`, sorted.
 *
 * @param platform such as `linux-x64`
 */
export function releaseFiles(root: string, platform: string): string[] {
  const unused = new RegExp(UNUSED_IN_PACKAGES.source.replace('PLATFORM', platform.replace('-', '/')));
  const packages = releasedPackages(root);
  const nested = new Set(packages);
  const found = [...PARTS, 'node_modules/.installed-lock'].flatMap((part) => filesBelow(root, part));
  found.push(...packageLinks(root));
  for (const place of packages) {
    // A package's own packages are separate entries, and may be for development only.
    found.push(
      ...filesBelow(root, place, (folder) => path.basename(folder) !== 'node_modules' || nested.has(folder)),
    );
  }
  return [...new Set(found)].filter((file) => !LEFT_OUT.test(file) && !unused.test(file)).sort();
}

function filesBelow(root: string, part: string, enters: (folder: string) => boolean = () => true): string[] {
  const place = path.join(root, part);
  if (!existsSync(place)) throw new Error(`There is no ${part}: install and build first.`);
  if (!statSync(place).isDirectory()) return [part];
  return readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
    const name = `${part}/${entry.name}`;
    if (!entry.isDirectory()) return [name];
    return enters(name) ? filesBelow(root, name, enters) : [];
  });
}
