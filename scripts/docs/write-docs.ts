import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { databaseDocument } from '../database/database-document.ts';
import { landedMigrations } from '../database/landed-migrations.ts';
import { withMigratedDatabase } from '../database/migrated-database.ts';
import { ownerFaults } from '../database/migration-owners.ts';
import { statementFiles } from '../database/statements/statement-file.ts';
import { folderFaults, withFolderList } from './folder-list.ts';
import { withPrivacyRecord } from './privacy-page.ts';
import { withSettingsTables } from './settings-table.ts';
import { withVoiceSettings } from './voice-settings-table.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** Files as they should be, by their path from the root, and what is wrong with what they are written from. */
interface Documents {
  readonly files: Map<string, string>;
  readonly faults: string[];
}

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** What is written from the sources and from the names and hashes of the migrations. */
function documentsOfSources(): Documents {
  const landed = landedMigrations();
  return {
    files: new Map([
      ['docs/settings.md', withSettingsTables(read('docs/settings.md'))],
      ['docs/voice-api.md', withVoiceSettings(read('docs/voice-api.md'))],
      ['ARCHITECTURE.md', withFolderList(read('ARCHITECTURE.md'))],
      ['migrations/landed.sha256', landed.text],
    ]),
    faults: [...folderFaults(), ...ownerFaults(), ...landed.faults],
  };
}

/** What is written from the schema, and from the statements that it has to fit. */
async function documentsOfSchema(client: pg.Client): Promise<Documents> {
  const privacy = await withPrivacyRecord(client, read('docs/privacy.md'));
  const database = await databaseDocument(client);
  const statements = await statementFiles(client);
  return {
    files: new Map([
      ['docs/privacy.md', privacy],
      ['docs/database.md', database.text],
      ...statements.files.map(({ file, text }) => [file, text] as const),
    ]),
    faults: [...database.faults, ...statements.faults],
  };
}

// `npm run docs`: what documents repeat from the code is written again. Where anything is wrong, all of it is said and
// nothing is written.
const ofSources = documentsOfSources();
const ofSchema = await withMigratedDatabase(documentsOfSchema).catch(
  (error: Error): Documents => ({
    files: new Map(),
    faults: [`The migrations do not run: ${error.message}.`],
  }),
);
const faults = [...ofSources.faults, ...ofSchema.faults];
if (faults.length > 0) {
  process.stderr.write(`${faults.map((fault) => `- ${fault}\n`).join('')}Nothing was written.\n`);
  process.exitCode = 1;
} else {
  for (const [file, text] of [...ofSources.files, ...ofSchema.files])
    writeFileSync(path.join(ROOT, file), text);
}
