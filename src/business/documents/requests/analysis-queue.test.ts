import { expect, onTestFinished, test, vi } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import {
  analyze,
  type Customer,
  fileOf,
  newCustomer,
  upload,
} from '../../../../tests/support/customers/analysis-customer.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import type { AnalysisQueue } from '../../files/analysis-queue.contract.ts';
import { queueSentence } from '../../files/list/analysis-queue.web.ts';
import { markSent } from './analysis-outcome.server.ts';
import { forecast } from './analysis-queue.server.ts';
import { endLostAnalyses } from './analysis-watch.server.ts';
import { findPages, storePage } from './read-pages.server.ts';
import { EMBEDDED_JOB, followAnalysis, othersWait, startTurn } from './reading-turn.server.ts';

const LETTER = 'letter-rent-review.txt';

test('two readers take the queue in order, one document of a customer at a time', () => {
  const waits = { priority: 2, readFor: undefined, page: null, pages: null };
  const queue = [
    { ...waits, fileId: 'a', userId: 'anna', readFor: 4 },
    { ...waits, fileId: 'b', userId: 'anna' },
    { ...waits, fileId: 'c', userId: 'ben' },
    { ...waits, fileId: 'd', userId: 'carla', priority: 0, page: 3, pages: 12 },
  ];
  expect(forecast(queue, [10, 20, 60])).toEqual([
    { place: null, seconds: 6, page: null, pages: null },
    { place: 1, seconds: 16, page: null, pages: null },
    { place: 2, seconds: 16, page: null, pages: null },
    { place: 3, seconds: 86, page: 3, pages: 12 },
  ]);
});

test('the list says the place, the time and the page', () => {
  claims('Reading …, ….');
  const at = { file_id: 'f', page: null, pages: null };
  expect(queueSentence({ ...at, place: 1, seconds: 8 })).toBe('Next in the queue, less than a minute.');
  expect(queueSentence({ ...at, place: 3, seconds: 130 })).toBe('Third in the queue, about 2 minutes.');
  expect(queueSentence({ ...at, place: 41, seconds: 4000 })).toBe('Number 41 in the queue, about an hour.');
  expect(queueSentence({ ...at, place: null, seconds: 65, page: 12, pages: 31 })).toBe(
    'Reading page 12 of 31, about a minute.',
  );
  expect(queueSentence({ ...at, place: 2, seconds: 65, page: 21, pages: 31 })).toBe(
    'Second in the queue, about a minute. It goes on with page 21 of 31.',
  );
  expect(queueSentence({ ...at, place: null, seconds: 5 })).toBeUndefined();
});

/** An app whose jobs wait, as it takes none. */
async function startRestingApp(): Promise<TestApp> {
  const app = await startTestApp();
  onTestFinished(() => app.close());
  await app.resources.jobs.rest(5);
  return app;
}

async function queueUp(app: TestApp, owner: Customer): Promise<{ fileId: string; analysisId: string }> {
  const fileId = await upload(owner, LETTER);
  const { body } = await analyze(app, owner.token, fileId);
  const analysisId = String(body.analysis_id);
  await app.resources.jobs.add(
    app.resources.database,
    EMBEDDED_JOB,
    { analysisId },
    {
      key: analysisId,
      group: owner.id,
    },
  );
  return { fileId, analysisId };
}

