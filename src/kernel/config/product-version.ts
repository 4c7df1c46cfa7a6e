import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from './project-root.ts';

/** The version of this product, from package.json. */
export const PRODUCT_VERSION: string = JSON.parse(
  readFileSync(path.join(PROJECT_ROOT, 'package.json'), 'utf8'),
).version;
