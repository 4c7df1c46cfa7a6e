import { readFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Product, runProduct, temporaryFolder } from './product-process.ts';

/** The name of a data folder that goes with the test. */
export function dataFolder(name = 'process'): string {
  const folder = temporaryFolder(name);
  onTestFinished(() => folder[Symbol.dispose]());
  return path.join(folder.path, 'data');
}

/** A product on that folder, which is stopped when the test is over. */
export function startProduct(
  data: string,
  settings: Record<string, string> = {},
  command?: [string, ...string[]],
): Product {
  const product = runProduct({
    settings: { DATA_DIR: data, ...settings },
    ...(command === undefined ? {} : { command }),
  });
  onTestFinished(async () => {
    try {
      product.signal('SIGTERM', 'group');
    } catch {
      // It has ended already.
    }
    await product.ended;
  });
  return product;
}

/** What an installation keeps in `keys.json`. */
export const keysOf = (data: string) => JSON.parse(readFileSync(path.join(data, 'keys.json'), 'utf8'));
