import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Field, Report } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { makeSenderPaper } from '../../../../packages/document-reader/src/own-fields/make-sender-papers.fixture.ts';
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
import { teamPeople } from '../../../../tests/support/customers/team-people.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { ask } from '../../../../tests/support/test-database.ts';
import { readArrivals } from '../rules/arrived-documents.server.ts';
import { MOST_FIELDS_OF_A_KIND, OWN_KEY, type OwnFieldTable } from './own-field.contract.ts';

let app: TestApp;
const { newTeam, show } = teamPeople(() => app);
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.close());

const call = (who: Customer, name: string, body: object) => callFunction(app, name, who.token, body);

async function define(who: Customer, kind: string, name: string): Promise<string> {
  const { status, body } = await call(who, 'define-own-field', { kind, name });
  expect(status).toBe(200);
  return (body.field as unknown as { id: string }).id;
}

const tableOf = async (who: Customer, kind: string): Promise<OwnFieldTable> =>
  (await call(who, 'own-field-table', { kind })).body as unknown as OwnFieldTable;

/** A lease with a code in its text; the report is stored without a reader, so that its lines are read by the job. */
const lease = (who: Customer, name: string, text: string) =>
  storeReport(app, who, { name, texts: ['Lease of a flat', text], kind: 'lease' });

/** The value of a field in a document, when it has been read. */
async function valueIn(who: Customer, kind: string, fieldId: string, fileId: string) {
  let found: { value: string | null; given: boolean; confidence: number } | undefined;
  await expect
    .poll(async () => {
      const table = await tableOf(who, kind);
      const version = table.fields.find(({ id }) => id === fieldId)?.version;
      found = table.documents
        .find((each) => each.file_id === fileId)
        ?.values.find((each) => each.field_id === fieldId && (each.given || each.version === version));
      return found;
    })
    .toBeDefined();
  return found;
}

