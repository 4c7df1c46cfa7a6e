import { unzipSync } from 'fflate';
import { PDFDocument } from 'pdf-lib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Field } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { reportSchema } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { claims } from '../../../../tests/support/claims.ts';
import {
  analyze,
  type Customer,
  fileOf,
  newCustomer,
} from '../../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../../tests/support/customers/stored-report.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { wordsOfPdf } from '../../../../tests/support/docs/pdf-words.ts';
import { writeCsv } from '../exports/table-writing.server.ts';
import { ANALYSES_A_DAY } from '../requests/analysis-request.contract.ts';
import type { SharedReport } from './report-share.contract.ts';

let app: TestApp;
let owner: Customer;
let stranger: Customer;
let fileId: string;

const fact = (key: string, label: string, value: string, more: Partial<Field> = {}): Field => ({
  ...{ key, label, value, type: 'text', confidence: 0.9, source: 'text', cites: [] },
  ...more,
});

beforeAll(async () => {
  app = await startTestApp();
  owner = await newCustomer(app, 'sharer');
  stranger = await newCustomer(app, 'other');
  fileId = await storeReport(app, owner, {
    name: 'invoice, may.txt',
    title: 'Invoice 2041',
    texts: ['Total £1,240.00 due 3 May 2026'],
    fields: [
      fact('supplier', 'Supplier', '=HYPERLINK("x")'),
      fact('due_date', 'Due date', '3 May 2026', { type: 'date', normalized: '2026-05-03' }),
      fact('total', 'Total', '£1,240.00', { type: 'money', normalized: '1240.00' }),
    ],
  });
  await callFunction(app, 'correct-fact', owner.token, {
    file_id: fileId,
    key: 'total',
    original: '£1,240.00',
    value: '1300',
  });
});
afterAll(() => app.close());

const take = (format: string, who = owner, file = fileId): Promise<Response> =>
  fetch(`${app.url}/functions/v1/export-report?file_id=${file}&format=${format}`, {
    headers: { authorization: `Bearer ${who.token}` },
  });

test('a report can be exported as CSV, Excel, JSON, calendar and PDF, with corrected values', async () => {
  claims(
    'At its foot: as PDF, as a table, as data, its dates for your calendar, or as a link that ends on the day that you choose.',
  );
  const csv = await (await take('csv')).text();
  expect(csv).toContain('"\'=HYPERLINK(""x"")"');
  expect(csv).toContain('Total,1300,1300,GBP,1,');
  const sheet = new TextDecoder().decode(
    unzipSync(new Uint8Array(await (await take('xlsx')).arrayBuffer()))['xl/worksheets/sheet1.xml'],
  );
  expect(sheet).toContain('<t xml:space="preserve">=HYPERLINK(&quot;x&quot;)</t>');
  expect(sheet).toContain('<v>1300</v>');
  const json = (await (await take('json')).json()) as { corrections: object[] };
  expect(reportSchema.safeParse(json).success).toBe(true);
  expect(json.corrections).toMatchObject([{ key: 'total', original: '£1,240.00', value: '1300' }]);
  const calendar = await take('ics');
  expect(calendar.headers.get('content-disposition')).toContain('invoice, may report.ics');
  expect(await calendar.text()).toContain(
    'DTSTART;VALUE=DATE:20260503\r\nDTEND;VALUE=DATE:20260504\r\nSUMMARY:Due date: Invoice 2041\r\n',
  );
  const pdf = await PDFDocument.load(await (await take('pdf')).arrayBuffer());
  expect(pdf.getTitle()).toBe('Invoice 2041');
  const words = await wordsOfPdf(Buffer.from(await (await take('pdf')).arrayBuffer()));
  expect(words).toContain(app.resources.settings.BRAND);
  expect(words).toMatch(/Page 1 of \d/);
  expect(words).toMatch(/analysed on \d{1,2} \w+ 20\d\d/);
});

test('a refused export gives its reason, and nobody can export another user’s report', async () => {
  expect((await take('csv', stranger)).status).toBe(404);
  expect((await take('docx')).status).toBe(400);
  const thai = await storeReport(app, owner, { name: 'thai.txt', title: 'สัญญา', texts: ['สัญญา'] });
  expect(await (await take('pdf', owner, thai)).json()).toMatchObject({ code: 'letters_missing' });
  expect(await (await take('ics', owner, thai)).json()).toMatchObject({ code: 'no_dates' });
  expect(writeCsv([['a"b', -5, '-5']]).toString()).toBe('\ufeff"a""b",-5,\'-5\r\n');
});

