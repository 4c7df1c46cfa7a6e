import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Field } from '../../../packages/document-reader/src/contract/report.contract.ts';
import { type Customer, newCustomer, upload } from '../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../tests/support/customers/stored-report.ts';
import { overtake } from '../../../tests/support/held-lock.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { storeRowsOfFile } from './own-fields/document-rows.server.ts';
import { endLateAnalyses, endLostAnalyses } from './requests/analysis-watch.server.ts';
import { readArrivals } from './rules/arrived-documents.server.ts';

const FIELDS: readonly Field[] = [
  { key: 'total', label: 'Total', value: '£12.40', type: 'money', confidence: 1, source: 'text', cites: [] },
];
const LOCK = 'select 1 from public.user_files where id = $1 for update';
const DELETE = 'delete from public.user_files where id = $1';

describe('a file can be deleted at the moment at which', () => {
  let app: TestApp;
  let owner: Customer;
  beforeAll(async () => {
    app = await startTestApp();
    owner = await newCustomer(app, 'owner');
  });
  afterAll(() => app.close());

  const newReport = async (): Promise<string> => {
    const fileId = await storeReport(app, owner, { name: 'bill.txt', texts: ['A bill.'], fields: FIELDS });
    await expect.poll(() => waits(fileId)).toBe(false);
    return fileId;
  };
  const waits = async (fileId: string): Promise<boolean> =>
    (await app.resources.database.maybe('select 1 from private.arrived_documents where file_id = $1', [
      fileId,
    ])) !== undefined;
  /** Does `work` while the file is locked, deletes the file once a statement waits for it, and returns the outcome. */
  const whileDeleted = async <Result>(fileId: string, work: () => Promise<Result>): Promise<Result> => {
    const result = await overtake(app, work, [LOCK, [fileId], DELETE]);
    const left = 'select 1 from public.user_files where id = $1';
    expect(await app.resources.database.maybe(left, [fileId])).toBeUndefined();
    return result;
  };

  test('a fact of it is corrected', async () => {
    const fileId = await newReport();
    const fact = { file_id: fileId, key: 'total', original: '£12.40', value: '£99.00' };
    const { status } = await whileDeleted(fileId, () => callFunction(app, 'correct-fact', owner.token, fact));
    expect(status).toBe(404);
  });

  test('the correction that it follows is forgotten', async () => {
    const { database } = app.resources;
    const [taught, follower] = [await newReport(), await newReport()];
    const { id } = await database.one(
      `insert into northline_app.correction_precedents (user_id, file_id, key, senders, value)
       values ($1, $2, 'supplier', array['iban 1'], 'Finch Ltd') returning id`,
      [owner.id, taught],
    );
    await database.run(
      `insert into northline_app.analysis_corrections (file_id, key, original, value, user_id, precedent_id)
       values ($1, 'supplier', 'Fnch', 'Finch Ltd', $2, $3)`,
      [follower, owner.id, id],
    );
    const { body } = await whileDeleted(follower, () =>
      callFunction(app, 'forget-correction', owner.token, { precedent_id: id }),
    );
    expect(body).toEqual({ forgotten: true });
  });

  test('a rule renames it', async () => {
    const { database } = app.resources;
    const fileId = await newReport();
    await database.run(
      `insert into northline_app.document_rules (user_id, name, wanted, acts, since)
       values ($1, 'Names', '{}', '{"name":"{kind} {total}"}', '2020-01-01T00:00:00Z')`,
      [owner.id],
    );
    await whileDeleted(fileId, async () => {
      await database.run('insert into private.arrived_documents (file_id) values ($1)', [fileId]);
      await readArrivals(app.resources);
    });
  });

  test('its lines are read again', async () => {
    const { database } = app.resources;
    const fileId = await newReport();
    const store = () => database.transaction((queries) => storeRowsOfFile(queries, fileId, []));
    await store();
    await whileDeleted(fileId, store);
  });

  test.each([
    ['late', -1, 0, endLateAnalyses],
    ['lost', 1, -1, endLostAnalyses],
  ] as const)('a round ends %s analyses: it passes the file by', async (_kind, deadline, updated, end) => {
    const { database } = app.resources;
    const locked = await upload(owner, 'letter-rent-review.txt');
    const free = await upload(owner, 'letter-rent-review.txt');
    for (const fileId of [locked, free])
      await database.run(
        `insert into private.analyses (file_id, user_id, target, state, deadline_at, updated_at)
         values ($1, $2, 'embedded', 'sent', now() + $3 * interval '1 hour', now() + $4 * interval '1 hour')`,
        [fileId, owner.id, deadline, updated],
      );
    await database.transaction(async (queries) => {
      await queries.run(LOCK, [locked]);
      await end(app);
      await queries.run(DELETE, [locked]);
    });
    const ended = await database.one('select state from private.analyses where file_id = $1', [free]);
    expect(ended.state).toBe('failed');
  });
});
