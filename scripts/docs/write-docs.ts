import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { databaseDocument } from '../database/database-document.ts';
import { withMigratedDatabase } from '../database/migrated-database.ts';
import { statementFiles } from '../database/statements/statement-file.ts';
import { withPrivacyRecord } from './privacy-page.ts';
import { withSettingsTable } from './settings-table.ts';
import { withVoiceSettings } from './voice-settings-table.ts';

// `npm run docs`: what documentation repeats from the code is written again.
const root = path.join(import.meta.dirname, '..', '..');
const readme = path.join(root, 'README.md');
writeFileSync(readme, withSettingsTable(readFileSync(readme, 'utf8')));
const voice = path.join(root, 'docs', 'voice-api.md');
writeFileSync(voice, withVoiceSettings(readFileSync(voice, 'utf8')));
const privacy = path.join(root, 'docs', 'privacy.md');
await withMigratedDatabase(async (client) => {
  writeFileSync(privacy, await withPrivacyRecord(client, readFileSync(privacy, 'utf8')));
  writeFileSync(path.join(root, 'docs', 'database.md'), await databaseDocument(client));
  const { files, faults } = await statementFiles(client);
  for (const { file, text } of files) writeFileSync(path.join(root, file), text);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
});
