import { Ajv2020 } from 'ajv/dist/2020.js';
import { strFromU8, unzipSync } from 'fflate';
import { PDFDocument } from 'pdf-lib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Field } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { readFileContent } from '../../../../packages/document-reader/src/formats/file-content.ts';
import { createOcrSession } from '../../../../packages/document-reader/src/ocr/ocr-session.ts';
import { buildReport } from '../../../../packages/document-reader/src/report/report-building.ts';
import { makeInvoice } from '../../../../packages/document-reader/src/samples/make-invoices.fixture.ts';
import { type Customer, newCustomer } from '../../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../../tests/support/customers/stored-report.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { EXPORT_REPORT, REPORT_SCHEMA } from './report-export.contract.ts';

let app: TestApp;
let owner: Customer;

beforeAll(async () => {
  app = await startTestApp();
  owner = await newCustomer(app, 'schema-reader');
});
afterAll(() => app.close());

const take = (fileId: string, format: string): Promise<Response> =>
  fetch(`${app.url}${EXPORT_REPORT}?file_id=${fileId}&format=${format}`, {
    headers: { authorization: `Bearer ${owner.token}`, apikey: app.anonKey },
  });

test('the published schema of report/1 holds for the exported JSON, with a correction in it, and not for another', async () => {
  const { pdf, truth } = makeInvoice(500_001, 'en');
  const document = await readFileContent(
    pdf,
    createOcrSession(0, () => {}),
  );
  const { fields, items } = buildReport(document, {
    fileName: 'x.pdf',
    sha256: '',
    createdAt: '2026-03-10T09:00:00.000Z',
  });
  const fileId = await storeReport(app, owner, {
    name: 'invoice.txt',
    texts: document.blocks.map(({ text }) => text),
    fields,
    items,
  });
  const total = fields.find(({ key }) => key === 'total');
  const corrected = await callFunction(app, 'correct-fact', owner.token, {
    ...{ file_id: fileId, key: 'total', original: total?.value ?? '', value: '£12.00' },
  });
  expect(corrected.status).toBe(200);

  const described = await fetch(`${app.url}${REPORT_SCHEMA}`);
  expect(described.headers.get('content-type')).toContain('application/schema+json');
  const schema = (await described.json()) as Record<string, unknown>;
  expect(schema).toMatchObject({ $id: 'urn:northline:report:1', type: 'object' });
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);

  const reply = await take(fileId, 'json');
  const exported = (await reply.json()) as Record<string, unknown>;
  expect(validate(exported), JSON.stringify(validate.errors)).toBe(true);
  expect(exported).toMatchObject({ schema: 'report/1', corrections: [{ key: 'total', value: '£12.00' }] });
  expect(exported).toMatchObject({
    items: { source: 'text', sum: truth.net_total?.[0], sumIs: 'net_total' },
  });
  expect(truth.total).toHaveLength(1);
  expect(validate({ ...exported, schema: 'report/2' })).toBe(false);
  expect(validate({ ...exported, fields: [{ key: 'total' }] })).toBe(false);
});

const money = (key: string, value: string): Field => ({
  ...{ key, label: key, value, type: 'money' as const, confidence: 0.9, source: 'text' as const, cites: [] },
});

test('an amount never stands without its currency: its own, else that of the analyser’s value, else the document’s', async () => {
  const fileId = await storeReport(app, owner, {
    name: 'currencies.txt',
    texts: ['x'],
    fields: [
      { ...money('net_total', '100.00'), normalized: '100.00' },
      { ...money('fee', '$5.00'), normalized: '5.00' },
      { ...money('total', '120.00'), normalized: '120.00' },
      { ...money('currency', '€'), type: 'currency', normalized: 'EUR' },
      { ...money('reference', '77.00'), type: 'text' },
    ],
    tables: [
      {
        header: ['Text', 'Paid', 'Mixed'],
        rows: [
          ['Rent', '£1,950.00', '£7.00'],
          ['Oak', '30.00', '€8.00'],
        ],
        ...{ summed: [], leftOut: 0, cites: [] },
      },
      { header: [], rows: [['Rent', '£3.00', '12']], ...{ summed: [], leftOut: 40, cites: [] } },
    ],
  });
  for (const [key, original, value] of [
    ['fee', '$5.00', '6'],
    ['total', '120.00', '£130.00'],
  ])
    await callFunction(app, 'correct-fact', owner.token, { file_id: fileId, key, original, value });

  const csv = await (await take(fileId, 'csv')).text();
  const columns = csv.split('\r\n').map((line) => line.split(',').slice(0, 4).join(','));
  expect(columns).toEqual(
    expect.arrayContaining([
      'net_total,100.00,100,EUR',
      'fee,6,6,USD',
      'total,£130.00,130,GBP',
      'reference,77.00,,',
      'Text,Paid (GBP),Mixed',
      'Oak,30,€8.00',
      'Rent,£3.00,12',
      '40 more rows are not listed.',
    ]),
  );
  expect(csv).toContain('\r\nRent,1950,£7.00\r\n');
  const exported = (await (await take(fileId, 'json')).json()) as Record<string, Record<string, unknown>[]>;
  const currencies = (list = 'fields') =>
    Object.fromEntries((exported[list] ?? []).map(({ key, currency }) => [key, currency]));
  expect(currencies()).toEqual({ net_total: 'EUR', fee: 'USD', total: 'EUR' });
  expect(currencies('corrections')).toEqual({ fee: 'USD', total: 'GBP' });
  const workbook = unzipSync(new Uint8Array(await (await take(fileId, 'xlsx')).arrayBuffer()));
  expect(strFromU8(workbook['xl/worksheets/sheet1.xml'] as Uint8Array)).toMatch(/<v>100<\/v>.{1,80}EUR/);
});

