import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  BROWSER_PACKAGES,
  FEATURE_IMPORTS,
  FEWEST_FILES_IN_A_FOLDER,
  FLOORS,
  LARGE_FEATURE,
  LAYERS,
  MOST_FILES_IN_A_FOLDER,
  PARTS,
  SMALL_FOLDERS,
  WITHOUT_PARTS,
} from '../src/plan.ts';
import { LONG_WAYS, MAIN_WAYS, ringOf, SECOND_DATABASE } from './rings.ts';

const ROOT = path.join(import.meta.dirname, '..');

interface SourceFile {
  /** Relative to the root, with slashes. */
  readonly file: string;
  readonly text: string;
  readonly imports: readonly { target: string; typeOnly: boolean }[];
}

// Of a package only its sources: a test builds and removes what it publishes.
const packages = globSync('packages/*/src', { cwd: ROOT });
const files = ['src', 'scripts', 'tests', 'bench', ...packages].flatMap(readTree);
const source = files.filter(({ file }) => file.startsWith('src/'));
const known = new Map(files.map((entry) => [entry.file, entry]));

function readTree(folder: string): SourceFile[] {
  if (!existsSync(path.join(ROOT, folder))) return [];
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        !path.relative(ROOT, entry.parentPath).includes('node_modules') &&
        /\.(ts|tsx|cjs)$/.test(entry.name),
    )
    .map((entry) => {
      const absolute = path.join(entry.parentPath, entry.name);
      const file = path.relative(ROOT, absolute).replaceAll(path.sep, '/');
      const text = readFileSync(absolute, 'utf8');
      return { file, text, imports: importsOf(file, text) };
    });
}

