import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Report } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { asJpeg, drawPage } from '../../../../packages/document-reader/src/samples/make-scans.fixture.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { type Customer, newCustomer, upload } from '../../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../../tests/support/customers/stored-report.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { SHARE_FUNCTIONS } from '../sharing/report-share.contract.ts';
import { SEARCHABLE_PDF } from './report-export.contract.ts';

let app: TestApp;
let owner: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startTestApp();
  owner = await newCustomer(app, 'scan-owner');
  other = await newCustomer(app, 'scan-mate');
});
afterAll(() => app.close());

const take = (fileId: string, { token }: Customer = owner): Promise<Response> =>
  fetch(`${app.url}${SEARCHABLE_PDF}?file_id=${fileId}`, {
    headers: { authorization: `Bearer ${token}`, apikey: app.anonKey },
  });

/** A picture with the report of a scan, whose words are written by hand: what the OCR reads is tested where it reads. */
async function scanWith(text: string, content: Buffer): Promise<string> {
  const { database } = app.resources;
  const report = await storeReport(app, owner, { name: 'words.txt', texts: [text] });
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }, at) => [
    index,
    index + word.length,
    1000 + at * 1000,
    1000,
    900,
    200,
    90,
  ]);
  const reading = {
    page: 1,
    reader: 'page',
    turned: 0,
    skew: 0,
    confidence: 90,
    linesSeen: 1,
    linesUnread: 0,
    coverage: 1,
  };
  const coverage = { pagesRead: 1, pagesSkipped: [], pagesOcr: [reading] } as unknown as Report['coverage'];
  const picture = await upload(owner, 'photo.jpg', content);
  await database.run(
    `insert into northline_app.analysis_reports (file_id, user_id, analysis_id, report, blocks)
     select $2, user_id, gen_random_uuid(), jsonb_set(report, '{coverage}', $3::jsonb), jsonb_set(blocks, '{0,words}', $4::jsonb)
       from northline_app.analysis_reports where file_id = $1`,
    [report, picture, JSON.stringify(coverage), JSON.stringify(words)],
  );
  return picture;
}

async function wordsOf(reply: Response): Promise<string> {
  const pdf = await getDocument({ data: new Uint8Array(await reply.arrayBuffer()), verbosity: 0 }).promise;
  const { items } = await (await pdf.getPage(1)).getTextContent();
  return items.map((item) => ('str' in item ? item.str : '')).join(' ');
}

test('a scan is downloaded with its words, by its owner and by a team that it is shown to', async () => {
  const picture = await scanWith('Rent of Žofie due', asJpeg(drawPage('en', 'letter', 1).canvas));
  const reply = await take(picture);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('application/pdf');
  expect(reply.headers.get('content-disposition')).toContain('photo searchable.pdf');
  expect(reply.headers.get('cache-control')).toBe('private, no-store');
  expect((await wordsOf(reply)).replace(/\s+/g, ' ')).toContain('Rent of Žofie due');

  expect((await take(picture, other)).status).toBe(404);
  const { database } = app.resources;
  const { id } = await database.one("insert into northline_app.teams (name) values ('Quay') returning id");
  for (const person of [owner, other])
    await database.run(
      "insert into northline_app.team_members (user_id, team_id, role) values ($1, $2, 'owner')",
      [person.id, id],
    );
  await database.run(
    'insert into northline_app.team_files (file_id, team_id, shared_by) values ($1, $2, $3)',
    [picture, id, owner.id],
  );
  expect((await take(picture, other)).status).toBe(200);
  await expect
    .poll(() =>
      readdirSync(path.join(app.resources.settings.DATA_DIR, 'reading')).filter((name) =>
        name.startsWith('searchable'),
      ),
    )
    .toEqual([]);
});

const has = (tool: string): boolean => spawnSync(tool, ['--version']).error === undefined;

/** What Debian's programs say about a PDF, where they are installed. */
async function expectSound(reply: Response, words: string): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-shared-scan-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'scan.pdf');
  writeFileSync(file, Buffer.from(await reply.clone().arrayBuffer()));
  if (has('qpdf')) expect(spawnSync('qpdf', ['--check', file]).status).toBe(0);
  if (has('pdftotext'))
    expect(execFileSync('pdftotext', [file, '-']).toString().replace(/\s+/g, ' ')).toContain(words);
  expect((await wordsOf(reply)).replace(/\s+/g, ' ')).toContain(words);
}

test('a link gives the scan if its owner chose that, until it is withdrawn, and no other link does', async () => {
  claims('The scan is only there if you choose it.');
  const words = 'Rent of the harbour house';
  const picture = await scanWith(words, asJpeg(drawPage('en', 'letter', 1).canvas));
  const plain = await storeReport(app, owner, { name: 'plain2.txt', texts: ['Words.'] });
  const share = (fileId: string, more: object = {}) =>
    callFunction(app, 'share-report', owner.token, { file_id: fileId, days: 1, ...more });
  const scanOf = (token: string | undefined) =>
    fetch(`${app.url}${SHARE_FUNCTIONS.scan}`, {
      method: 'POST',
      headers: { apikey: app.anonKey, 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
  const tokenOf = ({ body }: { body: Record<string, string> }) => body.url?.split('#')[1];
  const chosen = tokenOf(await share(picture, { with_scan: true }));
  const other = tokenOf(await share(picture));
  const seen = await callFunction(app, 'read-shared-report', app.anonKey, { token: chosen });
  expect(seen.body).toMatchObject({ with_scan: true, without_sensitive: false });
  const reply = await scanOf(chosen);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('cache-control')).toBe('private, no-store');
  await expectSound(reply, words);
  await expectSound(await take(picture), words);

  const refused = async (token: string | undefined) => {
    const answer = await scanOf(token);
    return [answer.status, ((await answer.json()) as { code: string }).code];
  };
  expect(await refused(other)).toEqual([404, 'share_ended']);
  expect(await refused('nonsense')).toEqual([404, 'share_ended']);
  expect(await refused(undefined)).toEqual([400, 'validation_failed']);
  expect(await share(plain, { with_scan: true })).toMatchObject({ status: 409, body: { code: 'no_scan' } });
  expect((await share(picture, { with_scan: true, without_sensitive: true })).status).toBe(400);
  const { data: links } = await owner.client
    .schema('northline_app')
    .from('analysis_shares')
    .select('id, with_scan')
    .eq('file_id', picture);
  expect(links?.map(({ with_scan: scan }) => scan).sort()).toEqual([false, true]);
  const id = links?.find(({ with_scan: scan }) => scan)?.id;
  expect((await callFunction(app, 'withdraw-share', owner.token, { share_id: id })).status).toBe(200);
  expect(await refused(chosen)).toEqual([404, 'share_ended']);
});

test('a document with a text of its own, a stranger’s and a damaged one get a sentence', async () => {
  const plain = await storeReport(app, owner, { name: 'plain.txt', texts: ['Words.'] });
  const asked = async (fileId: string) => {
    const reply = await take(fileId);
    return [reply.status, ((await reply.json()) as { code: string }).code];
  };
  expect(await asked(plain)).toEqual([409, 'no_scan']);
  expect(await asked('00000000-0000-4000-8000-000000000000')).toEqual([404, 'not_found']);
  expect(await asked('x')).toEqual([400, 'validation_failed']);
  const cut = asJpeg(drawPage('en', 'letter', 1).canvas).subarray(0, 300);
  expect(await asked(await scanWith('Lost words', cut))).toEqual([422, 'corrupt']);
});
