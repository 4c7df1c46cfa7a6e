import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withSettingsTable } from './settings-table.ts';

// `npm run docs`: what documentation repeats from the code is written anew.
const readme = path.join(import.meta.dirname, '..', 'README.md');
writeFileSync(readme, withSettingsTable(readFileSync(readme, 'utf8')));
