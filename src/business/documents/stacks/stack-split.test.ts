import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePost } from '../../../../packages/document-reader/src/report/make-stack.fixture.ts';
import { claims } from '../../../../tests/support/claims.ts';
import {
  analyze,
  type Customer,
  creditsOf,
  newCustomer,
  reportOf,
  settled,
  upload,
} from '../../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../../tests/support/customers/stored-report.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { ANALYSES_A_DAY } from '../requests/analysis-request.contract.ts';
import { readArrivals } from '../rules/arrived-documents.server.ts';

describe('correcting where the documents of a file begin', () => {
  let app: TestApp;
  let owner: Customer;
  let stack: string;
  let begins: readonly number[];
  /** The documents that the analyser found. */
  let found: unknown;
  beforeAll(async () => {
    app = await startTestApp();
    owner = await newCustomer(app, 'owner');
    const post = await makePost();
    begins = post.begins;
    stack = await upload(owner, 'post.pdf', post.file);
    await analyze(app, owner.token, stack);
    await settled(app, stack);
    found = await partsOf(stack);
  });
  afterAll(() => app.close());

  const split = (fileId: string, pages: readonly number[] | null, who = owner) =>
    callFunction(app, 'split-document', who.token, { file_id: fileId, begins: pages });
  const partsOf = async (fileId: string) =>
    (await reportOf(app, fileId)).report.parts?.map(({ pages }) => [pages?.from, pages?.to]);
  const lineOf = async (fileId: string): Promise<unknown> =>
    (await owner.client.from('user_files').select('report_line').eq('id', fileId).single()).data?.report_line;
  const exported = async (fileId: string, format: string): Promise<string> => {
    const address = `${app.url}/functions/v1/export-report?file_id=${fileId}&format=${format}`;
    return (await fetch(address, { headers: { authorization: `Bearer ${owner.token}` } })).text();
  };

  test('the papers of a stack are joined and split as the owner says; list, search, exports, share and a new analysis follow, for no further credit', async () => {
    claims(
      'Saving reads the file again, one report for each document.',
      'It takes no further credit: one upload takes one credit.',
      'You said where they begin, and every further analysis follows that.',
      'The file itself stays as it is.',
    );
    expect((await partsOf(stack))?.map(([from]) => from)).toEqual(begins);
    const credits = await creditsOf(app, owner.id);
    const shared = await callFunction(app, 'share-report', owner.token, { file_id: stack, days: 7 });
    expect(shared.status).toBe(200);
    const bytes = async (): Promise<string | undefined> => {
      const { file_path } = await app.resources.database.one(
        'select file_path from public.user_files where id = $1',
        [stack],
      );
      const { data } = await owner.client.storage.from('user-uploads').download(file_path);
      return data === null ? undefined : Buffer.from(await data.arrayBuffer()).toString('base64');
    };
    const original = await bytes();

    await split(stack, begins);
    expect((await settled(app, stack)).status).toBe('analyzed');
    expect((await partsOf(stack))?.map(([from]) => from)).toEqual(begins);
    expect(await lineOf(stack)).toBe('5 documents inside');
    const bill = (await reportOf(app, stack)).report.parts?.[1];
    expect(bill?.document?.kind).toBe('invoice');
    expect(bill?.fields.find(({ key }) => key === 'total')?.normalized).toBe('1238.40');

    expect(await split(stack, [1, 4])).toMatchObject({ status: 202, body: { status: 'queued' } });
    expect((await settled(app, stack)).status).toBe('analyzed');
    const two = [
      [1, 3],
      [4, 12],
    ];
    expect(await partsOf(stack)).toEqual(two);
    expect((await reportOf(app, stack)).report).toMatchObject({ split: 'corrected', fields: [] });
    expect(await lineOf(stack)).toBe('2 documents inside');
    expect(await exported(stack, 'csv')).toMatch(/Pages 1 to 3/);
    expect(await exported(stack, 'csv')).not.toMatch(/Pages 1 to 2/);
    expect(JSON.parse(await exported(stack, 'json'))).toMatchObject({ split: 'corrected' });
    await expect
      .poll(async () => {
        const { data } = await owner.client.schema('northline_app').from('analysis_index').select('title');
        return data;
      })
      .toMatchObject([{ title: expect.stringMatching(/^2 documents: /) }]);
    const seen = await callFunction(app, 'read-shared-report', app.anonKey, {
      token: String(shared.body.url).split('#')[1],
    });
    expect(JSON.stringify(seen.body)).toContain('Pages 4 to 12');

    await analyze(app, owner.token, stack);
    await settled(app, stack);
    expect(await partsOf(stack)).toEqual(two);

    // All pages are one document: it has facts, and its line says so.
    await split(stack, [1]);
    await settled(app, stack);
    expect(await partsOf(stack)).toBeUndefined();
    expect((await reportOf(app, stack)).report.fields.length).toBeGreaterThan(0);
    expect(await lineOf(stack)).not.toMatch(/documents inside/);

    await split(stack, null);
    await settled(app, stack);
    expect(await partsOf(stack)).toEqual(found);
    expect((await reportOf(app, stack)).report.split).toBeUndefined();
    expect(await creditsOf(app, owner.id)).toBe(credits);
    expect(original).toBeDefined();
    expect(await bytes()).toBe(original);
  });

  test('after a correction rules run for the documents as they are, once, and reminders of what was mixed are gone', async () => {
    const { database } = app.resources;
    const post = await makePost();
    const save = (rule: object) =>
      callFunction(app, 'save-rule', owner.token, { name: 'Bills', active: true, ...rule });
    expect(
      await save({
        wanted: { kind: 'invoice', least: 1238, most: 1239 },
        acts: { tag: 'Bill', name: '{total}' },
      }),
    ).toMatchObject({ status: 200 });
    const file = await upload(owner, 'monday.pdf', post.file);
    const runs = () =>
      database.many(
        `select d.acts ->> 'tag' as tag, jsonb_array_length(r.done) as done from northline_app.rule_runs r
           join northline_app.document_rules d on d.id = r.rule_id where r.file_id = $1`,
        [file],
      );
    const read = async (begins?: readonly number[]): Promise<void> => {
      if (begins === undefined) await analyze(app, owner.token, file);
      else await split(file, begins);
      await settled(app, file);
      await readArrivals(app.resources);
    };
    await read();
    expect(await runs()).toEqual([{ tag: 'Bill', done: 2 }]);
    // A reminder that came of the mixed documents.
    await database.run(
      `insert into private.document_reminders (run_id, due_at, day)
       select id, now() + interval '9 days', current_date + 10 from northline_app.rule_runs where file_id = $1`,
      [file],
    );
    await read(post.begins);
    expect(await database.many('select 1 from private.document_reminders')).toEqual([]);
    const { report } = await reportOf(app, file);
    expect([report.fields, report.obligations]).toEqual([[], undefined]);
    expect(report.attention.map(({ code }) => code)).toEqual(['several_documents']);
    // Once more for the bill, as a document of its own; another analysis of the same documents changes nothing.
    expect(await runs()).toEqual([{ tag: 'Bill', done: 4 }]);
    await read();
    expect(await runs()).toEqual([{ tag: 'Bill', done: 4 }]);
    const { data } = await owner.client.from('user_files').select('file_name').eq('id', file).single();
    expect(data?.file_name).toBe('monday.pdf');
    const { data: tags } = await owner.client
      .schema('northline_app')
      .from('file_tags')
      .select('tags')
      .eq('file_id', file);
    expect(tags).toEqual([{ tags: ['Bill'] }]);
    await database.run('delete from public.user_files where id = $1', [file]);
  });

  test('a page is in exactly one document: other numbers, and files without pages, are refused and change nothing', async () => {
    const before = await partsOf(stack);
    for (const wrong of [[2], [1, 1], [1, 5, 4], [1, 13]])
      expect(await split(stack, wrong), String(wrong)).toMatchObject({
        status: 422,
        body: { code: 'wrong_pages' },
      });
    for (const wrong of [[], [0], [1, 2.5], ['1'], [1, -3]])
      expect((await split(stack, wrong as number[])).status, String(wrong)).toBe(400);
    const many = Array.from({ length: 101 }, (_, index) => index + 1);
    expect((await split(stack, many)).status).toBe(400);
    const letter = await upload(owner, 'letter-rent-review.txt');
    expect((await split(letter, [1])).status).toBe(404);
    await analyze(app, owner.token, letter);
    await settled(app, letter);
    expect(await split(letter, [1])).toMatchObject({ status: 422, body: { code: 'no_pages' } });
    expect(await partsOf(stack)).toEqual(before);
    const { count } = await app.resources.database.one('select count(*) from private.stack_splits');
    expect(count).toBe('0');
  });

  test('strangers, visitors and the service’s key correct nothing, and nobody reads the table', async () => {
    const stranger = await newCustomer(app, 'stranger');
    expect((await split(stack, [1], stranger)).status).toBe(404);
    for (const token of [app.anonKey, 'nonsense'])
      expect((await callFunction(app, 'split-document', token, { file_id: stack, begins: [1] })).status).toBe(
        401,
      );
    const read = await owner.client
      .schema('private' as 'public')
      .from('stack_splits')
      .select('*');
    expect(read.error).not.toBeNull();
  });

  test('while an analysis runs nothing is corrected, each correction counts as an analysis of the day, and one that is refused is not kept', async () => {
    const busy = await storeReport(app, owner, { name: 'bill.txt', texts: ['one', 'two', 'three'] });
    const insert = (state: string) =>
      app.resources.database.run(
        `insert into private.analyses (file_id, user_id, target, deadline_at, state)
         values ($1, $2, 'embedded', now() + interval '1 hour', $3)`,
        [busy, owner.id, state],
      );
    await insert('sent');
    expect(await split(busy, [1, 2])).toMatchObject({ status: 409, body: { code: 'being_analysed' } });
    await app.resources.database.run(
      `update private.analyses set state = 'failed' where file_id = $1 and state = 'sent'`,
      [busy],
    );
    for (let count = 2; count < ANALYSES_A_DAY; count += 1) await insert('failed');
    expect(await split(busy, [1, 2])).toMatchObject({ status: 429, body: { code: 'too_many_analyses' } });
    const { count } = await app.resources.database.one(
      'select count(*) from private.stack_splits where file_id = $1',
      [busy],
    );
    expect(count).toBe('0');
  });

  test('a split goes with its file, and the account’s export holds it', async () => {
    const gone = await storeReport(app, owner, { name: 'gone.txt', texts: ['one', 'two'] });
    expect((await split(gone, [1, 2])).status).toBe(202);
    const account = await callFunction(app, 'export-account', owner.token, {});
    expect(JSON.stringify(account.body)).toContain('stack_splits');
    await settled(app, gone);
    await app.resources.database.run('delete from public.user_files where id = $1', [gone]);
    const { count } = await app.resources.database.one(
      'select count(*) from private.stack_splits where file_id = $1',
      [gone],
    );
    expect(count).toBe('0');
  });
});
