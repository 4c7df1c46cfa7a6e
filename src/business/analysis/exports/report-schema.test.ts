import { Ajv2020 } from 'ajv/dist/2020.js';
import { strFromU8, unzipSync } from 'fflate';
import { PDFDocument } from 'pdf-lib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeInvoice } from '../../../../tests/documents/make-invoices.ts';
import { type Customer, newCustomer } from '../../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../../tests/support/customers/stored-report.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { createOcrSession } from '../ocr/ocr-session.server.ts';
import { readFileContent } from '../reader/file-content.server.ts';
import { buildReport } from '../report/report-building.server.ts';
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

test('the items are taken away as a table, in CSV below the facts, in Excel as a sheet with figures that can be summed', async () => {
  const rows = [
    {
      text: '=2+5',
      quantity: '3',
      unit: 'hours',
      price: '40.00',
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
    items: { source: 'text', rows, sum: '200.50', sumIs: 'net_total' },
  });
  const csv = await (await take(fileId, 'csv')).text();
  expect(csv).toContain(
    [
      '\r\n\r\nItem,Quantity,Unit,Price,Tax rate %,Amount,Page,Quote',
      "'=2+5,3,hours,40,20,120,,",
      'Desk lamp,,,,,80.5,1,Desk lamp',
      'Sum,,,,,200.5,,\r\n',
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
