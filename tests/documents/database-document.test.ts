import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { databaseDocument } from '../../scripts/database/database-document.ts';
import { templateAddress } from '../support/test-app.ts';

test('docs/database.md describes the schema, and every trigger names its sources and the reverse', async () => {
  const client = new pg.Client({ connectionString: templateAddress() });
  await client.connect();
  try {
    const file = path.join(import.meta.dirname, '..', '..', 'docs', 'database.md');
    const { text, faults } = await databaseDocument(client);
    expect(faults).toEqual([]);
    expect(readFileSync(file, 'utf8'), 'write it with `npm run docs`').toBe(text);
  } finally {
    await client.end();
  }
});
