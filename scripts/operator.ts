import path from 'node:path';
import { readSettings } from '../src/config/settings.ts';
import { besideTheProduct } from './beside-the-product.ts';
import { manageOperators, OPERATOR_USAGE } from './manage-operators.ts';

// `npm run operator`: who may use the console at /operator.
try {
  const words = process.argv.slice(2);
  const settings = readSettings(process.env, path.join(import.meta.dirname, '..'));
  const said =
    words.length === 0
      ? OPERATOR_USAGE
      : await besideTheProduct(settings, (database) => manageOperators(database, words));
  process.stdout.write(`${said}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