/** Every import and re-export; relative ones as paths from the root. */
function importsOf(file: string, text: string): { target: string; typeOnly: boolean }[] {
  const found = text.matchAll(
    /^(?:import|export)\s+(type\s+)?(?:[^'";]*?from\s+)?'([^']+)';?$|\bimport\('([^']+)'\)/gm,
  );
  return [...found].map(([, type, from, dynamic]) => {
    const target = from ?? dynamic ?? '';
    return {
      target: target.startsWith('.')
        ? path.posix.join(path.posix.dirname(file), target.split('?')[0] ?? '')
        : target,
      typeOnly: type !== undefined,
    };
  });
}

/** Wings whose folders are features; the other folders of `src` are layers as a whole. */
const WINGS = ['platform', 'business', 'voice'];
const layerOf = (file: string): string | undefined => /^src\/([^/]+)\//.exec(file)?.[1];
const featureOf = (file: string): string | undefined => {
  const [, wing = '', feature = ''] = /^src\/([^/]+)\/([^/]+)\//.exec(file) ?? [];
  return WINGS.includes(wing) ? `${wing}/${feature}` : undefined;
};
const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);
const isBrowser = (file: string): boolean =>
  !isTest(file) && (/^src\/(ui|site)\//.test(file) || /\.web\.tsx?$/.test(file));
const isContract = (file: string): boolean =>
  !isTest(file) && (file.startsWith('src/kernel/contract/') || file.endsWith('.contract.ts'));

/** `a imports b` for every import to which `wrong` objects. */
function offences(among: readonly SourceFile[], wrong: (target: string, from: string) => boolean): string[] {
  return among.flatMap(({ file, imports }) =>
    imports.filter(({ target }) => wrong(target, file)).map(({ target }) => `${file} imports ${target}`),
  );
}

/** The folder of `@northline/call`. */
const folderOf = (name: string): string => name.replace(/^@northline\/([^/]+).*$/, 'packages/$1');
/** Whether what a package exports runs in a browser: all of some packages, the contract of any. */
const runsInBrowser = (name: string): boolean =>
  BROWSER_PACKAGES.includes(folderOf(name)) || name.endsWith('.contract');

test('the browser and the contract import nothing of the server and nothing of Node', () => {
  const shared = source.filter(({ file }) => isBrowser(file) || isContract(file));
  expect(
    offences(
      shared,
      (target) =>
        target.startsWith('node:') ||
        /\.server\.ts$|^src\/kernel\/(?!contract\/)|^src\/cli\//.test(target) ||
        (target.startsWith('@northline/') && !runsInBrowser(target)),
    ),
  ).toEqual([]);
});

const packageOf = (file: string): string => file.split('/').slice(0, 2).join('/');
const inPackages = files.filter(({ file }) => file.startsWith('packages/'));
/** Names that a package may import: those of its `package.json`, with what is built into its scripts. */
const declared = new Map(
  packages.map((folder) => {
    const text = readFileSync(path.join(ROOT, folder, '..', 'package.json'), 'utf8');
    const { dependencies, devDependencies } = JSON.parse(text) as Record<string, Record<string, string>>;
    return [packageOf(folder), Object.keys({ ...dependencies, ...devDependencies })];
  }),
);

test('a package imports its own files and the packages that its package.json names', () => {
  expect(declared.size).toBeGreaterThan(2);
  expect(
    offences(
      inPackages.filter(({ file }) => !isTest(file) && !file.endsWith('.fixture.ts')),
      (target, from) =>
        !target.startsWith(`${packageOf(from)}/src/`) &&
        !(target.startsWith('node:') && !BROWSER_PACKAGES.includes(packageOf(from))) &&
        !declared.get(packageOf(from))?.some((name) => target === name || target.startsWith(`${name}/`)),
    ),
  ).toEqual([]);
});

test('the contract of a package imports only contracts and nothing of Node', () => {
  const contract = inPackages.filter(({ file }) => isContract(file));
  expect(contract.length).toBeGreaterThan(0);
  expect(
    offences(
      contract,
      (target) => target.startsWith('node:') || (target.startsWith('packages/') && !isContract(target)),
    ),
  ).toEqual([]);
});

test.each(Object.entries(FLOORS))('%s: each floor imports only those below it', (folder, floors) => {
  const stands = (file: string): number =>
    floors.indexOf(file.slice(`${folder}/src/`.length).split('/')[0] ?? '');
  const own = inPackages.filter(
    ({ file }) =>
      file.startsWith(`${folder}/src/`) &&
      path.posix.dirname(file) !== `${folder}/src` &&
      !isTest(file) &&
      !file.endsWith('.fixture.ts'),
  );
  expect(own.filter(({ file }) => stands(file) < 0).map(({ file }) => file)).toEqual([]);
  expect(new Set(own.map(({ file }) => stands(file))).size).toBe(floors.length);
  expect(
    offences(own, (target, from) => target.startsWith(`${folder}/`) && stands(target) > stands(from)),
  ).toEqual([]);
});

test('the tests of a package know nothing of the product either', () => {
  expect(offences(inPackages, (target) => /^(src|tests|scripts|bench)\//.test(target))).toEqual([]);
});

test('nobody reaches into a package past its exports', () => {
  const production = source.filter(({ file }) => !isTest(file));
  expect(offences(production, (target) => target.startsWith('packages/'))).toEqual([]);
});

test('the contract imports only the contract', () => {
  const contract = source.filter(({ file }) => isContract(file));
  expect(offences(contract, (target) => target.startsWith('src/') && !isContract(target))).toEqual([]);
});

test('the server imports nothing of the browser', () => {
  const server = source.filter(({ file }) => !isBrowser(file) && !isContract(file) && !isTest(file));
  expect(offences(server, isBrowser)).toEqual([]);
});

test('a layer imports only what lies below it', () => {
  const layered = source.filter(({ file }) => layerOf(file) !== undefined && !isTest(file));
  expect(
    offences(layered, (target, from) => {
      const own = layerOf(from) ?? '';
      const other = layerOf(target);
      if (other === undefined) return target.startsWith('src/') && own !== 'cli';
      return other !== own && !LAYERS[own]?.includes(other);
    }),
  ).toEqual([]);
});

/** What every product of a process may share: today's date, as a header has it. */
const SHARED_STATE = ['src/kernel/http/site/single-write-reply.ts'];

test('the content of a site is handed on: a server keeps no state in a module, and content is made in two places', () => {
  const inProduction = source.filter(({ file }) => !isTest(file));
  const inServer = inProduction.filter(
    ({ file }) => !isBrowser(file) && !file.endsWith('-process.server.ts'),
  );
  const holders = inServer.filter(({ text }) => /^(?:export )?(?:let|var) /m.test(text));
  expect(holders.map(({ file }) => file)).toEqual(SHARED_STATE);
  const makers = inProduction.filter(({ text }) => text.includes('new PublishedSite('));
  expect(makers.map(({ file }) => file).sort()).toEqual([
    'src/kernel/resources/resources.ts',
    'src/ui/brand.ts',
  ]);
});

test('resources know nothing of HTTP', () => {
  const resources = source.filter(
    ({ file }) => /^src\/kernel\/(resources|config)\//.test(file) && !isTest(file),
  );
  expect(offences(resources, (target) => /^src\/kernel\/(http|functions)\//.test(target))).toEqual([]);
});

test('a feature imports another only where the plan says so', () => {
  const inFeatures = source.filter(({ file }) => featureOf(file) !== undefined && !isTest(file));
  expect(
    offences(inFeatures, (target, from) => {
      const other = featureOf(target);
      const own = featureOf(from) ?? '';
      return other !== undefined && other !== own && !FEATURE_IMPORTS[own]?.includes(other);
    }),
  ).toEqual([]);
});

test('the plan names every feature, and has no cycle', () => {
  const features = new Set(source.map(({ file }) => featureOf(file)).filter((name) => name !== undefined));
  expect([...features].filter((name) => FEATURE_IMPORTS[name] === undefined)).toEqual([]);
  expect(findCycle((name) => FEATURE_IMPORTS[name] ?? [], Object.keys(FEATURE_IMPORTS))).toEqual([]);
});

/** The sub-folder of its feature that a file lies in; undefined for files directly in the feature's folder. */
const partOf = (file: string): string | undefined => /^src\/[^/]+\/[^/]+\/([^/]+)\//.exec(file)?.[1];

test('a part of a large feature imports another only where the plan says so, types included', () => {
  const inParts = source.filter(
    ({ file }) => PARTS[featureOf(file) ?? ''] !== undefined && partOf(file) !== undefined && !isTest(file),
  );
  expect(inParts.length).toBeGreaterThan(100);
  expect(
    offences(inParts, (target, from) => {
      const [feature, own, other] = [featureOf(from) ?? '', partOf(from) ?? '', partOf(target)];
      const isOther = featureOf(target) === feature && other !== undefined && other !== own;
      return isOther && PARTS[feature]?.[own]?.includes(other) !== true;
    }),
  ).toEqual([]);
});

test('the plan names the parts of every large feature, and has no cycle among them', () => {
  const lines = new Map<string, number>();
  const parts = new Map<string, Set<string>>();
  for (const { file, text } of source.filter((entry) => !isTest(entry.file))) {
    const feature = featureOf(file);
    if (feature === undefined) continue;
    lines.set(feature, (lines.get(feature) ?? 0) + text.split('\n').length - 1);
    const part = partOf(file);
    if (part !== undefined) parts.set(feature, (parts.get(feature) ?? new Set()).add(part));
  }
  const large = [...lines].filter(([, count]) => count > LARGE_FEATURE).map(([feature]) => feature);
  expect(large.filter((feature) => PARTS[feature] === undefined && !WITHOUT_PARTS.includes(feature))).toEqual(
    [],
  );
  expect(WITHOUT_PARTS.filter((feature) => !large.includes(feature))).toEqual([]);
  for (const [feature, plan] of Object.entries(PARTS)) {
    expect(Object.keys(plan).sort(), feature).toEqual([...(parts.get(feature) ?? [])].sort());
    expect(
      findCycle((part) => plan[part] ?? [], Object.keys(plan)),
      feature,
    ).toEqual([]);
  }
});

test('no file imports itself indirectly', () => {
  const next = (file: string): string[] =>
    known
      .get(file)
      ?.imports.filter(({ target, typeOnly }) => !typeOnly && known.has(target))
      .map(({ target }) => target) ?? [];
  expect(findCycle(next, [...known.keys()])).toEqual([]);
});

/** The nodes of one cycle, or an empty list. */
function findCycle(next: (node: string) => readonly string[], nodes: readonly string[]): string[] {
  const done = new Set<string>();
  const walk = (node: string, way: string[]): string[] => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return [];
    for (const follower of next(node)) {
      const cycle = walk(follower, [...way, node]);
      if (cycle.length > 0) return cycle;
    }
    done.add(node);
    return [];
  };
  return nodes.map((node) => walk(node, [])).find((cycle) => cycle.length > 0) ?? [];
}

test('names of features’ files end in their role', () => {
  const named =
    /^src\/[a-z]+\/([a-z0-9-]+\/)+[a-z0-9-]+(\.(server|contract|web)|(\.(server|contract|web|property))?\.test)\.tsx?$/;
  expect(
    source.map(({ file }) => file).filter((file) => featureOf(file) !== undefined && !named.test(file)),
  ).toEqual([]);
});

test('no file is a collection of helpers or a barrel', () => {
  const drawer =
    /(^|\/)(utils?|helpers?|common|misc|types|index|shared)(\.[a-z]+)*\.tsx?$|\/(utils?|helpers?|common)\//;
  expect(files.map(({ file }) => file).filter((file) => drawer.test(file))).toEqual([]);
  expect(source.filter(({ text }) => /^export \* from/m.test(text)).map(({ file }) => file)).toEqual([]);
});

test('only pages are default exports', () => {
  const others = source.filter(({ file }) => !file.startsWith('src/site/pages/'));
  expect(others.filter(({ text }) => /^export default /m.test(text)).map(({ file }) => file)).toEqual([]);
});

test('no folder holds more source files than a reader can survey', () => {
  const counts = new Map<string, number>();
  for (const { file } of files.filter((entry) => !isTest(entry.file))) {
    const folder = path.posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count > MOST_FILES_IN_A_FOLDER)).toEqual([]);
});

test('a sub-folder holds enough files to be worth opening, or the plan says why not', () => {
  const isSubFolder = (folder: string): boolean => /^(?:src\/[^/]+|packages)\/[^/]+\/(?!src$)/.test(folder);
  const counts = new Map<string, number>();
  for (const { file } of files.filter((entry) => !isTest(entry.file))) {
    const folder = path.posix.dirname(file);
    if (isSubFolder(folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const small = [...counts].filter(([, count]) => count < FEWEST_FILES_IN_A_FOLDER).map(([folder]) => folder);
  expect(small.sort()).toEqual(Object.keys(SMALL_FOLDERS).sort());
});

test('a test waits for what it expects, with the patience of the run, and sets no time of its own', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    [
      'a time-out of its own',
      /\.poll\([^;]*?\{\s*timeout:|test(?:Timeout):|^(?: {2})?\}, \d[\d_]{3,}\);|\{ timeout: \d[\d_]* \}, (?:async )?\(/m,
    ],
    ['a wall of time', /expect\((?:performance|Date)\.now\(\) -/],
    ['a seed of the clock', /seed\w* = Date\.now\(\)/],
    ['a retry', /\bretry: \d/],
  ];
  const inRings = files.filter(({ file }) => isTest(file) && !file.endsWith('.soak.test.ts'));
  const found = inRings.flatMap(({ file, text }) => [
    ...refused.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${file}: ${what}`),
    ...ownTimeouts(text).map((name) => `${file}: the time-out ${name}`),
    ...polledConstants(text).map((name) => `${file}: polls ${name}, which was read once`),
  ]);
  expect(found).toEqual([]);
});

/** Constant times that are passed to a test as its time-out. */
function ownTimeouts(text: string): string[] {
  const handed = [...text.matchAll(/\},\n +([A-Z_]{3,}),\n *\);/g)].map(([, name = '']) => name);
  return handed.filter((name) => new RegExp(`const ${name} = \\d[\\d_]*;`).test(text));
}

/** Names that are polled although their value was already awaited. */
function polledConstants(text: string): string[] {
  const polled = [...text.matchAll(/\.poll\(\(\) => (\w+)\b(?!\()/g)].map(([, name = '']) => name);
  return polled.filter((name) =>
    new RegExp(`const ${name} = await database\\.|const ${name} = await \\w+\\.many`).test(text),
  );
}

test('the lists of the rings name files that exist, and the second database has at most twenty of them', () => {
  const listed = [...MAIN_WAYS, ...LONG_WAYS, ...SECOND_DATABASE];
  expect(listed.filter((file) => !known.has(file))).toEqual([]);
  expect(SECOND_DATABASE.length).toBeLessThanOrEqual(20);
  // A file that opens no database learns nothing from a second one.
  expect(SECOND_DATABASE.filter((file) => ringOf(file) === 'unit')).toEqual([]);
});
