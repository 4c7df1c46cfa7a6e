import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Customer, newCustomer } from '../../../tests/support/customers/analysis-customer.ts';
import { newApiKey } from '../../../tests/support/customers/api-keys.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

let app: TestApp;
let customer: Customer;
let key: string;
beforeAll(async () => {
  app = await startTestApp();
  customer = await newCustomer(app, 'mcp-attacked');
  key = (await newApiKey(customer, ['documents:read'])).key;
});
afterAll(() => app.close());

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

interface Reply {
  readonly status: number;
  readonly challenge: string | undefined;
  readonly text: string;
}

/** Sends a request as it is, with any Host header. */
function send(
  headers: Readonly<Record<string, string>>,
  { path = '/mcp', method = 'POST', at = app, body = JSON.stringify(LIST) as string | undefined } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, at.url),
      {
        method,
        headers: {
          accept: 'application/json, text/event-stream',
          ...(method === 'POST' && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('error', reject);
        reply.on('end', () =>
          resolve({
            status: reply.statusCode ?? 0,
            challenge: reply.headers['www-authenticate'],
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(method === 'POST' ? body : undefined);
  });
}

const withKey = (more: Readonly<Record<string, string>> = {}) => ({
  authorization: `Bearer ${key}`,
  ...more,
});

describe('attack 64: at the MCP server,', () => {
  test('a page of another site, also under a name that leads to this machine, is refused', async () => {
    expect((await send(withKey())).status).toBe(200);
    for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', '169.254.169.254']) {
      expect(await send(withKey({ host })), host).toMatchObject({
        status: 403,
        text: expect.stringContaining('wrong_host'),
      });
    }
    for (const origin of ['https://evil.example', 'null', `${app.url}.evil.example`]) {
      expect(await send(withKey({ origin })), origin).toMatchObject({
        status: 403,
        text: expect.stringContaining('wrong_origin'),
      });
    }
    expect((await send(withKey({ origin: app.url }))).status).toBe(200);
  });

  test('nothing but an API key opens it, and the refusal has a challenge', async () => {
    expect(await send({})).toMatchObject({ status: 401, challenge: 'Bearer realm="mcp"' });
    const { keys } = app.resources;
    const others = [
      keys.anon_key,
      keys.service_role_key,
      keys.voice_private_key,
      keys.voice_public_key,
      keys.metrics_token,
      customer.token,
      'nlk_',
      `${key}x`,
    ];
    for (const other of others) {
      expect(await send({ authorization: `Bearer ${other}` })).toMatchObject({
        status: 401,
        challenge: expect.stringMatching(
          /^Bearer realm="mcp", error="invalid_token", error_description="[^"]+"$/,
        ),
        text: expect.stringContaining('bad_key'),
      });
    }
    expect(await send({ apikey: key })).toMatchObject({ status: 401 });
    expect(
      await send({ authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}` }),
    ).toMatchObject({
      status: 401,
    });
  });

  test('a key in the address is refused, whatever its name there, and also beside a right one', async () => {
    for (const query of [`?apikey=${key}`, `?key=${key}`, `?a=1&a=${key}`]) {
      for (const headers of [{}, withKey()]) {
        expect(await send(headers, { path: `/mcp${query}` })).toMatchObject({
          status: 400,
          text: expect.stringContaining('key_in_address'),
        });
      }
    }
  });

  test('there are no sessions to steal or to fill up: streams and session ids mean nothing', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect((await send(withKey({ 'mcp-session-id': 'guessed' }), { method })).status).toBe(405);
    }
    expect((await send(withKey({ 'mcp-session-id': 'guessed' }))).status).toBe(200);
  });

  test('a forged or foreign state of a question changes nothing', async () => {
    const writer = (await newApiKey(customer, ['documents:write'])).key;
    for (const confirmation of ['v1.e30.AAAA', 'x', 'v1.', key]) {
      const body = JSON.stringify({
        ...LIST,
        method: 'tools/call',
        params: {
          name: 'mark_bill_paid',
          arguments: { document_id: customer.id, paid_on: '2026-05-31', confirmation },
        },
      });
      const { text } = await send({ authorization: `Bearer ${writer}` }, { body });
      expect(text).toContain('This confirmation is for another change, or older than ten minutes.');
    }
  });

  test('odd bodies are refused in words, and never end in an internal error', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const bodies = [
      '',
      '{',
      'null',
      '[]',
      '[1,2]',
      '"x"',
      '{"jsonrpc":"2.0"}',
      deep,
      JSON.stringify({ ...LIST, id: {} }),
    ];
    for (const body of bodies) {
      const { status } = await send(withKey(), { body });
      expect([200, 202, 400], `${body.slice(0, 40)}: ${status}`).toContain(status);
    }
    expect((await send(withKey(), { body: `"${'x'.repeat(300_000)}"` })).status).toBe(413);
    expect((await send(withKey({ 'content-type': 'text/plain' }))).status).toBe(415);
  });

  test('wrong keys are counted by address, and requests by key', async () => {
    const limited = await startTestApp({ beside: app, settings: { RATE_LIMITS: 'on' } });
    onTestFinished(() => limited.close());
    const wrong = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
    const statuses: number[] = [];
    for (let n = 0; n < 32; n += 1) {
      statuses.push((await send({ authorization: `Bearer ${wrong}` }, { at: limited })).status);
    }
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(30);
    expect(statuses).toContain(429);
    expect((await send(withKey(), { at: limited })).status).toBe(200);
  });
});
