import { readFileSync } from 'node:fs';
import path from 'node:path';
import { makeRelease } from './release-archive.ts';

// npm run release [-- FOLDER]: FOLDER defaults to `release`.
const folder = path.resolve(process.env.INIT_CWD ?? '.', process.argv[2] ?? 'release');
const made = await makeRelease(folder);
process.stdout.write(`${made.map((file) => path.join(folder, file)).join('\n')}\n`);
process.stdout.write(readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8'));
