import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Field } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { type Customer, newCustomer } from '../../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../../tests/support/customers/stored-report.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { reportLine } from './correction-application.server.ts';
import { factsOf } from './fact-correction.contract.ts';

const field = (key: string, value: string, type: Field['type'] = 'text'): Field => ({
  key,
  label: key,
  value,
  type,
  confidence: 0.6,
  source: 'text',
  cites: [],
});

test('facts come in the order parties, number, dates, net, VAT, total, with corrections in their places', () => {
  const read = [
    'currency',
    'total',
    'extra:colour',
    'due_date',
    'tax_total',
    'document_number',
    'supplier',
    'net_total',
  ];
  const correction = {
    key: 'total',
    original: 'total',
    value: '£12',
    normalized: '12.00',
    corrected_at: '2026-01-02T00:00:00Z',
  };
  const facts = factsOf(
    read.map((key) => field(key, key)),
    [correction],
  );
  expect(facts.map(({ key }) => key)).toEqual([
    'supplier',
    'document_number',
    'due_date',
    'net_total',
    'tax_total',
    'total',
    'currency',
    'extra:colour',
  ]);
  expect(facts.find(({ key }) => key === 'total')).toMatchObject({
    value: '£12',
    normalized: '12.00',
    confidence: 1,
    correction,
  });
  expect(facts[0]).toMatchObject({ value: 'supplier', confidence: 0.6, correction: undefined });
});

test('the list shows a report in one line: kind, sum and day of a bill, rent and end of a lease, or nothing', () => {
  const dated = (key: string, normalized: string): Field => ({ ...field(key, 'x', 'date'), normalized });
  const line = (kind: Parameters<typeof reportLine>[0], ...fields: Field[]): string | undefined =>
    reportLine(kind, factsOf(fields, []));
  expect(line('invoice', field('total', '£1,240.00', 'money'), dated('due_date', '2026-05-03'))).toBe(
    'Invoice · £1,240.00 · due 3 May 2026',
  );
  const euro = { ...field('currency', '€', 'currency'), normalized: 'EUR' };
  expect(line('credit_note', field('total', '12,40', 'money'), euro)).toBe('Credit note · 12,40 EUR');
  expect(line('lease', field('rent', '£900.00', 'money'), dated('end_date', '2027-03-31'))).toBe(
    'Lease · £900.00 · ends 31 March 2027',
  );
  expect(line('letter')).toBe('Letter');
  expect(line('other')).toBeUndefined();
});

