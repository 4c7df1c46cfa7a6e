/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { type Product, runProduct, temporaryFolder } from '../support/servers/product-process.ts';
import { expectOneEnd, openPhoneVisits, type PhoneVisits, testNow } from '../support/voice/phone-visit.ts';
import { SpeakingVisitor } from '../support/voice/speaking-visitor.ts';
import type { CallRecord } from '../support/voice/voice-calls.ts';
import { buildVoicePage, type VoicePage } from '../support/voice/voice-page.ts';
import { until } from '../support/voice/voice-peer.ts';

const CLIENTS = ['own', 'specified', 'newest'] as const;
/** Longer than a browser takes to notice that the server is gone. */
const LOST_SECONDS = 90 * Number(process.env.TEST_PATIENCE ?? 1);

const folder = temporaryFolder('killed');
let visits: PhoneVisits;
let voicePage: VoicePage;
let product: Product | undefined;
let running = false;
let url = '';
/** What the assistant's server received: the delivery's id, the type of event, the call's id. */
const told: { delivery: string; type: string; call: string }[] = [];
const hook = http.createServer(async (request, reply) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { message } = JSON.parse(Buffer.concat(chunks).toString());
  const type = [message.type, message.status].filter(Boolean).join(' ');
  told.push({ delivery: String(request.headers['webhook-id']), type, call: message.call.id });
  reply.writeHead(204).end();
});

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  [visits, voicePage] = await Promise.all([openPhoneVisits(), buildVoicePage(), start('0')]);
});
afterAll(async () => {
  await visits?.close();
  voicePage?.remove();
  // If the test failed in between, no product is running any more.
  if (running) await product?.stop();
  hook.close();
  folder[Symbol.dispose]();
});

async function start(port: string): Promise<void> {
  product = runProduct({
    settings: {
      ...{ DATA_DIR: path.join(folder.path, 'data'), PORT: port, RATE_LIMITS: 'off' },
      OUTBOUND_ALLOW_HOSTS: `127.0.0.1:${(hook.address() as AddressInfo).port}`,
    },
  });
  url = await product.url;
  running = true;
}

const keys = (): Record<string, string> =>
  JSON.parse(readFileSync(path.join(folder.path, 'data', 'keys.json'), 'utf8'));

async function api(method: string, at: string, body?: object): Promise<CallRecord> {
  const headers = {
    authorization: `Bearer ${keys().voice_private_key}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const reply = await fetch(`${url}/voice/v1${at}`, { method, headers, body: JSON.stringify(body) });
  return reply.json();
}

/** A page with one client in a call that has been greeted, under `script-src 'self'`. */
async function callWith(client: (typeof CLIENTS)[number]) {
  const context = await visits.browser.newContext();
  const visitor = await SpeakingVisitor.of(context, visits.callers);
  await voicePage.serve(context, url);
  const page = await context.newPage();
  await page.goto(`${url}/voice-test.html`);
  const { voice_public_key: key, voice_assistant_id: assistant } = keys();
  await page.evaluate(
    ([...given]) => window.begin(...(given as [string, string, string])),
    [client, key, assistant],
  );
  const heard = () => page.evaluate(() => window.heard.filter(([name]) => name !== 'volume-level'));
  const ends = async () => (await heard()).filter(([name]) => name === 'call-end').length;
  return { client, page, visitor, heard, ends };
}

describe.skipIf(CHROMIUM === undefined)('a server that is killed during a call', () => {
  test('ends the call once, on the page and with other clients; everything works again when it is back', async () => {
    const { voice_assistant_id } = keys();
    const hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/calls`;
    await api('PATCH', `/assistant/${voice_assistant_id}`, {
      serverUrl: hookUrl,
      silenceTimeoutSeconds: 600,
    });
    await visits.visit(url, async (visit) => {
      const { page, visitor } = visit;
      const others: Awaited<ReturnType<typeof callWith>>[] = [];
      for (const client of CLIENTS) {
        const other = await callWith(client);
        others.push(other);
        await other.visitor.heard('How can I help you?');
        // Other tests check what is understood; here it only matters that it is heard and answered.
        await other.visitor.ask(other.page, 'How much is the pro plan?', '');
      }
      await testNow(page).click();
      await visitor.heard('How can I help you?');
      await until('the server was told that they began', () => began().size === 4);
      product?.signal('SIGKILL', 'group');
      await product?.ended;
      running = false;

      await page.getByText('The call is over.').waitFor({ timeout: LOST_SECONDS * 1000 });
      await expectOneEnd(visit, 'The connection was lost.');
      await deleteWords(page);
      await page.getByText('They could not be deleted.').waitFor();
      for (const { client, ends, page: other } of others) {
        await other
          .waitForFunction(() => window.heard.some(([name]) => name === 'call-end'), undefined, {
            timeout: LOST_SECONDS * 1000,
          })
          .catch((error) => Promise.reject(new Error(`${client} never told its end`, { cause: error })));
        expect([client, await ends()]).toEqual([client, 1]);
      }

      await start(new URL(url).port);
      await deleteWords(page);
      await page.getByText('The words of this call have been deleted.').waitFor();
      await testNow(page).click();
      await visitor.heard('How can I help you?');
      await page.getByRole('button', { name: 'Hang up' }).click();
      await page.getByText('The call is over.').waitFor();
      expect(visitor.ends).toBe(2);
      for (const { client, ends, heard, page: other } of others) {
        expect([client, await ends()]).toEqual([client, 1]);
        expect((await heard()).filter(([name]) => name === 'call-start')).toHaveLength(1);
        await other.context().close();
      }
    });
    await expectClosedOnce();
  });
});

const began = (): Set<string> =>
  new Set(told.filter(({ type }) => type === 'status-update in-progress').map(({ call }) => call));
const deleteWords = (page: Page) => page.getByRole('button', { name: 'Delete what was said' }).click();

/** The interrupted calls are closed with their reason, and each end was announced once. */
async function expectClosedOnce(): Promise<void> {
  const ofType = (type: string) => told.filter((one) => one.type === type);
  const ends = ['end-of-call-report', 'status-update ended'];
  await until('every end was told', () =>
    ends.every((type) => new Set(ofType(type).map(({ call }) => call)).size === 5),
  );
  const calls: CallRecord[] = await api('GET', '/call');
  expect(calls.map(({ status, endedReason }) => `${status}: ${endedReason}`)).toEqual([
    'ended: customer-ended-call',
    ...Array.from({ length: 4 }, () => 'ended: call.in-progress.error-vapifault-worker-died'),
  ]);
  for (const type of ends) expect(new Set(ofType(type).map(({ delivery }) => delivery)).size).toBe(5);
}
