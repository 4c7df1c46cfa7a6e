import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Field } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { readableDay } from '../../../../packages/document-reader/src/values/dates.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { type Customer, newCustomer } from '../../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../../tests/support/customers/stored-report.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { EXPORT_REPORT } from '../exports/report-export.contract.ts';
import type { InvoiceList } from './invoice-list.contract.ts';

let app: TestApp;
let owner: Customer;
let stranger: Customer;
const files: Record<string, string> = {};

const field = (key: string, value: string, type: Field['type'] = 'text', normalized = value): Field => ({
  ...{ key, label: key, value, normalized, type, confidence: 0.9, source: 'text' as const, cites: [] },
});
const money = (total: string): Field[] => [
  field('net_total', '100', 'money', '100.00'),
  field('tax_total', '20', 'money', '20.00'),
  field('total', total, 'money', total),
  field('currency', '£', 'currency', 'GBP'),
];

beforeAll(async () => {
  app = await startTestApp();
  owner = await newCustomer(app, 'bookkeeper');
  stranger = await newCustomer(app, 'elsewhere');
  const common = [
    field('issue_date', '3 May 2026', 'date', '2026-05-03'),
    field('due_date', '1 June 2026', 'date', '2026-06-01'),
  ];
  const store = async (
    name: string,
    fields: Field[],
    kind: 'invoice' | 'credit_note' | 'letter' = 'invoice',
  ) => {
    files[name] = await storeReport(app, owner, { name: `${name}.txt`, kind, texts: [name], fields });
  };
  await store('first', [
    field('supplier', 'Harlow Ltd'),
    field('document_number', 'INV-1'),
    ...common,
    ...money('120.00'),
  ]);
  await store('again', [
    field('supplier', 'HARLOW LTD.'),
    field('document_number', 'INV 1'),
    ...common,
    ...money('120.00'),
  ]);
  await store(
    'credit',
    [field('supplier', 'Harlow Ltd'), field('document_number', 'CN-1'), ...common, ...money('20.00')],
    'credit_note',
  );
  await store('other', [field('supplier', 'Oak'), field('document_number', 'INV-1'), ...money('60.00')]);
  await store('letter', money('5.00'), 'letter');
});
afterAll(() => app.close());

const list = async (who = owner): Promise<InvoiceList> =>
  (await callFunction(app, 'list-invoices', who.token, {})).body as unknown as InvoiceList;

test('the list has due dates and names duplicates; sums count each invoice once, and credit notes as negative', async () => {
  claims(
    'Bills lists what is due, and what is paid.',
    'From the reports of your invoices, credit notes and receipts.',
    'Analyse an invoice or a receipt, and it stands here.',
  );
  const { invoices, months, suppliers, more } = await list();
  expect(invoices.map(({ file_name: name }) => name).sort()).toEqual([
    'again.txt',
    'credit.txt',
    'first.txt',
    'other.txt',
  ]);
  const first = invoices.find(({ file_id: id }) => id === files.first);
  expect(first).toMatchObject({
    supplier: 'Harlow Ltd',
    number: 'INV-1',
    issued: '2026-05-03',
    due: '2026-06-01',
    currency: 'GBP',
    net: 100,
    vat: 20,
    total: 120,
    paid: null,
    duplicates: [files.again],
  });
  expect(invoices.find(({ file_id: id }) => id === files.other)?.duplicates).toEqual([]);
  expect(months).toEqual([
    { name: '2026-05', currency: 'GBP', count: 2, net: 0, vat: 0, total: 100, open: 100 },
  ]);
  expect(suppliers.map(({ total }) => total)).toEqual([100, 60]);
  expect(more).toBe(false);
});

