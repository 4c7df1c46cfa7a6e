import { Ajv2020 } from 'ajv/dist/2020.js';
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

test('the published schema of report/1 holds for the exported JSON, with a correction in it, and not for another', async () => {
  const { pdf, truth } = makeInvoice(500_001, 'en');
  const document = await readFileContent(
    pdf,
    createOcrSession(0, () => {}),
  );
  const { fields } = buildReport(document, {
    fileName: 'x.pdf',
    sha256: '',
    createdAt: '2026-03-10T09:00:00.000Z',
  });
  const fileId = await storeReport(app, owner, {
    name: 'invoice.txt',
    texts: document.blocks.map(({ text }) => text),
    fields,
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

  const reply = await fetch(`${app.url}${EXPORT_REPORT}?file_id=${fileId}&format=json`, {
    headers: { authorization: `Bearer ${owner.token}`, apikey: app.anonKey },
  });
  const exported = (await reply.json()) as Record<string, unknown>;
  expect(validate(exported), JSON.stringify(validate.errors)).toBe(true);
  expect(exported).toMatchObject({ schema: 'report/1', corrections: [{ key: 'total', value: '£12.00' }] });
  expect(truth.total).toHaveLength(1);
  expect(validate({ ...exported, schema: 'report/2' })).toBe(false);
  expect(validate({ ...exported, fields: [{ key: 'total' }] })).toBe(false);
});