test('every file counts the tables and places of sensitive data that a report leaves out', async () => {
  const fileId = await storeReport(app, owner, {
    ...{ name: 'tables.txt', texts: ['x'], tablesLeftOut: 3 },
    tables: [{ header: [], rows: [['Rent', '3.00', '12']], ...{ summed: [], leftOut: 0, cites: [] } }],
    pii: [{ class: 'iban', count: 5, cites: [{ block: 'b1', page: 1, quote: 'x', start: 0, end: 1 }] }],
  });
  const csv = await (await take(fileId, 'csv')).text();
  expect(csv).toContain('\r\n3 more tables of the document are not listed.\r\n');
  expect(csv).toContain('Bank accounts (IBAN),x,1\r\nBank accounts (IBAN),4 more in the document,\r\n');
  const workbook = unzipSync(new Uint8Array(await (await take(fileId, 'xlsx')).arrayBuffer()));
  const sheets = Object.values(workbook).map((part) => strFromU8(part));
  expect(
    sheets.filter((text) => text.includes('3 more tables of the document are not listed.')),
  ).toHaveLength(1);
  const pdf = Buffer.from(await (await take(fileId, 'pdf')).arrayBuffer());
  const { blocks } = await readFileContent(
    pdf,
    createOcrSession(0, () => {}),
  );
  expect(blocks.map(({ text }) => text).join(' ')).toContain('3 more tables of the document are not listed.');
  expect(await (await take(fileId, 'json')).json()).toMatchObject({ tablesLeftOut: 3 });
});

test('exports hold the items as a table: in CSV below the facts, in Excel as a sheet with numbers that can be summed', async () => {
  const rows = [
    {
      text: '=2+5',
      quantity: '3',
      unit: 'hours',
      price: '50.00',
      discount: '20',
      taxRate: '20',
      amount: '120.00',
      cites: [],
    },
    {
      text: 'Desk lamp',
      amount: '80.50',
      cites: [{ block: 'b1', page: 1, quote: 'Desk lamp', start: 0, end: 9 }],
    },
  ];
  const fileId = await storeReport(app, owner, {
    name: 'items.txt',
    texts: ['Desk lamp 80.50'],
    fields: [{ ...money('currency', '€'), type: 'currency', normalized: 'EUR' }],
    items: { source: 'text', rows, sum: '200.50', sumIs: 'net_total' },
  });
  const csv = await (await take(fileId, 'csv')).text();
  expect(csv).toContain(
    [
      '\r\n\r\nItem,Quantity,Unit,Price,Discount %,Tax rate %,Amount,Currency,Page,Quote',
      "'=2+5,3,hours,50,20,20,120,EUR,,",
      'Desk lamp,,,,,,80.5,EUR,1,Desk lamp',
      'Sum,,,,,,200.5,EUR,,\r\n',
    ].join('\r\n'),
  );
  const workbook = unzipSync(new Uint8Array(await (await take(fileId, 'xlsx')).arrayBuffer()));
  expect(strFromU8(workbook['xl/workbook.xml'] as Uint8Array)).toContain('name="Items"');
  expect(strFromU8(workbook['xl/worksheets/sheet2.xml'] as Uint8Array)).toContain('<v>80.5</v>');
  expect((await PDFDocument.load(await (await take(fileId, 'pdf')).arrayBuffer())).getPageCount()).toBe(1);
});

test('the calendar holds the days of obligations and the last day for a notice, and Excel their table', async () => {
  const fileId = await storeReport(app, owner, {
    name: 'lease.txt',
    kind: 'lease',
    texts: ['The Tenant shall paint the hall by 30 June 2026.'],
    obligations: [
      {
        kind: 'notice_day',
        text: 'Notice has to be given by 31 January 2027.',
        deadline: '2027-01-31',
        cites: [],
      },
      {
        kind: 'duty',
        party: 'Tenant',
        text: 'The Tenant shall paint the hall by 30 June 2026.',
        deadline: '2026-06-30',
        cites: [],
      },
    ],
  });
  const calendar = (await (await take(fileId, 'ics')).text()).replace(/\r\n /g, '');
  expect(calendar).toContain('DTSTART;VALUE=DATE:20270131');
  expect(calendar).toContain('SUMMARY:Last day for a notice: lease.txt');
  expect(calendar).toContain('SUMMARY:Tenant: The Tenant shall paint the hall by 30 June 2026.: lease.txt');
  const workbook = unzipSync(new Uint8Array(await (await take(fileId, 'xlsx')).arrayBuffer()));
  expect(strFromU8(workbook['xl/workbook.xml'] as Uint8Array)).toContain('name="Obligations"');
});
