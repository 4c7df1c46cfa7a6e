import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Block } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { type Customer, newCustomer } from '../../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../../tests/support/customers/stored-report.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import { indexWaiting } from './document-index.server.ts';
import type { SearchAnswer, SimilarDocument } from './document-search.contract.ts';
import { markedSpans, showPlace, wholeAmounts } from './found-place.server.ts';
import { indexText } from './passage-building.server.ts';
import { mostAlike } from './word-likeness.server.ts';

let app: TestApp;
let owner: Customer;
let stranger: Customer;
let lease = '';
let german = '';

const LEASE = [
  'The tenant pays a rent of £1,125 on the first day of each month to the landlord at the harbour.',
  'Either party may terminate this agreement with two months of notice. <b>Termination</b> is in writing.',
];

beforeAll(async () => {
  app = await startTestApp();
  owner = await newCustomer(app, 'searcher');
  stranger = await newCustomer(app, 'stranger');
  lease = await storeReport(app, owner, {
    name: 'lease.txt',
    kind: 'lease',
    title: 'Lease of unit 4',
    texts: LEASE,
  });
  german = await storeReport(app, owner, {
    name: 'mietvertrag.txt',
    kind: 'lease',
    language: 'de',
    texts: ['Die Prüfungen der Wohnungen und 東京都の契約書 am Hafen.'],
  });
  await storeReport(app, owner, {
    name: 'second-lease.txt',
    kind: 'lease',
    texts: ['The landlord of the harbour and the tenant agree a rent and a notice.'],
  });
  await indexWaiting(app.resources);
});
afterAll(() => app.close());

const search = async (query: string, who = owner, fileId?: string): Promise<SearchAnswer> =>
  (await callFunction(app, 'search-documents', who.token, { query, file_id: fileId }))
    .body as unknown as SearchAnswer;

test('search finds words in other forms, best first, and every hit cites its place in the text', async () => {
  claims(
    'Words in any form are found; “quoted words” only together; a word with - in front must not be there.',
    'The Search tab looks into all documents that were analysed.',
    'Ask a question, find a passage in all of your documents, compare two versions, keep an eye on invoices that are due, and take it away as PDF, as a table or for your calendar.',
    'In the text of all documents that have been analysed.',
  );
  const { how, hits, waiting } = await search('terminating notices');
  expect({ how, waiting }).toEqual({ how: 'words', waiting: 0 });
  expect(hits[0]).toMatchObject({
    file_id: lease,
    file_name: 'lease.txt',
    title: 'Lease of unit 4',
    kind: 'lease',
    page: 2,
  });
  const { cite, snippet } = hits[0] ?? {};
  expect(cite?.block).toBe('b2');
  expect(LEASE[1]?.slice(cite?.start, cite?.end)).toBe(cite?.quote);
  expect(snippet?.filter(({ hit }) => hit).map(({ text }) => text)).toEqual([
    'terminate',
    'notice',
    'Termination',
  ]);
  expect((await search('"two months"')).hits).toHaveLength(1);
  expect((await search('Prüfung', owner, german)).hits[0]?.cite.quote).toBe('Prüfungen');
});

test('an amount is found as a whole, and its parts alone are neither found nor marked', async () => {
  const [hit] = (await search('rent 1,125', owner, lease)).hits;
  expect(hit?.snippet.filter((part) => part.hit).map(({ text }) => text)).toEqual(['rent', '1', '125']);
  expect((await search('1,999', owner, lease)).hits).toEqual([]);
  expect(
    wholeAmounts(
      [
        [0, 1],
        [9, 10],
        [11, 14],
      ],
      '1. Term: 1,350',
      "'1' <-> '350'",
    ),
  ).toEqual([
    [9, 10],
    [11, 14],
  ]);
});

test('if no passage has all the words, search finds those with some of them, and the answer says so', async () => {
  claims('No passage has all the words of “…”.');
  expect(await search('zebra notice')).toMatchObject({
    how: 'some',
    hits: [{ file_name: expect.any(String) }, {}],
  });
});

test('a misspelt word finds similarly written words, and the answer says so; in scripts without spaces the letters are found', async () => {
  claims(
    'A misspelt word finds what is written like it.',
    'Nothing has “…”.',
    '… for “…”, which is written like it.',
    '… hold these letters.',
  );
  expect(await search('landlrod')).toMatchObject({ how: 'similar', instead: ['landlord'] });
  expect(await search('契約')).toMatchObject({ how: 'letters', hits: [{ cite: { quote: '契約' } }] });
  expect(await search('xylophone')).toMatchObject({ how: 'nothing', hits: [] });
  for (const odd of ["'", '\\', '& | !', '%', 'a:*', '((', "x' | 'y", '\u0001']) {
    expect((await search(odd)).hits, odd).toBeInstanceOf(Array);
  }
});

test('nobody finds another user’s text, by search, by file or through the tables', async () => {
  expect(await search('rent', stranger)).toMatchObject({ how: 'nothing', hits: [] });
  expect(await search('rent', stranger, lease)).toMatchObject({ hits: [] });
  for (const table of ['analysis_index', 'analysis_passages']) {
    expect((await stranger.client.schema('northline_app').from(table).select('file_id')).data).toEqual([]);
  }
  const { body } = await callFunction(app, 'similar-documents', stranger.token, { file_id: lease });
  expect(body).toEqual({ documents: [] });
});

test('documents that use the same words are similar, and the list names the words', async () => {
  const { body } = await callFunction(app, 'similar-documents', owner.token, { file_id: lease });
  const [first, ...others] = body.documents as unknown as SimilarDocument[];
  expect(first).toMatchObject({ file_name: 'second-lease.txt', shared: expect.arrayContaining(['tenant']) });
  expect(others.map(({ file_name: name }) => name)).not.toContain('mietvertrag.txt');
});

