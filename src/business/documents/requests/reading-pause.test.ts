import { expect, onTestFinished, test } from 'vitest';
import { READER_LIMITS } from '../../../../packages/document-reader/src/reader/reader-run.ts';
import { readDocument } from '../../../../packages/document-reader/src/samples/document-reader.fixture.ts';
import { makeDocuments } from '../../../../packages/document-reader/src/samples/make-documents.fixture.ts';
import { claims } from '../../../../tests/support/claims.ts';
import {
  analyze,
  type Customer,
  newCustomer,
  settled,
  upload,
} from '../../../../tests/support/customers/analysis-customer.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { findPause, noteReading, pausedUntil } from './reading-pause.server.ts';

const LETTER = 'letter-rent-review.txt';
const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 22, 12, minute));

test('pauses grow from the second document in a row to a quarter of an hour, and a wrong clock cannot make them longer', () => {
  const minutes = [1, 2, 3, 4, 5, 6, 7, 500].map((count) => {
    const until = pausedUntil({ count, ended_at: at(0) }, at(0));
    return until === undefined ? 0 : (until.getTime() - at(0).getTime()) / 60_000;
  });
  expect(minutes).toEqual([0, 1, 2, 4, 8, 15, 15, 15]);
  expect(pausedUntil({ count: 3, ended_at: at(0) }, at(1))).toEqual(at(2));
  expect(pausedUntil({ count: 3, ended_at: at(0) }, at(2))).toBeUndefined();
  expect(pausedUntil({ count: 3, ended_at: at(40) }, at(2))).toBeUndefined();
});

test('a document that ends the reader differs from one that is refused', async () => {
  claims('On our own server, in a process of its own for each document.');
  const content = makeDocuments()[LETTER] ?? Buffer.alloc(0);
  const ended = await readDocument('a.txt', content, { limits: { ...READER_LIMITS, memoryBytes: 1 } });
  expect(ended).toMatchObject({ outcome: 'unreadable', code: 'too_large', readerEnded: true });
  const refused = await readDocument('a.pdf', Buffer.from('%PDF-1.4 nothing'));
  expect(refused).toMatchObject({ outcome: 'unreadable' });
  expect(refused).not.toHaveProperty('readerEnded');
});

/** The id of an analysis of the file that has ended. */
async function endedAnalysis(app: TestApp, { id }: Customer, fileId: string): Promise<string> {
  const row = await app.resources.database.one(
    `insert into private.analyses (file_id, user_id, target, state, deadline_at, context)
     values ($1, $2, 'embedded', 'failed', now(), '{}') returning id`,
    [fileId, id],
  );
  return row.id;
}

test('the same analysis counts once, a refused one never; a day later or after a success the count starts again', async () => {
  const app = await startTestApp();
  onTestFinished(() => app.close());
  const { database } = app.resources;
  const owner = await newCustomer(app, 'owner');
  const file = await upload(owner, LETTER);
  const [first, second, third] = [
    await endedAnalysis(app, owner, file),
    await endedAnalysis(app, owner, file),
    await endedAnalysis(app, owner, file),
  ];
  const count = async () =>
    (await database.maybe('select count from private.reading_failures where user_id = $1', [owner.id]))
      ?.count;
  await noteReading(database, first, 'refused', at(0));
  expect(await count()).toBeUndefined();
  await noteReading(database, first, 'ended', at(0));
  await noteReading(database, first, 'ended', at(0));
  expect(await count()).toBe(1);
  await noteReading(database, second, 'ended', at(5));
  await noteReading(database, first, 'refused', at(5));
  expect(await count()).toBe(2);
  expect(await findPause(database, third, at(5))).toBeUndefined();
  await database.run("update private.analyses set state = 'sent' where id = $1", [third]);
  expect(await findPause(database, third, at(5))).toMatchObject({ userId: owner.id, until: at(6) });
  expect(await findPause(database, third, at(6))).toBeUndefined();
  await noteReading(database, third, 'ended', at(5 + 24 * 60 + 1));
  expect(await count()).toBe(1);
  await noteReading(database, third, 'read', at(5 + 24 * 60 + 2));
  expect(await count()).toBeUndefined();
});

test('a document waits for its customer’s pause, another customer’s does not, and a document that is read ends the pauses', async () => {
  const app = await startTestApp();
  onTestFinished(() => app.close());
  const { database } = app.resources;
  const [owner, other] = [await newCustomer(app, 'owner'), await newCustomer(app, 'other')];
  const file = await upload(owner, LETTER);
  await noteReading(database, await endedAnalysis(app, owner, file), 'ended', new Date());
  await database.run('update private.reading_failures set count = 6');
  const waits = async () =>
    database.one(
      `select f.status, f.progress, f.waits_until, a.deadline_at - f.waits_until >= interval '15 minutes' as has_its_time
         from public.user_files f join private.analyses a on a.file_id = f.id and a.state in ('queued', 'sent')
        where f.id = $1`,
      [file],
    );
  await analyze(app, owner.token, file);
  await expect.poll(async () => (await waits()).waits_until).toBeInstanceOf(Date);
  const theirs = await upload(other, LETTER);
  await analyze(app, other.token, theirs);
  expect((await settled(app, theirs)).status).toBe('analyzed');
  expect(await waits()).toMatchObject({ status: 'queued', progress: 0, has_its_time: true });
  // The owner can see the pause, but can neither end it nor start a second analysis.
  const { data } = await owner.client.from('user_files').select('waits_until').eq('id', file).single();
  expect(data?.waits_until).toEqual(expect.any(String));
  const ended = await owner.client.from('user_files').update({ waits_until: null }).eq('id', file);
  expect(ended.error?.code).toBe('42501');
  await analyze(app, owner.token, file);
  expect((await waits()).waits_until).toBeInstanceOf(Date);

  await database.run("update private.reading_failures set ended_at = now() - interval '1 hour'");
  await database.run(
    "update private.job set start_after = now() where name = 'embedded-analysis' and state = 'created'",
  );
  expect((await settled(app, file)).status).toBe('analyzed');
  expect(await database.one('select waits_until from public.user_files where id = $1', [file])).toEqual({
    waits_until: null,
  });
  expect(await database.many('select count from private.reading_failures')).toEqual([]);
});
