import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDocuments } from '../../../packages/document-reader/src/samples/make-documents.fixture.ts';
import {
  analyze,
  type Customer,
  fileOf,
  newCustomer,
  reportOf,
  settled,
  upload,
} from '../../../tests/support/customers/analysis-customer.ts';
import { startAutomation, type TestAutomation } from '../../../tests/support/servers/automation-server.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { callbackToken, embeddedSecret } from './requests/analysis-context.server.ts';

const documents = makeDocuments();
describe('an external automation', () => {
  let automation: TestAutomation;
  let app: TestApp;
  let owner: Customer;
  beforeAll(async () => {
    automation = await startAutomation();
    app = await startTestApp({
      settings: {
        ANALYSIS_WEBHOOK_URL: `${automation.url}/webhook/analyse`,
        OUTBOUND_ALLOW_HOSTS: automation.host,
        ANALYSIS_PAYLOAD: 'full',
      },
    });
    owner = await newCustomer(app, 'owner');
  });
  afterAll(async () => {
    await app.close();
    await automation.close();
  });

  async function requested(name = 'tenancy-agreement.pdf', answer?: () => { status: number; body: string }) {
    automation.answer = answer ?? (() => ({ status: 202, body: '' }));
    const fileId = await upload(owner, name);
    const asked = automation.next();
    const { body } = await analyze(app, owner.token, fileId);
    const call = await asked;
    const url = `${app.url}/webhooks/analysis/${body.analysis_id}`;
    const token = callbackToken(app.resources, String(body.analysis_id));
    const answerWith = async (
      payload: unknown,
      headers: Record<string, string> = { authorization: `Bearer ${token}` },
    ) => {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
      const response = await fetch(url, {
        method: 'POST',
        body: text,
        headers: { 'content-type': 'application/json', ...headers },
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    return { fileId, analysisId: String(body.analysis_id), call, answerWith };
  }

  test('a password is refused, as an automation is sent none', async () => {
    const fileId = await upload(owner, 'tenancy-agreement-locked.pdf');
    expect(await analyze(app, owner.token, fileId, 'tulip')).toMatchObject({
      status: 422,
      body: { code: 'password_not_sent' },
    });
  });

  test('gets the specified body and headers with a signature that an independent verifier accepts', async () => {
    const { fileId, call, analysisId, answerWith } = await requested();
    expect(call.headers).toMatchObject({
      'x-request-source': 'dashboard',
      'x-user-id': owner.id,
      'x-file-id': fileId,
      'idempotency-key': call.headers['webhook-id'],
    });
    new Webhook(embeddedSecret(app.resources)).verify(call.body, call.headers);
    const body = JSON.parse(call.body);
    expect(body).toMatchObject({
      event: 'document.analysis.requested',
      analysisId,
      user: {
        id: owner.id,
        email: 'owner@customers.example',
        name: 'Eleanor Whitcombe',
        phone: '0117 496 0182',
      },
      subscription: {
        plan: null,
        status: null,
        cancelAtPeriodEnd: false,
        paymentMethodBrand: null,
        paymentMethodLast4: null,
      },
      file: {
        id: fileId,
        name: 'tenancy-agreement.pdf',
        mimeType: 'application/pdf',
        analyzed: false,
        orderId: null,
        sizeFormatted: expect.stringMatching(/KB$/),
      },
      source: 'dashboard',
      environment: 'production',
      totals: { storageLimit: 250 * 1024 * 1024 },
      callback: { url: `${app.url}/webhooks/analysis/${analysisId}` },
    });
    for (const name of ['timestamp', 'requestId', 'userAgent', 'referrer', 'deliveryId', 'options']) {
      expect(body).toHaveProperty(name);
    }
    const document = await fetch(body.file.url);
    expect(
      Buffer.from(await document.arrayBuffer()).equals(documents['tenancy-agreement.pdf'] ?? Buffer.alloc(0)),
    ).toBe(true);
    await answerWith({ status: 'failed' });
  });

  test('its answers: unknown, unproven, malformed, progress, completed, repeated, closed', async () => {
    const { fileId, answerWith } = await requested();
    const nowhere = `${app.url}/webhooks/analysis/00000000-0000-4000-8000-000000000000`;
    expect((await fetch(nowhere, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await fetch(`${app.url}/webhooks/analysis/x`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await answerWith({ status: 'progress', progress: 10 }, {})).status).toBe(401);
    expect(
      (await answerWith({ status: 'progress', progress: 10 }, { authorization: 'Bearer x' })).status,
    ).toBe(401);
    expect((await answerWith('{')).status).toBe(400);
    const wrong = await answerWith({ status: 'completed', summary: '', fields: { total: [] } });
    expect(wrong.status).toBe(422);
    expect(Object.keys(wrong.body.fields as object)).toEqual(
      expect.arrayContaining(['summary', 'fields.total']),
    );
    expect((await answerWith({ status: 'completed', summary: 'x', html: '<b>x</b>' })).status).toBe(422);

    expect((await answerWith({ status: 'progress', progress: 40 })).status).toBe(200);
    expect(await fileOf(app, fileId)).toMatchObject({ status: 'analyzing', progress: 40 });
    expect((await answerWith({ status: 'progress', progress: 20 })).status).toBe(200);
    expect(await fileOf(app, fileId)).toMatchObject({ progress: 40 });

    const final = {
      status: 'completed',
      summary: 'The landlord lets the flat for a year.',
      fields: { Rent: '£1,125.00', Mood: 'calm' },
      report_url: 'https://automation.example/reports/7',
    };
    expect((await answerWith(final)).body).toEqual({ status: 'accepted' });
    expect((await answerWith(final)).body).toEqual({ status: 'repeated' });
    expect((await answerWith({ ...final, summary: 'Another.' })).status).toBe(409);
    expect((await settled(app, fileId)).status).toBe('analyzed');
    const { report, blocks } = await reportOf(app, fileId);
    expect(report).toMatchObject({
      engine: { name: 'external' },
      summary: { short: final.summary },
      document: { kind: 'lease', pages: 2 },
      reportUrl: final.report_url,
    });
    expect(report.fields.find(({ label }) => label === 'Rent')).toMatchObject({
      label: 'Rent',
      source: 'external',
      cites: [{ quote: '£1,125.00' }],
    });
    expect(report.fields.find(({ label }) => label === 'Mood')).toMatchObject({ cites: [] });
    expect(blocks.length).toBeGreaterThan(5);
    expect((await answerWith(final)).body).toEqual({ status: 'repeated' });
    expect((await answerWith({ status: 'progress', progress: 90 })).status).toBe(409);
  });

  test('may sign its call-back instead of sending the token, and invented quotes are dropped', async () => {
    const { fileId, answerWith } = await requested();
    const cite = { block: 'b1', quote: 'The tenant owes a million', start: 0, end: 25 };
    const report = {
      schema: 'report/1',
      createdAt: new Date().toISOString(),
      engine: { name: 'external', version: '9' },
      status: 'complete',
      document: {
        title: 'T',
        kind: 'lease',
        kindConfidence: 1,
        language: 'en',
        pages: 9,
        words: 1,
        readingMinutes: 1,
        sha256: 'x',
      },
      summary: { short: 'S', points: [{ text: 'A million is owed.', cites: [cite], verified: true }] },
      attention: [],
      fields: [],
      outline: [],
      phrases: [],
      coverage: { pagesRead: 9, pagesSkipped: [] },
      warnings: [],
      timings: {},
    };
    const body = JSON.stringify({ status: 'completed', report });
    const now = new Date();
    const signed = {
      'webhook-id': 'answer-1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(embeddedSecret(app.resources)).sign('answer-1', now, body),
    };
    expect((await answerWith(body.replace('S', 'Z'), signed)).status).toBe(401);
    expect((await answerWith(body, signed)).status).toBe(200);
    await settled(app, fileId);
    const stored = await reportOf(app, fileId);
    expect(stored.report.summary.points[0]).toMatchObject({ cites: [], verified: false });
    expect(stored.report.document).toMatchObject({ title: 'T', pages: 2 });
  });

  test('may answer at once, in the reply to the request', async () => {
    const { fileId } = await requested('letter-rent-review.txt', () => ({
      status: 200,
      body: JSON.stringify({ status: 'completed', markdown: '# Rent\nIt **rises** by £50.' }),
    }));
    await settled(app, fileId);
    const { report } = await reportOf(app, fileId);
    expect(report.summary.short).toBe('Rent\nIt rises by £50.');
  });

  test('the owner reads the reason for a refusal, and for a failure that the automation reports', async () => {
    const refused = await requested('letter-rent-review.txt', () => ({
      status: 400,
      body: 'no such workflow',
    }));
    expect(await settled(app, refused.fileId)).toMatchObject({
      status: 'failed',
      status_reason: 'Analysis request failed: 400 - no such workflow',
    });
    const failed = await requested('letter-rent-review.txt');
    await failed.answerWith({
      status: 'failed',
      error: { code: 'quota', message: 'The quota is used up.' },
    });
    expect(await settled(app, failed.fileId)).toMatchObject({
      status: 'failed',
      status_reason: 'The quota is used up.',
    });
  });

  test('the built-in analyser takes over if no answer comes, and a late answer is refused', async () => {
    const { fileId, analysisId, answerWith } = await requested();
    await app.resources.database.run(
      "update private.analyses set deadline_at = now() - interval '1 second' where id = $1",
      [analysisId],
    );
    expect((await answerWith({ status: 'completed', summary: 'late' })).status).toBe(409);
    expect((await settled(app, fileId)).status).toBe('analyzed');
    const { report } = await reportOf(app, fileId);
    expect(report.engine.name).toBe('local');
    expect(report.warnings.map(({ code }) => code)).toContain('fallback');
  });
});