describe('correcting a fact', () => {
  let app: TestApp;
  let owner: Customer;
  let stranger: Customer;
  let fileId: string;
  beforeAll(async () => {
    app = await startTestApp();
    owner = await newCustomer(app, 'owner');
    stranger = await newCustomer(app, 'stranger');
    fileId = await storeReport(app, owner, {
      name: 'invoice.txt',
      texts: ['Total 12.40 due 1 May 2026'],
      fields: [
        field('total', '12.40', 'money'),
        field('due_date', '1 May 2026', 'date'),
        field('customer', 'Maple'),
      ],
    });
  });
  afterAll(() => app.close());

  const correct = (who: Customer, body: object) =>
    callFunction(app, 'correct-fact', who.token, { file_id: fileId, ...body });

  test('the corrected value counts from then on, the analyser’s value and the time are kept, and a correction can be removed', async () => {
    claims(
      'What the program is not sure of says so, and you can correct every fact; the first value stays beside it.',
      'A fact that is wrong can be corrected: the first value stays beside it.',
    );
    const { status, body } = await correct(owner, { key: 'total', original: '12.40', value: '£1,240.00' });
    expect(status).toBe(200);
    expect(body).toEqual({
      correction: {
        key: 'total',
        original: '12.40',
        value: '£1,240.00',
        normalized: '1240.00',
        corrected_at: expect.any(String),
      },
    });
    const { data } = await owner.client.schema('northline_app').from('analysis_corrections').select('*');
    expect(data).toMatchObject([
      { file_id: fileId, user_id: owner.id, corrected_by: owner.id, original: '12.40' },
    ]);
    expect((await correct(owner, { key: 'total', original: '12.40', value: null })).body).toEqual({
      correction: null,
    });
    expect(
      (await owner.client.schema('northline_app').from('analysis_corrections').select('*')).data,
    ).toEqual([]);
  });

  test('the list of files shows the report’s line with the correction; nobody can write that line directly', async () => {
    const shown = async (): Promise<unknown> =>
      (await owner.client.from('user_files').select('report_line').eq('id', fileId).single()).data;
    expect(await shown()).toEqual({ report_line: 'Invoice · 12.40' });
    await correct(owner, { key: 'total', original: '12.40', value: '£1,240.00' });
    await correct(owner, { key: 'due_date', original: '1 May 2026', value: '3 May 2026' });
    expect(await shown()).toEqual({ report_line: 'Invoice · £1,240.00 · due 3 May 2026' });
    await correct(owner, { key: 'total', original: '12.40', value: null });
    await correct(owner, { key: 'due_date', original: '1 May 2026', value: null });
    expect(await shown()).toEqual({ report_line: 'Invoice · 12.40' });
    const written = await owner.client.from('user_files').update({ report_line: 'Paid' }).eq('id', fileId);
    expect(written.error?.code).toBe('42501');
    const deleted = await callFunction(app, 'delete-analysis', stranger.token, { file_id: fileId });
    expect(deleted.status).toBe(404);
    expect(await shown()).toEqual({ report_line: 'Invoice · 12.40' });
  });

  test('corrections at the same time wait for each other, so that the list shows all of them', async () => {
    const { database } = app.resources;
    const bothWait = async (): Promise<number> =>
      Number(
        (
          await database.one(
            `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                and query like '%for no key update'`,
          )
        ).count,
      );
    const corrected = await database.transaction(async (queries) => {
      await queries.run('select 1 from northline_app.analysis_reports where file_id = $1 for update', [
        fileId,
      ]);
      const both = Promise.all([
        correct(owner, { key: 'total', original: '12.40', value: '£99.00' }),
        correct(owner, { key: 'due_date', original: '1 May 2026', value: '4 May 2026' }),
      ]);
      await expect.poll(bothWait).toBe(2);
      return { both };
    });
    expect((await corrected.both).map(({ status }) => status)).toEqual([200, 200]);
    const { report_line: line } = await database.one(
      'select report_line from public.user_files where id = $1',
      [fileId],
    );
    expect(line).toBe('Invoice · £99.00 · due 4 May 2026');
    await correct(owner, { key: 'total', original: '12.40', value: null });
    await correct(owner, { key: 'due_date', original: '1 May 2026', value: null });
  });

  test('a text that is not a date or an amount is refused with a sentence, and nothing is stored', async () => {
    const wrong = await correct(owner, { key: 'due_date', original: '1 May 2026', value: 'soon' });
    expect(wrong).toMatchObject({
      status: 400,
      body: { code: 'wrong_value', error: expect.stringContaining('is not a date') },
    });
    expect(await correct(owner, { key: 'total', original: '12.40', value: 'much' })).toMatchObject({
      status: 400,
    });
    expect(await correct(owner, { key: 'no-such', original: 'x', value: 'y' })).toMatchObject({
      status: 404,
    });
  });

  test('nobody can correct or read another user’s facts, or write the table directly', async () => {
    expect(await correct(stranger, { key: 'customer', original: 'Maple', value: 'Mine' })).toMatchObject({
      status: 404,
    });
    await correct(owner, { key: 'customer', original: 'Maple', value: 'Oak' });
    expect(
      (await stranger.client.schema('northline_app').from('analysis_corrections').select('*')).data,
    ).toEqual([]);
    const written = await owner.client.schema('northline_app').from('analysis_corrections').insert({
      file_id: fileId,
      key: 'customer',
      original: 'Oak',
      value: 'Elm',
      user_id: owner.id,
    });
    expect(written.error?.code).toBe('42501');
  });
});
