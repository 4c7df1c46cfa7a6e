import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manageEvents } from '../src/cli/events-command.ts';
import { analyze, type Customer, newCustomer, upload } from './support/customers/analysis-customer.ts';
import {
  type AutomationCall,
  startAutomation,
  type TestAutomation,
} from './support/servers/automation-server.ts';
import { runWorkflow, type Workflow } from './support/servers/workflow-run.ts';
import { startTestApp, type TestApp } from './support/test-app.ts';

const DOCS = path.join(import.meta.dirname, '..', 'docs');
const FOLDER = path.join(DOCS, 'automation', 'n8n');
const FILES = readdirSync(FOLDER);
const read = (file: string): Workflow => JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8'));
const GUIDE = readFileSync(path.join(DOCS, 'automation.md'), 'utf8');

describe.each(FILES)('the n8n workflow %s', (file) => {
  const workflow = read(file);
  const names = workflow.nodes.map(({ name }) => name);

  test('can be imported: every node once, every connection between nodes, every node reached', () => {
    expect(new Set(names).size).toBe(names.length);
    const targets = Object.values(workflow.connections).flatMap(({ main }) =>
      main.flat().map(({ node }) => node),
    );
    for (const name of [...targets, ...Object.keys(workflow.connections)]) expect(names).toContain(name);
    const triggers = workflow.nodes
      .filter(({ type }) => type === 'n8n-nodes-base.webhook')
      .map(({ name }) => name);
    expect(new Set([...targets, ...triggers])).toEqual(new Set(names));
    expect(workflow).toMatchObject({ active: false, settings: { executionOrder: 'v1' } });
    for (const node of workflow.nodes) {
      expect(node).toMatchObject({
        id: expect.any(String),
        typeVersion: expect.any(Number),
        position: expect.any(Array),
      });
    }
  });

  test('uses the raw body, and does nothing before the signature was verified', () => {
    const [webhook, verify, signed] = workflow.nodes;
    expect(webhook?.parameters).toMatchObject({ httpMethod: 'POST', options: { rawBody: true } });
    expect(verify?.parameters.jsCode).toContain('timingSafeEqual');
    expect(workflow.connections[webhook?.name ?? '']?.main).toEqual([
      [expect.objectContaining({ node: verify?.name })],
    ]);
    expect(workflow.connections[verify?.name ?? '']?.main).toEqual([
      [expect.objectContaining({ node: signed?.name })],
    ]);
  });

  test('is named in the guide', () => expect(GUIDE).toContain(file));
});

