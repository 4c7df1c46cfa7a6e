import path from 'node:path';
import { readSettings } from '../src/config/settings.ts';
import { manageKeys } from './manage-keys.ts';

// `npm run keys`: what signs and verifies tokens, beside the running product.
try {
  const settings = readSettings(process.env, path.join(import.meta.dirname, '..'));
  process.stdout.write(`${await manageKeys(settings.DATA_DIR, process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
