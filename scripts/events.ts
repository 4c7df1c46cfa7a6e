import path from 'node:path';
import { readSettings } from '../src/config/settings.ts';
import { besideTheProduct } from './beside-the-product.ts';
import { EVENTS_USAGE, manageEvents } from './manage-events.ts';

// `npm run events`: what goes out to automations, beside the running product.
try {
  const words = process.argv.slice(2);
  const settings = readSettings(process.env, path.join(import.meta.dirname, '..'));
  const said =
    words.length === 0
      ? EVENTS_USAGE
      : await besideTheProduct(settings, (database, keys) => manageEvents(database, keys, words, settings));
  process.stdout.write(`${said}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
