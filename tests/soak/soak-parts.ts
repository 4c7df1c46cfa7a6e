import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** One part of `npm run soak`. */
export interface SoakPart {
  readonly name: string;
  /** It is not started when fewer seconds are left. */
  readonly least: number;
  /** True when it runs for as long as it is given; otherwise it ends with its tests. */
  readonly endless: boolean;
  /** Its program or its test files, relative to the checkout. */
  readonly files: readonly string[];
}

/** Programs with `--minutes` and `--seed` that exit with 0 when they found no fault. */
const PROGRAMS: readonly (readonly [name: string, file: string, least: number])[] = [
  ['backups', 'tests/backup/run.ts', 90],
  ['crash', 'tests/crash/run.ts', 45],
  ['doors', 'tests/doors/run.ts', 60],
  ['events', 'tests/crash/kill-deliveries.ts', 45],
  ['storm', 'tests/storm/run.ts', 45],
  ['histories', 'tests/histories/run.ts', 45],
  ['outages', 'tests/outages/run.ts', 120],
  // Two processes, then four, each killed at least once.
  ['processes', 'tests/crash/kill-processes.ts', 150],
  // It starts two processes and waits for acknowledged work.
  ['surroundings', 'tests/surroundings/run.ts', 60],
];

/** Seconds that a test file of the soak takes on two idle cores, if that is more than usual. */
const SECONDS: Readonly<Record<string, number>> = {
  'killed-server': 130,
  'spoken-calls': 120,
  'calls-stay-here': 80,
  batch: 300,
  'document-corpus': 90,
  'picture-reading': 180,
  // 20,000 requests.
  'rolling-upgrade': 180,
  'killed-process': 90,
  // It fetches and builds everything.
  'oldest-versions': 240,
  // It packs two archives of a gigabyte.
  release: 120,
  'sip-fuzz': 110,
};
const USUAL_SECONDS = 60;

/**
 * Every part: the programs, each `*.soak.test.ts` by its name, and the property tests with inputs from the
 * seed.
 */
export function soakParts(): SoakPart[] {
  const programs = PROGRAMS.filter(([, file]) => existsSync(path.join(ROOT, file))).map(
    ([name, file, least]) => ({ name, files: [file], least, endless: true }),
  );
  const tests = globSync('{src,tests,packages}/**/*.soak.test.ts', { cwd: ROOT }).map((file) => {
    const name = path.basename(file, '.soak.test.ts');
    return { name, files: [file], least: SECONDS[name] ?? USUAL_SECONDS, endless: false };
  });
  const properties = { name: 'properties', files: propertyTests(), least: 120, endless: false };
  return [...programs, ...tests, properties].sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * Tests of `npm test` with generated inputs, which there are always the same; those of the soak are separate
 * parts.
 */
function propertyTests(): string[] {
  return globSync('{src,tests,packages}/**/*.test.ts', { cwd: ROOT }).filter(
    (file) =>
      !file.endsWith('.soak.test.ts') &&
      readFileSync(path.join(ROOT, file), 'utf8').includes("from 'fast-check'"),
  );
}
