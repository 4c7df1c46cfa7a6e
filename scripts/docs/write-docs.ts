import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { databaseDocument } from '../database/database-document.ts';
import { withMigratedDatabase } from '../database/migrated-database.ts';
import { statementFiles } from '../database/statements/statement-file.ts';
import { withPrivacyRecord } from './privacy-page.ts';
import { writePromises } from './promises.ts';
import { withSettingsTables } from './settings-table.ts';
import { withVoiceSettings } from './voice-settings-table.ts';

// `npm run docs`: writes again what the documentation repeats from the code.
const root = path.join(import.meta.dirname, '..', '..');
const settings = path.join(root, 'docs', 'settings.md');
writeFileSync(settings, withSettingsTables(readFileSync(settings, 'utf8')));
const voice = path.join(root, 'docs', 'voice-api.md');
writeFileSync(voice, withVoiceSettings(readFileSync(voice, 'utf8')));
const privacy = path.join(root, 'docs', 'privacy.md');
writePromises();
await withMigratedDatabase(async (client) => {
  writeFileSync(privacy, await withPrivacyRecord(client, readFileSync(privacy, 'utf8')));
  writeFileSync(path.join(root, 'docs', 'database.md'), await databaseDocument(client));
  const { files, faults } = await statementFiles(client);
  for (const { file, text } of files) writeFileSync(path.join(root, file), text);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
});
