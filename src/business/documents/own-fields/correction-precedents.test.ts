import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Field } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { writePdf } from '../../../../packages/document-reader/src/samples/write-pdf.fixture.ts';
import {
  analyze,
  type Customer,
  newCustomer,
  reportOf,
  settled,
  upload,
} from '../../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../../tests/support/customers/stored-report.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { sendersOf } from './correction-precedents.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.close());

const field = (key: string, value: string): Field => ({
  ...{ key, label: key, value, type: 'text', confidence: 0.9, source: 'text', cites: [] },
});

const bill = (who: Customer, name: string, fields: readonly Field[]) =>
  storeReport(app, who, { name, texts: ['A bill'], fields });

const correct = (who: Customer, fileId: string, key: string, original: string, value: string | null) =>
  callFunction(app, 'correct-fact', who.token, { file_id: fileId, key, original, value });

const correctionsOf = (fileId: string) =>
  app.resources.database.many(
    'select key, value, precedent_id from northline_app.analysis_corrections where file_id = $1 order by key',
    [fileId],
  );

test('a sender is known by its account, or by its name together with a number or address of it', () => {
  expect(sendersOf([field('supplier', 'Rechnung')])).toEqual([]);
  expect(sendersOf([field('supplier', 'Harlow Ltd'), field('phone', '0117 496')])).toEqual([
    'harlowltd phone 0117496',
  ]);
  expect(sendersOf([field('iban', 'GB33 BUKB')])).toEqual(['iban gb33bukb']);
});

test('a second document of the sender has the corrected name, others do not; forgotten, it has what was read', async () => {
  const owner = await newCustomer(app, 'precedent-owner');
  const stranger = await newCustomer(app, 'precedent-stranger');
  const fields = [field('supplier', 'INVOICE'), field('iban', 'GB33BUKB20201555555555')];
  const first = await bill(owner, 'one.txt', fields);
  expect((await correct(owner, first, 'supplier', 'INVOICE', 'Harlow Ltd')).status).toBe(200);
  const second = await bill(owner, 'two.txt', fields);
  const other = await bill(owner, 'three.txt', [
    field('supplier', 'INVOICE'),
    field('iban', 'DE02100100100006820101'),
  ]);
  const theirs = await bill(stranger, 'four.txt', fields);
  const [taught] = await correctionsOf(second);
  expect(taught).toMatchObject({ key: 'supplier', value: 'Harlow Ltd', precedent_id: expect.any(String) });
  expect([await correctionsOf(other), await correctionsOf(theirs)]).toEqual([[], []]);
  const forget = (who: Customer) =>
    callFunction(app, 'forget-correction', who.token, { precedent_id: taught?.precedent_id });
  expect((await forget(stranger)).status).toBe(404);
  expect((await forget(owner)).status).toBe(200);
  expect(await correctionsOf(second)).toEqual([]);
  expect(await correctionsOf(first)).toMatchObject([{ value: 'Harlow Ltd', precedent_id: null }]);
  expect(await correctionsOf(await bill(owner, 'five.txt', fields))).toEqual([]);
  expect((await forget(owner)).status).toBe(404);
});

test('a corrected number is read at its place in the next invoice of the sender, and stays after another analysis', async () => {
  const owner = await newCustomer(app, 'precedent-number');
  const invoice = (number: string, job: string): Buffer =>
    writePdf([
      [
        { x: 60, y: 780, size: 14, text: 'Harlow Fish Ltd' },
        { x: 60, y: 760, size: 10, text: 'IBAN GB33 BUKB 2020 1555 5555 55' },
        { x: 60, y: 720, size: 14, text: 'INVOICE' },
        { x: 60, y: 700, size: 10, text: `Invoice number: ${number}` },
        { x: 60, y: 685, size: 10, text: `Job sheet: ${job}` },
        { x: 60, y: 670, size: 10, text: 'Invoice date: 2 March 2026' },
        { x: 60, y: 640, size: 10, text: 'Total due £360.00' },
      ],
    ]);
  const read = async (name: string, pdf: Buffer) => {
    const file = await upload(owner, name, pdf);
    await analyze(app, owner.token, file);
    await settled(app, file);
    return file;
  };
  const first = await read('a.pdf', invoice('HF-2041', 'JS-9001'));
  const number = (await reportOf(app, first)).report.fields.find(({ key }) => key === 'document_number');
  expect(number?.value).toBe('HF-2041');
  await correct(owner, first, 'document_number', 'HF-2041', 'JS-9001');
  const second = await read('b.pdf', invoice('HF-2042', 'JS-9002'));
  expect(await correctionsOf(second)).toMatchObject([{ key: 'document_number', value: 'JS-9002' }]);
  expect((await reportOf(app, second)).report.document.title).toContain('JS-9002');
  await correct(owner, second, 'document_number', 'HF-2042', null);
  await analyze(app, owner.token, second);
  await settled(app, second);
  expect(await correctionsOf(second)).toEqual([]);
});