describe('the workflows with the running product', () => {
  let automation: TestAutomation;
  let app: TestApp;
  let owner: Customer;
  beforeAll(async () => {
    automation = await startAutomation();
    app = await startTestApp({
      settings: {
        CONTACT_EMAIL: 'agency@example.com',
        ANALYSIS_WEBHOOK_URL: `${automation.url}/analysis`,
        ENQUIRY_WEBHOOK_URL: `${automation.url}/enquiries`,
        AUTOMATION_URLS: `crm=${automation.url}/crm#document.analysis.completed`,
        OUTBOUND_ALLOW_HOSTS: automation.host,
      },
    });
    owner = await newCustomer(app, 'owner');
  });
  afterAll(async () => {
    await app.close();
    await automation.close();
  });
  const envFor = async (target: string) => ({
    NORTHLINE_WEBHOOK_SECRET: await manageEvents(app.resources.database, app.resources.keys, [
      'secret',
      target,
    ]),
    NORTHLINE_CHANNEL_URL: automation.url,
  });
  /** The next request whose body has one of these types. */
  async function next(...types: string[]): Promise<AutomationCall> {
    for (;;) {
      const call = await automation.next();
      const { type, event } = JSON.parse(call.body);
      if (types.includes(type) || types.includes(event)) return call;
    }
  }

  test('a document is read and its webhook arrives; its report is posted to a channel; a repetition does nothing', async () => {
    const fileId = await upload(owner, 'letter-rent-review.txt');
    const asked = next('document.analysis.requested');
    await analyze(app, owner.token, fileId);
    const call = await asked;
    const surroundings = { env: await envFor('analysis'), memory: {} };
    const told = next('document.analysis.completed');
    const run = await runWorkflow(read('analyse-document.json'), call, surroundings);
    expect(run).toMatchObject({ status: 202 });
    expect(run.path.at(-1)).toBe('Call back');
    const report = () =>
      app.resources.database.maybe(
        'select report::text as text from northline_app.analysis_reports where file_id = $1',
        [fileId],
      );
    await expect.poll(async () => (await report())?.text ?? '').toContain('The document has');

    const again = await runWorkflow(read('analyse-document.json'), call, surroundings);
    expect(again).toMatchObject({ status: 202, path: expect.not.arrayContaining(['Call back']) });
    const ready = await told;
    const env = await envFor('crm');
    const posted = automation.next();
    const channel = await runWorkflow(read('report-ready-to-channel.json'), ready, { env, memory: {} });
    expect(channel.path.at(-1)).toBe('Post to the channel');
    expect(JSON.parse((await posted).body)).toEqual({ text: `Report ready for file ${fileId}` });
  });

  test('an enquiry becomes a mail; an unsigned, old or changed request is refused', async () => {
    const asked = next('enquiry_email');
    await createClient(app.url, app.anonKey).functions.invoke('enquiry', {
      body: { name: 'Priya', email: 'priya@example.com', enquiry_type: 'App Builder' },
    });
    const call = await asked;
    const env = await envFor('enquiries');
    const workflow = read('enquiry-to-mail.json');
    const run = await runWorkflow(workflow, call, { env, memory: {} });
    expect(run.status).toBe(200);
    expect(run.mails).toMatchObject([{ toEmail: 'agency@example.com', replyTo: 'priya@example.com' }]);
    for (const wrong of [
      { ...call, body: `${call.body} ` },
      { ...call, headers: { ...call.headers, 'webhook-signature': 'v1,AAAA' } },
      { ...call, headers: { ...call.headers, 'webhook-timestamp': '1700000000' } },
      { body: call.body, headers: {} },
    ]) {
      const refused = await runWorkflow(workflow, wrong, { env, memory: {} });
      expect(refused).toMatchObject({ status: 401, mails: [] });
    }
    expect((await runWorkflow(workflow, call, { env: {}, memory: {} })).status).toBe(401);
  });

  test('the request in the guide is signed as described, and has the shape of a real one', async () => {
    const [, shown = ''] = /```http\n([\s\S]*?)```/.exec(GUIDE) ?? [];
    const [head = '', body = ''] = shown.trim().split('\n\n');
    const headers = Object.fromEntries(
      head
        .split('\n')
        .slice(1)
        .map((line) => line.split(/: (.*)/).slice(0, 2)),
    );
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(GUIDE)?.[0] ?? '';
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    expect(headers['webhook-signature']).toBe(
      new Webhook(secret).sign(headers['webhook-id'], at, body.trim()),
    );
    const real = await app.resources.database.one(
      "select data from private.outbox_events where kind = 'document.analysis.completed' and target = 'crm' limit 1",
    );
    const example = JSON.parse(body);
    expect(Object.keys(example)).toEqual(['type', 'event', 'deliveryId', 'timestamp', 'data']);
    expect(Object.keys(example.data).sort()).toEqual(Object.keys(real.data ?? {}).sort());
    expect(example.deliveryId).toBe(headers['webhook-id']);
  });

  test('the guide’s step for Zapier accepts only signed and fresh requests', async () => {
    const [, snippet = ''] = /```js\n([\s\S]*?)```/.exec(GUIDE) ?? [];
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(GUIDE)?.[0] ?? '';
    const step = new Function('require', 'inputData', snippet);
    const run = (input: object) => step(createRequire(import.meta.url), input);
    const now = new Date();
    const body = '{"type":"test"}';
    const signature = `v1,AAAA ${new Webhook(secret).sign('1', now, body)}`;
    const input = { secret, id: '1', time: String(Math.floor(now.getTime() / 1000)), signature, body };
    expect(run(input)).toEqual({ type: 'test' });
    for (const wrong of [
      { body: '{"type":"other"}' },
      { id: '2' },
      { time: '1700000000' },
      { signature: '' },
    ]) {
      expect(() => run({ ...input, ...wrong })).toThrow('not signed');
    }
  });
});
