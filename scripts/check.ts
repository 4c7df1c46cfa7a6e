import path from 'node:path';
import { maskedSettings } from '../src/config/masked-settings.ts';
import { readSettings } from '../src/config/settings.ts';

// `npm run check`: the settings that a start would use, secrets masked; or the sentence that a start would say.
try {
  const settings = readSettings(process.env, path.join(import.meta.dirname, '..'));
  const lines = Object.entries(maskedSettings(settings)).map(([name, value]) => `${name}=${value}\n`);
  process.stdout.write(lines.join(''));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