test('words of every contract are no reason to call two documents similar', async () => {
  const formal =
    'This agreement shall apply within thirty days. Either party may give notice in writing under this agreement, and each party shall agree to any condition of this section upon such date.';
  const berth = await storeReport(app, owner, {
    name: 'berth.txt',
    texts: [formal, 'The berth at the quay is for one sloop.'],
  });
  const bakery = await storeReport(app, owner, {
    name: 'bakery.txt',
    texts: [formal, 'Loaves and rolls come before dawn.'],
  });
  await storeReport(app, owner, { name: 'sloop.txt', texts: [formal, 'A sloop needs its berth.'] });
  await indexWaiting(app.resources);
  const likeness = async (file: string): Promise<SimilarDocument[]> =>
    (await callFunction(app, 'similar-documents', owner.token, { file_id: file })).body
      .documents as unknown as SimilarDocument[];
  expect(await likeness(bakery)).toEqual([]);
  const [first, ...others] = await likeness(berth);
  expect(first?.file_name).toBe('sloop.txt');
  expect(first?.shared.toSorted()).toEqual(['berth', 'sloop']);
  expect(others).toEqual([]);
});

test('a new analysis is indexed again, and a deleted file leaves nothing to find', async () => {
  claims('… not searchable yet: try again in a moment.', 'Only documents with a report are searched.');
  const file = await storeReport(app, owner, { name: 'note.txt', texts: ['A zebra crossing.'] });
  expect((await search('zebra')).waiting + (await search('zebra')).hits.length).toBeGreaterThan(0);
  await indexWaiting(app.resources);
  expect((await search('zebra')).hits).toHaveLength(1);
  await app.resources.database.run(
    `update northline_app.analysis_reports set analysis_id = gen_random_uuid(),
            blocks = '[{"id":"b1","type":"para","text":"A giraffe."}]' where file_id = $1`,
    [file],
  );
  await indexWaiting(app.resources);
  expect((await search('zebra')).hits).toEqual([]);
  expect((await search('giraffe')).hits).toHaveLength(1);
  await owner.client.from('user_files').delete().eq('id', file);
  expect((await search('giraffe')).hits).toEqual([]);
  expect(
    await app.resources.database.many('select 1 from northline_app.analysis_passages where file_id = $1', [
      file,
    ]),
  ).toEqual([]);
});

/** The background jobs' connections too. */
const WAITING = `where datname = current_database() and wait_event_type = 'Lock' and query like '%analysis_reports%for no key update'`;

test.each([
  [
    'statement',
    'Walberswick',
    `select count(pg_cancel_backend(pid)) as ended from pg_stat_activity ${WAITING}`,
  ],
  [
    'connection',
    'Dunwich',
    `select count(pg_terminate_backend(pid)) as ended from pg_stat_activity ${WAITING}`,
  ],
])('if the database ends the %s of a round, the next one indexes the rest', async (_what, place, ending) => {
  const fileId = await storeReport(app, owner, { name: 'late.txt', texts: [`The quay of ${place}.`] });
  const database = app.resources.database;
  const isFound = async () => (await search(place)).hits.map(({ file_id: id }) => id);
  await expect.poll(isFound).toEqual([fileId]);
  const rounds = await database.transaction(async (queries) => {
    await queries.run('select 1 from northline_app.analysis_reports where file_id = $1 for update', [fileId]);
    await database.run('delete from northline_app.analysis_index where file_id = $1', [fileId]);
    const round = indexWaiting(app.resources).catch((error: unknown) => error);
    await expect
      .poll(async () => {
        const { ended } = await database.one(uncheckedSql<{ ended: string }>(ending, 'command'));
        return Number(ended);
      })
      .toBeGreaterThan(0);
    return { round };
  });
  await rounds.round;
  await expect
    .poll(async () => {
      await indexWaiting(app.resources);
      return isFound();
    })
    .toEqual([fileId]);
});

test('passages keep their places: each part is at its place in its block', async () => {
  const blocks: Block[] = [
    { id: 'b1', type: 'header', page: 1, text: 'On every page' },
    { id: 'b2', type: 'heading', page: 1, text: 'Rent' },
    { id: 'b3', type: 'para', page: 1, text: 'A sentence of words. '.repeat(200) },
    { id: 'b4', type: 'para', page: 2, text: '𝒳'.repeat(1500) },
  ];
  const { passages } = await indexText(blocks);
  expect(passages.length).toBeGreaterThan(3);
  expect(passages.map(({ text }) => text).join('')).not.toContain('On every page');
  for (const { text, places } of passages) {
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeLessThanOrEqual(2000);
    for (const [index, { block, at, start }] of places.entries()) {
      const part = text.slice(
        at,
        places[index + 1] === undefined ? undefined : (places[index + 1]?.at ?? 0) - 1,
      );
      expect(blocks.find(({ id }) => id === block)?.text.slice(start, start + part.length)).toBe(part);
    }
  }
});

test('marked words get their places although the headline drops markup, and similar words are recognised', () => {
  const text = 'a <i>b</i> rent b';
  expect(markedSpans(text, 'a  \u0001b\u0002  \u0001rent\u0002 b')).toEqual([
    [5, 6],
    [11, 15],
  ]);
  expect(
    showPlace({ text, page: null, places: [{ block: 'b1', at: 0, start: 7 }] }, []).cite,
  ).toBeUndefined();
  expect(mostAlike('invoce', ['invoice', 'invoices', 'voice', 'novice', 'rent'])).toEqual([
    'invoice',
    'invoices',
  ]);
});