describe('a field of a customer’s own', () => {
  test('taught on three papers it is read in the others with its place, and stands in report, table, exports and API', async () => {
    claims(
      'Name what you need from every document …, and show it on … of them.',
      'The others are then read for it, at no charge.',
      'What you read from your documents, one column for each field that you named.',
    );
    const owner = await newCustomer(app, 'field-owner');
    const papers = Array.from({ length: 6 }, (_, seed) => makeSenderPaper(0, seed));
    const files: string[] = [];
    for (const { name, pdf } of papers) {
      const file = await upload(owner, name, pdf);
      await analyze(app, owner.token, file);
      await settled(app, file);
      files.push(file);
    }
    const credits = await creditsOf(app, owner.id);
    const { kind } = (await reportOf(app, files[0] ?? '')).report.document;
    for (const file of files) expect((await reportOf(app, file)).report.document.kind).toBe(kind);
    const field = await define(owner, kind, 'Meter');
    const taught = papers
      .map(({ truth }, index) => ({ value: truth.meter, file: files[index] ?? '' }))
      .filter(({ value }) => value !== undefined)
      .slice(0, 3);
    for (const { value, file } of taught)
      expect(await call(owner, 'teach-own-field', { field_id: field, file_id: file, value })).toMatchObject({
        status: 200,
        body: { value },
      });
    for (const [index, file] of files.entries()) {
      const truth = papers[index]?.truth.meter ?? null;
      const read = await valueIn(owner, kind, field, file);
      expect(read?.value ?? null).toBe(truth);
      const { report, blocks } = await reportOf(app, file);
      const shown = report.fields.find(({ key }) => key === OWN_KEY + field);
      expect(shown?.value ?? null).toBe(truth);
      const [cite] = shown?.cites ?? [];
      const block = (blocks as { id: string; text: string }[]).find(({ id }) => id === cite?.block);
      if (cite !== undefined) expect(block?.text.slice(cite.start, cite.end)).toBe(truth);
      else expect(truth).toBeNull();
    }
    expect(await creditsOf(app, owner.id)).toBe(credits);

    const [first] = taught;
    const exported = async (path: string) =>
      fetch(`${app.url}/functions/v1/${path}`, { headers: { authorization: `Bearer ${owner.token}` } });
    const value = first?.value ?? '';
    for (const format of ['csv', 'json'])
      expect(await (await exported(`export-own-fields?kind=${kind}&format=${format}`)).text()).toContain(
        value,
      );
    const workbook = await (await exported(`export-own-fields?kind=${kind}&format=xlsx`)).arrayBuffer();
    const sheet = unzipSync(new Uint8Array(workbook))['xl/worksheets/sheet1.xml'];
    expect(Buffer.from(sheet ?? []).toString()).toContain(value);
    expect(await (await exported(`export-report?file_id=${first?.file}&format=csv`)).text()).toContain(
      'Meter',
    );
    const { data } = await owner.client
      .schema('northline_app')
      .from('own_field_values')
      .select('value')
      .eq('field_id', field)
      .order('value', { ascending: false, nullsFirst: false })
      .limit(1);
    expect(data).toEqual([
      {
        value: papers
          .map(({ truth }) => truth.meter ?? '')
          .sort()
          .at(-1),
      },
    ]);
  });

  test('a document whose lines are not stored is read again, and costs nothing', async () => {
    const owner = await newCustomer(app, 'field-old');
    const [one, two] = [
      await lease(owner, 'one.txt', 'Property code: PX-1001'),
      await lease(owner, 'two.txt', 'Property code: PX-2002'),
    ];
    await app.resources.database.run('update public.customers set credits = 0 where user_id = $1', [
      owner.id,
    ]);
    const field = await define(owner, 'lease', 'Property');
    await call(owner, 'teach-own-field', { field_id: field, file_id: one, value: 'PX-1001' });
    expect((await valueIn(owner, 'lease', field, two))?.value).toBe('PX-2002');
    expect(await creditsOf(app, owner.id)).toBe(0);
    expect(
      await app.resources.database.many(
        'select file_id from private.document_rows where file_id = any ($1)',
        [[one, two]],
      ),
    ).toEqual([{ file_id: two }]);
  });

  test('words that do not stand in the document are refused, and so is a document of another kind or owner', async () => {
    const [owner, other] = [await newCustomer(app, 'field-mine'), await newCustomer(app, 'field-theirs')];
    const file = await lease(owner, 'one.txt', 'Property code: PX-1001');
    const field = await define(owner, 'lease', 'Property');
    const invoiceField = await define(owner, 'invoice', 'Property');
    const teach = (who: Customer, id: string, value: string) =>
      call(who, 'teach-own-field', { field_id: id, file_id: file, value });
    expect(await teach(owner, field, 'PX-9999')).toMatchObject({
      status: 422,
      body: { code: 'not_in_document' },
    });
    expect((await teach(owner, invoiceField, 'PX-1001')).status).toBe(404);
    expect((await teach(other, field, 'PX-1001')).status).toBe(404);
    expect((await call(other, 'remove-own-field', { field_id: field })).status).toBe(404);
    expect((await call(other, 'define-own-field', { field_id: field, name: 'Mine' })).status).toBe(404);
    const seen = await other.client.schema('northline_app').from('own_fields').select('id').eq('id', field);
    expect(seen.data).toEqual([]);
    expect((await tableOf(other, 'lease')).fields).toEqual([]);
  });

  test('names are unique in a kind, and their number has a limit', async () => {
    const owner = await newCustomer(app, 'field-many');
    await define(owner, 'lease', 'One');
    expect(await call(owner, 'define-own-field', { kind: 'lease', name: 'ONE' })).toMatchObject({
      status: 409,
      body: { code: 'name_taken' },
    });
    for (let count = 1; count < MOST_FIELDS_OF_A_KIND; count += 1) {
      await app.resources.database.run(
        "insert into northline_app.own_fields (user_id, kind, name) values ($1, 'lease', $2)",
        [owner.id, `Field ${count}`],
      );
    }
    expect(await call(owner, 'define-own-field', { kind: 'lease', name: 'Too many' })).toMatchObject({
      status: 409,
      body: { code: 'too_many_fields' },
    });
    expect((await call(owner, 'define-own-field', { kind: 'invoice', name: 'One' })).status).toBe(200);
  });

  test('a value that a person gave stays until it is forgotten, and a field that is removed leaves the report', async () => {
    const owner = await newCustomer(app, 'field-again');
    const file = await lease(owner, 'one.txt', 'Property code: PX-1001');
    const other = await lease(owner, 'two.txt', 'Property code: PX-2002');
    const field = await define(owner, 'lease', 'Property');
    const teach = (fileId: string, value?: string | null) =>
      call(owner, 'teach-own-field', { field_id: field, file_id: fileId, value });
    await teach(file, 'PX-1001');
    await teach(other, null);
    expect(await valueIn(owner, 'lease', field, other)).toMatchObject({ value: null, given: true });
    await teach(other);
    expect(await valueIn(owner, 'lease', field, other)).toMatchObject({ value: 'PX-2002', given: false });
    const fieldsOf = async (fileId: string): Promise<readonly Field[]> =>
      ((await reportOf(app, fileId)).report as Report).fields.filter(({ key }) => key === OWN_KEY + field);
    expect(await fieldsOf(file)).toMatchObject([{ label: 'Property', value: 'PX-1001', confidence: 1 }]);
    await call(owner, 'define-own-field', { field_id: field, name: 'House' });
    await expect.poll(async () => (await fieldsOf(file))[0]?.label).toBe('House');
    await call(owner, 'remove-own-field', { field_id: field });
    expect(await fieldsOf(file)).toEqual([]);
  });

  test('a new analysis keeps what a person gave, and reads the rest again', async () => {
    const owner = await newCustomer(app, 'field-twice');
    const file = await upload(owner, 'tenancy-agreement.pdf');
    const read = async (): Promise<Report> => {
      await analyze(app, owner.token, file);
      await settled(app, file);
      await readArrivals(app.resources);
      return (await reportOf(app, file)).report;
    };
    const { kind } = (await read()).document;
    const field = await define(owner, kind, 'Meter');
    const taught = await call(owner, 'teach-own-field', { field_id: field, file_id: file, value: null });
    expect(taught.status).toBe(200);
    await read();
    expect(await valueIn(owner, kind, field, file)).toMatchObject({ value: null, given: true });
  });

  test('the table holds the latest two thousand documents, and says that there are more', async () => {
    claims('Only the latest … documents are listed.');
    const owner = await newCustomer(app, 'field-thousands');
    const file = await storeReport(app, owner, { name: 'first.txt', texts: ['A bill'] });
    // As the owner of the tables, without the triggers: credits are of no matter here.
    const copies = (count: number) =>
      ask(
        app.databaseUrl,
        `alter table public.user_files disable trigger user;
         insert into public.user_files (user_id, file_path, file_name, file_size, mime_type)
         select user_id, user_id || '/' || gen_random_uuid(), file_name, file_size, mime_type
           from public.user_files, generate_series(1, ${count}) where id = '${file}';
         alter table public.user_files enable trigger user;
         insert into northline_app.analysis_reports (file_id, user_id, analysis_id, report, blocks)
         select f.id, f.user_id, gen_random_uuid(), r.report, '[]'
           from public.user_files f join northline_app.analysis_reports r on r.file_id = '${file}'
          where f.user_id = r.user_id
            and not exists (select from northline_app.analysis_reports t where t.file_id = f.id)`,
      );
    const listed = async () => {
      const { documents, more } = (await call(owner, 'own-field-table', {})).body;
      return { documents: (documents as unknown as unknown[]).length, more };
    };
    await copies(1999);
    expect(await listed()).toEqual({ documents: 2000, more: false });
    await copies(1);
    expect(await listed()).toEqual({ documents: 2000, more: true });
  });

  test('it is in the export of a person, and goes with the document and the account', async () => {
    const owner = await newCustomer(app, 'field-gone');
    const file = await lease(owner, 'one.txt', 'Property code: PX-1001');
    const field = await define(owner, 'lease', 'Property');
    await call(owner, 'teach-own-field', { field_id: field, file_id: file, value: 'PX-1001' });
    const data = JSON.stringify((await call(owner, 'export-account', {})).body);
    expect(data).toContain('northline_app.own_fields');
    expect(data).toContain('PX-1001');
    await app.resources.database.run('delete from public.user_files where id = $1', [file]);
    const left = (table: 'values' | 'fields') =>
      table === 'values'
        ? app.resources.database.many('select 1 from northline_app.own_field_values where user_id = $1', [
            owner.id,
          ])
        : app.resources.database.many('select 1 from northline_app.own_fields where user_id = $1', [
            owner.id,
          ]);
    expect(await left('values')).toEqual([]);
    await app.resources.database.run('delete from auth.users where id = $1', [owner.id]);
    expect(await left('fields')).toEqual([]);
  });

  test('a team and people with a link see the value with its name, and nobody else can teach it', async () => {
    const { owner, member } = await newTeam();
    const customer = { ...owner, client: owner.client } as unknown as Customer;
    const file = await lease(customer, 'one.txt', 'Property code: PX-1001');
    const field = await define(customer, 'lease', 'Property');
    await call(customer, 'teach-own-field', { field_id: field, file_id: file, value: 'PX-1001' });
    await show(owner, file);
    const { data } = await member.client
      .schema('northline_app')
      .from('analysis_reports')
      .select('report')
      .eq('file_id', file)
      .single<{ report: Report }>();
    expect(data?.report.fields).toMatchObject([{ label: 'Property', value: 'PX-1001' }]);
    const teaches = (who: { token: string }) =>
      callFunction(app, 'teach-own-field', who.token, { field_id: field, file_id: file, value: 'Lease' });
    expect((await teaches(member)).status).toBe(404);
    const { body } = await call(customer, 'share-report', { file_id: file, days: 7 });
    const token = String(body.url).split('#')[1];
    const shared = await callFunction(app, 'read-shared-report', app.anonKey, { token });
    expect(JSON.stringify(shared.body)).toContain(OWN_KEY + field);
  });
});
