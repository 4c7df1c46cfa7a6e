import { readFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Product, runProduct, temporaryFolder } from './product-process.ts';

/** The path of a data folder that is removed after the test. */
export function dataFolder(name = 'process'): string {
  const folder = temporaryFolder(name);
  onTestFinished(() => folder[Symbol.dispose]());
  return path.join(folder.path, 'data');
}

/** A product on that folder, which is stopped after the test. */
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
      // It has already ended.
    }
    await product.ended;
  });
  return product;
}

/** The content of an installation's `keys.json`. */
export const keysOf = (data: string) => JSON.parse(readFileSync(path.join(data, 'keys.json'), 'utf8'));
