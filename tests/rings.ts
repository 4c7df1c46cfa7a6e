import { readFileSync } from 'node:fs';
import path from 'node:path';

/** How much a test file needs: nothing, the product in this process, a browser, whole processes; or it runs in `npm run soak` only. */
export type Ring = 'unit' | 'app' | 'browser' | 'process' | 'soak';

const SUPPORT: readonly (readonly [Ring, RegExp])[] = [
  ['process', /support\/servers\/product-process\.ts$/],
  ['browser', /support\/browser\.ts$/],
  ['app', /support\/(test-app|test-database)\.ts$/],
];
const IMPORTED = /^(?:import|export)\s[^'"]*['"](\.[^'"]+)['"]/gm;

/** The ring of a test file, which follows from its name and from what it imports, however far away. */
export function ringOf(file: string): Ring {
  if (file.endsWith('.soak.test.ts')) return 'soak';
  const reached = reachedBy(path.resolve(file), new Set());
  return SUPPORT.find(([, support]) => [...reached].some((one) => support.test(one)))?.[0] ?? 'unit';
}

/** Support files are followed; the product's own files are not, they import no tests. */
function reachedBy(file: string, known: Set<string>): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
    const imported = path.resolve(path.dirname(file), name);
    if (/[\\/]tests[\\/].*\.ts$/.test(imported)) reachedBy(imported, known);
  }
  return known;
}
