import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../src/kernel/config/project-root.ts';
import { withMigratedDatabase } from '../migrated-database.ts';
import { statementFiles } from './statement-file.ts';

// Part of `npm run lint`: checks that every fixed statement in the sources fits the schema, and that its
// generated types are current.
const { files, faults, statements } = await withMigratedDatabase(statementFiles);
const stale = files.filter(({ file, text }) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8') !== text);
for (const fault of faults) process.stdout.write(`${fault}\n`);
for (const { file } of stale) process.stdout.write(`${file} is not current: npm run docs writes it.\n`);
process.stdout.write(`${statements} statements, ${faults.length} that do not fit the schema\n`);
process.exitCode = faults.length + stale.length === 0 ? 0 : 1;
