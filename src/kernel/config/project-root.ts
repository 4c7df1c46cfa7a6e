import { existsSync } from 'node:fs';
import path from 'node:path';

/** The checkout's folder, also when this code runs from the bundle in `dist/server`. */
export const PROJECT_ROOT = findRoot(import.meta.dirname);

function findRoot(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error('The folder of Northline has no package.json: install it again.');
  return findRoot(parent);
}
