import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  asQueryString,
  asSql,
  generatedQuery,
  NUMBERS,
  TAGS,
  TEXTS,
} from '../../../tests/support/generated-queries.ts';
import { propertyRuns } from '../../../tests/support/property-runs.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.resources.database.run(
    uncheckedSql(
      `
    create table public.samples (id int primary key, n int, t text, b boolean, p numeric, tags text[], j jsonb);
    grant select on public.samples to service_role`,
      'command',
    ),
  );
  const pick = <T>(list: readonly T[], at: number): T | null => list[at % (list.length + 1)] ?? null;
  for (let id = 0; id < 60; id += 1) {
    const json = { k: pick(TEXTS, id * 7), d: [pick(NUMBERS, id)] };
    await app.resources.database.run(
      uncheckedSql('insert into public.samples values ($1, $2, $3, $4, $5, $6, $7)', 'foreign'),
      [
        ...[id, pick(NUMBERS, id * 5), pick(TEXTS, id), pick([true, false], id), pick(NUMBERS, id * 3)],
        ...[id % 7 === 0 ? null : TAGS.filter((_, at) => (id >> at) % 2 === 0)],
        id % 11 === 0 ? null : JSON.stringify(json),
      ],
    );
  }
});
afterAll(() => app.close());

test('generated queries return the rows of the same query written by hand', async () => {
  const headers = { apikey: app.serviceKey };
  await fc.assert(
    fc.asyncProperty(generatedQuery, async (query) => {
      const reply = await fetch(`${app.url}/rest/v1/samples?${asQueryString(query)}`, { headers });
      const body = await reply.text();
      expect(reply.status, body).toBeOneOf([200, 206]);
      const { rows } = await app.resources.database.one(
        uncheckedSql<{ rows: unknown[] }>(
          `select coalesce(json_agg(row_to_json(item)), '[]') as rows from (${asSql(query)}) as item`,
          'composed',
        ),
      );
      expect(JSON.parse(body)).toEqual(rows);
    }),
    { numRuns: propertyRuns(100) },
  );
});