async function queueOf(app: TestApp, { token }: Customer): Promise<AnalysisQueue['documents']> {
  const response = await fetch(`${app.url}/functions/v1/analysis-queue`, {
    method: 'POST',
    headers: { apikey: app.anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as AnalysisQueue).documents;
}

test('waiting has no deadline, stands at 0 % and shows its place, of the customer’s own documents only', async () => {
  const app = await startRestingApp();
  const { database } = app.resources;
  const [anna, ben] = [await newCustomer(app, 'anna'), await newCustomer(app, 'ben')];
  const [first, second, third] = [
    await queueUp(app, anna),
    await queueUp(app, ben),
    await queueUp(app, anna),
  ];
  const ofAnna = await queueOf(app, anna);
  expect(ofAnna.map(({ file_id, place }) => [file_id, place])).toEqual([
    [first.fileId, 1],
    [third.fileId, 3],
  ]);
  expect((await queueOf(app, ben)).map(({ file_id }) => file_id)).toEqual([second.fileId]);
  await markSent(database, first.analysisId);
  expect(await fileOf(app, first.fileId)).toMatchObject({ status: 'queued', progress: 0 });
  const { waits } = await database.one(
    `select deadline_at > now() + interval '7 days' as waits from private.analyses where id = $1`,
    [first.analysisId],
  );
  expect(waits).toBe(true);
});

test('an analysis that has ended is not read; one that ends while it is read stops its reader', async () => {
  const app = await startRestingApp();
  const { database } = app.resources;
  const owner = await newCustomer(app, 'owner');
  const [ended, running] = [await queueUp(app, owner), await queueUp(app, owner)];
  await database.run(`update private.analyses set state = 'failed' where id = $1`, [ended.analysisId]);
  expect(await startTurn(database, ended.analysisId)).toBeUndefined();
  expect(await startTurn(database, running.analysisId)).toMatchObject({
    fileId: running.fileId,
    userId: owner.id,
    pages: [],
  });
  const over = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    void followAnalysis(database, running.analysisId, { signal: over.signal, onEnd: resolve });
  });
  await owner.client.from('user_files').delete().eq('id', running.fileId);
  await stopped;
});

test('pages that were read wait for the next turn, and other documents go first', async () => {
  const app = await startRestingApp();
  const { database } = app.resources;
  const owner = await newCustomer(app, 'owner');
  const scan = await queueUp(app, owner);
  const page = { page: 2, outcome: '{"outcome":"blank"}' };
  await storePage(database, scan.analysisId, page);
  await storePage(database, scan.analysisId, page);
  expect(await startTurn(database, scan.analysisId)).toMatchObject({ pages: [page] });
  expect(await othersWait(database, scan.analysisId)).toBe(false);
  await queueUp(app, owner);
  expect(await othersWait(database, scan.analysisId)).toBe(true);
  // A second try of the same file is another analysis, and finds the pages too; an ended one stores no more.
  await database.run(`update private.analyses set state = 'failed' where id = $1`, [scan.analysisId]);
  await storePage(database, scan.analysisId, { ...page, page: 3 });
  expect(await findPages(database, scan.fileId)).toEqual([page]);
});

test('an analysis whose job is gone fails, so that it can be tried again', async () => {
  const app = await startRestingApp();
  const { database } = app.resources;
  const owner = await newCustomer(app, 'owner');
  const [lost, waiting] = [await queueUp(app, owner), await queueUp(app, owner)];
  for (const { analysisId } of [lost, waiting]) await markSent(database, analysisId);
  await database.run(`delete from private.job where data ->> 'analysisId' = $1`, [lost.analysisId]);
  await endLostAnalyses(app);
  expect((await fileOf(app, lost.fileId)).status).toBe('queued');
  await database.run(`update private.analyses set updated_at = now() - interval '10 minutes'`);
  await endLostAnalyses(app);
  expect(await fileOf(app, lost.fileId)).toMatchObject({
    status: 'failed',
    status_reason: 'The analysis was interrupted too often and was stopped. Please try again: it is free.',
  });
  expect((await fileOf(app, waiting.fileId)).status).toBe('queued');
});

test('a document that the store does not find once is asked for again, and read', async () => {
  const app = await startTestApp();
  onTestFinished(() => app.close());
  const owner = await newCustomer(app, 'lena');
  const fileId = await upload(owner, LETTER);
  const read = app.resources.objects.read.bind(app.resources.objects);
  let asked = 0;
  vi.spyOn(app.resources.objects, 'read').mockImplementation((...words) => {
    asked += 1;
    // The first look is the request's own: it would refuse the analysis.
    return asked === 2 ? Promise.resolve(undefined) : read(...words);
  });
  await analyze(app, owner.token, fileId);
  await expect.poll(async () => (await fileOf(app, fileId)).status).toBe('analyzed');
  expect(asked).toBeGreaterThan(2);
});