test('a report names the day on which the same invoice was uploaded before; other reports do not', async () => {
  const { database } = app.resources;
  const told = async (name: string): Promise<string[]> => {
    const { report } = await database.one(
      'select report from northline_app.analysis_reports where file_id = $1',
      [files[name]],
    );
    return report.attention.map(({ text }) => text);
  };
  const { day } = await database.one(
    "select (created_at at time zone 'UTC')::date::text as day /* not null */ from public.user_files where id = $1",
    [files.first],
  );
  expect(await told('again')).toEqual([`You uploaded this invoice before, on ${readableDay(day)}.`]);
  for (const name of ['first', 'credit', 'other', 'letter']) expect(await told(name), name).toEqual([]);
  // A report says nothing about another user's documents.
  const newcomer = await newCustomer(app, 'newcomer');
  files.theirs = await storeReport(app, newcomer, {
    ...{ name: 'theirs.txt', texts: ['x'] },
    fields: [field('supplier', 'Harlow Ltd'), field('document_number', 'INV-1'), ...money('120.00')],
  });
  expect(await told('theirs')).toEqual([]);
});

test('a date of an automation is shown as it wrote it: the report is stored, listed and exported', async () => {
  const bookkeeper = await newCustomer(app, 'odd-dates');
  const fileId = await storeReport(app, bookkeeper, {
    ...{ name: 'odd.txt', kind: 'invoice', texts: ['odd'] },
    fields: [
      field('supplier', 'Harlow Ltd'),
      field('issue_date', '31 February', 'date', '2026-02-31'),
      field('due_date', 'end of May', 'date', '31.05.2026'),
      field('delivery_date', '4 May 2026', 'date', '2026-05-04'),
      ...money('120.00'),
    ],
  });
  const { report_line: line } = await app.resources.database.one(
    'select report_line from public.user_files where id = $1',
    [fileId],
  );
  expect(line).toBe('Invoice · 120.00 GBP · due 31.05.2026');
  const { invoices, months, suppliers } = await list(bookkeeper);
  expect(invoices).toMatchObject([{ issued: '2026-02-31', due: '31.05.2026', total: 120 }]);
  expect([months.length, suppliers.length]).toEqual([0, 1]);
  const calendar = await fetch(`${app.url}${EXPORT_REPORT}?file_id=${fileId}&format=ics`, {
    headers: { apikey: app.anonKey, authorization: `Bearer ${bookkeeper.token}` },
  });
  expect((await calendar.text()).match(/DTSTART.*/g)).toEqual(['DTSTART;VALUE=DATE:20260504']);
});

test('an invoice can be marked as paid and as unpaid; a correction counts in the sums', async () => {
  const mark = (who: Customer, day: string | null) =>
    callFunction(app, 'mark-invoice', who.token, { file_id: files.other, paid_on: day });
  expect((await mark(owner, '2026-05-20')).status).toBe(200);
  await callFunction(app, 'correct-fact', owner.token, {
    file_id: files.other,
    key: 'total',
    original: '60.00',
    value: '66',
  });
  const oak = async () => (await list()).suppliers.find(({ name }) => name === 'Oak');
  expect(await oak()).toMatchObject({ total: 66, open: 0 });
  expect((await mark(owner, null)).status).toBe(200);
  expect(await oak()).toMatchObject({ total: 66, open: 66 });
  for (const day of ['soon', '0000-01-01', '2026-02-31']) expect((await mark(owner, day)).status).toBe(400);
  expect((await mark(stranger, '2026-05-20')).status).toBe(404);
  expect(await list(stranger)).toMatchObject({ invoices: [], months: [] });
});

test('only its owner can export the list as a table', async () => {
  const take = (who: Customer, format: string): Promise<Response> =>
    fetch(`${app.url}/functions/v1/export-invoices?format=${format}`, {
      headers: { authorization: `Bearer ${who.token}` },
    });
  expect(await (await take(owner, 'csv')).text()).toContain(
    'Harlow Ltd,INV-1,invoice,2026-05-03,2026-06-01,GBP,100,20,120,,first.txt,yes\r\n',
  );
  expect((await take(owner, 'xlsx')).headers.get('content-disposition')).toContain('Bills.xlsx');
  expect(await (await take(stranger, 'csv')).text()).not.toContain('Harlow');
  expect((await take(owner, 'pdf')).status).toBe(400);
});