test('a link shows the report without an account until it is withdrawn or expires, and its secret is stored nowhere', async () => {
  claims(
    'You, and the people you show them to: your team when you share a file with it, or anybody with a link that you made.',
    'A link ends on the day that you choose, and you can withdraw it before.',
    'Anybody with the link sees the report and the document’s text, not your file and nothing else of yours.',
    'Copy it now: it is not shown again.',
  );
  const open = (token: string) => callFunction(app, 'read-shared-report', app.anonKey, { token });
  const share = async (): Promise<string> => {
    const { body } = await callFunction(app, 'share-report', owner.token, { file_id: fileId, days: 7 });
    expect(body.url).toContain('/shared#');
    return body.url?.split('#')[1] ?? '';
  };
  const [first, second] = [await share(), await share()];
  const seen = (await open(first)).body as unknown as SharedReport;
  expect(seen).toMatchObject({
    file_name: 'invoice, may.txt',
    corrections: [{ value: '1300' }],
    blocks: [{ id: 'b1' }],
  });
  const rows = (
    await owner.client
      .schema('northline_app')
      .from('analysis_shares')
      .select('id, opened')
      .order('created_at')
  ).data;
  expect(rows).toMatchObject([{ opened: 1 }, { opened: 0 }]);
  expect(
    JSON.stringify(await app.resources.database.many('select token_hash from northline_app.analysis_shares')),
  ).not.toContain(first);
  expect(
    (await owner.client.schema('northline_app').from('analysis_shares').select('token_hash')).error?.code,
  ).toBe('42501');

  const withdraw = (who: Customer) =>
    callFunction(app, 'withdraw-share', who.token, { share_id: rows?.[0]?.id });
  expect((await withdraw(stranger)).status).toBe(404);
  expect((await withdraw(owner)).status).toBe(200);
  expect(await open(first)).toMatchObject({ status: 404, body: { code: 'share_ended' } });
  await app.resources.database.run(
    "update northline_app.analysis_shares set expires_at = now() - interval '1 second'",
  );
  expect((await open(second)).status).toBe(404);
  expect((await open('')).status).toBe(404);
  expect((await callFunction(app, 'share-report', stranger.token, { file_id: fileId, days: 7 })).status).toBe(
    404,
  );
  expect((await callFunction(app, 'share-report', owner.token, { file_id: fileId, days: 3650 })).status).toBe(
    400,
  );
});

test('a link can leave out sensitive data, and the refusal gives the reason if that is not marked', async () => {
  claims(
    'Sensitive data that was found is blotted out in the link’s report and text.',
    'Anything else stays: look at it before you send it.',
    'This report is from before sensitive data was marked: analyse the document again to leave it out.',
    'The person who shared this left it out.',
  );
  const iban = 'DE89 3704 0044 0532 0130 00';
  const file = await storeReport(app, owner, {
    name: 'refund.txt',
    texts: [`Pay to ${iban} by Friday.`, `Again: ${iban.replaceAll(' ', '')}`],
    fields: [fact('iban', 'IBAN', iban), fact('total', 'Total', '£12.00')],
    pii: [{ class: 'iban', count: 1, cites: [{ block: 'b1', page: 1, quote: iban, start: 7, end: 34 }] }],
  });
  const share = (id: string, without: boolean) =>
    callFunction(app, 'share-report', owner.token, { file_id: id, days: 1, without_sensitive: without });
  const open = async (url = ''): Promise<SharedReport> =>
    (await callFunction(app, 'read-shared-report', app.anonKey, { token: url.split('#')[1] }))
      .body as unknown as SharedReport;
  const seen = await open((await share(file, true)).body.url);
  expect(seen.without_sensitive).toBe(true);
  expect(seen.blocks.map(({ text }) => text)).toEqual([
    `Pay to ${'█'.repeat(27)} by Friday.`,
    `Again: ${'█'.repeat(22)}`,
  ]);
  expect(seen.report.fields.map(({ key }) => key)).toEqual(['total']);
  expect(JSON.stringify(seen)).not.toContain('0532');
  expect(JSON.stringify(await open((await share(file, false)).body.url))).toContain(iban);
  const { data } = await owner.client
    .schema('northline_app')
    .from('analysis_shares')
    .select('without_sensitive')
    .eq('file_id', file)
    .order('created_at');
  expect(data).toEqual([{ without_sensitive: true }, { without_sensitive: false }]);
  const taken = await (await take('csv', owner, file)).text();
  expect(taken).toContain(`Sensitive data,Quote,Page\r\nBank accounts (IBAN),${iban},1`);
  expect(await share(fileId, true)).toMatchObject({ status: 409, body: { code: 'not_marked' } });
});

test('analysing again is free up to a limit, and deleting an analysis keeps the file', async () => {
  claims(
    'Analysing it is free, also when you analyse it again.',
    'The report goes for good, with its corrections and links.',
    'The file stays.',
    'Analysing is free, up to … times a day.',
  );
  await app.resources.database.run(
    `insert into private.analyses (file_id, user_id, target, deadline_at, state)
     select $1, $2, 'embedded', now(), 'failed' from generate_series(2, $3::integer)`,
    [fileId, owner.id, ANALYSES_A_DAY],
  );
  expect(await analyze(app, owner.token, fileId)).toMatchObject({
    status: 429,
    body: { code: 'too_many_analyses' },
  });
  expect((await callFunction(app, 'delete-analysis', stranger.token, { file_id: fileId })).status).toBe(404);
  expect((await callFunction(app, 'delete-analysis', owner.token, { file_id: fileId })).status).toBe(200);
  expect(await fileOf(app, fileId)).toMatchObject({
    status: 'uploaded',
    analyzed: false,
    analyzed_url: null,
  });
  for (const table of ['analysis_reports', 'analysis_corrections']) {
    expect(
      (await owner.client.schema('northline_app').from(table).select('file_id').eq('file_id', fileId)).data,
    ).toEqual([]);
  }
});
