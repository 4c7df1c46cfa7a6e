import { expect, onTestFinished, test } from 'vitest';
import type { Report } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import {
  analyze,
  type Customer,
  newCustomer,
  settled,
  upload,
} from '../../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { indexWaiting } from '../search/document-index.server.ts';

async function reportOf({ client }: Customer, fileId: string): Promise<Report> {
  const { data } = await client
    .schema('northline_app')
    .from('analysis_reports')
    .select('report')
    .eq('file_id', fileId)
    .single<{ report: Report }>();
  if (data === null) throw new Error('there is no report');
  return data.report;
}

async function exported(app: TestApp, { token }: Customer, fileId: string, format: string): Promise<string> {
  const response = await fetch(`${app.url}/functions/v1/export-report?file_id=${fileId}&format=${format}`, {
    headers: { apikey: app.anonKey, authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  return response.text();
}

test('a correction reaches title, summary, warnings, exports and search, and its removal brings back the first report', async () => {
  const app = await startTestApp();
  onTestFinished(() => app.close());
  const owner = await newCustomer(app, 'owner');
  const fileId = await upload(owner, 'invoice-HF-2041.pdf');
  await analyze(app, owner.token, fileId);
  await settled(app, fileId);
  const first = await reportOf(owner, fileId);
  const readAs = (key: string): string => first.fields.find((field) => field.key === key)?.value ?? '';
  const correct = async (key: string, value: string | null) =>
    expect(
      (
        await callFunction(app, 'correct-fact', owner.token, {
          file_id: fileId,
          key,
          original: readAs(key),
          value,
        })
      ).status,
    ).toBe(200);
  expect(first.summary.short).toContain(readAs('total'));
  expect(first.items?.sumIs).toBe('net_total');

  await correct('total', '£300.00');
  await correct('due_date', '5 May 2026');
  await correct('document_number', 'QX-77-4711');
  await correct('net_total', '£250.00');
  await correct('tax_total', '£50.00');
  const corrected = await reportOf(owner, fileId);
  expect(corrected.fields).toEqual(first.fields);
  expect(corrected.document.title).toContain('QX-77-4711');
  expect(corrected.summary.short).toMatch(/QX-77-4711.*£300\.00 due by 5 May 2026/);
  const texts = corrected.attention.map(({ text }) => text);
  expect(texts).toContain('£300.00 is due on 5 May 2026.');
  expect(texts.some((text) => text.includes('but the net total is £250.00'))).toBe(true);
  expect(corrected.items?.sumIs).toBeUndefined();
  expect(JSON.stringify({ ...corrected, fields: [], items: [], attention: [] })).not.toContain(
    readAs('total'),
  );

  for (const format of ['csv', 'json']) {
    const text = await exported(app, owner, fileId, format);
    expect(text).toContain('£300.00');
    expect(text).toContain('QX-77-4711');
  }
  expect(await exported(app, owner, fileId, 'json')).toContain('£300.00 is due on 5 May 2026.');
  const calendar = await exported(app, owner, fileId, 'ics');
  expect(calendar).toContain('20260505');
  expect(calendar).toContain('QX-77-4711');

  const search = async (query: string) =>
    (await callFunction(app, 'search-documents', owner.token, { query })).body as unknown as {
      hits: { file_id: string; title: string }[];
    };
  await indexWaiting(app.resources);
  const found = await search('QX-77-4711');
  expect(found.hits.map(({ file_id }) => file_id)).toEqual([fileId]);
  expect(found.hits[0]?.title).toContain('QX-77-4711');

  for (const key of ['total', 'due_date', 'document_number', 'net_total', 'tax_total'])
    await correct(key, null);
  expect(await reportOf(owner, fileId)).toEqual(first);
});

test('a new analysis of the document keeps the corrections of values that it reads again', async () => {
  const app = await startTestApp();
  onTestFinished(() => app.close());
  const owner = await newCustomer(app, 'owner');
  const fileId = await upload(owner, 'invoice-HF-2041.pdf');
  const read = async (): Promise<Report> => {
    await analyze(app, owner.token, fileId);
    await settled(app, fileId);
    return reportOf(owner, fileId);
  };
  const total = (await read()).fields.find(({ key }) => key === 'total')?.value;
  await callFunction(app, 'correct-fact', owner.token, {
    file_id: fileId,
    key: 'total',
    original: total,
    value: '£300.00',
  });
  expect((await read()).summary.short).toContain('£300.00');
});
