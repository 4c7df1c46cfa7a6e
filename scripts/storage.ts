import path from 'node:path';
import { readSettings } from '../src/config/settings.ts';
import { besideTheProduct } from './beside-the-product.ts';
import { manageStorage } from './manage-storage.ts';

// `npm run storage`: copies the bytes of objects between stores, or reads and compares them all.
try {
  const settings = readSettings(process.env, path.join(import.meta.dirname, '..'));
  const { said, complete } = await besideTheProduct(settings, (database) =>
    manageStorage(database, settings, process.argv.slice(2), (line) => process.stderr.write(`${line}\n`)),
  );
  process.stdout.write(`${said}\n`);
  process.exitCode = complete ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
