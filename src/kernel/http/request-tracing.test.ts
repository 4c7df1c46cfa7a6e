import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { callAuth, newEmail, PASSWORD } from '../../../tests/support/customers/auth-client.ts';
import { startTestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { eventually, greetedCall } from '../../../tests/support/voice/voice-calls.ts';
import { uncheckedSql } from '../resources/database/fixed-sql.ts';

/** A span as OTLP writes it in JSON. */
interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status: { readonly code?: number };
}

/** A collector of traces that speaks OTLP: POST /v1/traces with JSON. */
async function openCollector() {
  const spans: SentSpan[] = [];
  const bodies: string[] = [];
  const seen: { path: string | undefined; key: unknown }[] = [];
  const services = new Set<unknown>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    bodies.push(body);
    seen.push({ path: request.url, key: request.headers['x-collector-key'] });
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      services.add(
        resource.attributes.find(({ key }: { key: string }) => key === 'service.name').value.stringValue,
      );
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { endpoint, spans, bodies, seen, services };
}

const factOf = (span: SentSpan | undefined, key: string): unknown =>
  Object.values(span?.attributes.find((each) => each.key === key)?.value ?? {})[0];
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

test('requests, their statements, jobs and calls are traced to the collector, and nobody is named in it', async () => {
  const collector = await openCollector();
  const lines: string[] = [];
  const app = await startTestApp({
    voiceEngines: simpleEngines(),
    logTo: { write: (line: string) => void lines.push(line) },
    settings: {
      LOG_LEVEL: 'info',
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=se%20cret',
      OTEL_SERVICE_NAME: 'front office',
    },
  });
  onTestFinished(() => app.close());
  const email = newEmail();
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
  const body = { email, password: PASSWORD };
  expect((await callAuth(app, 'POST', '/signup', { body, headers })).status).toBe(200);
  const wrong = { email, password: 'a guess' };
  for (const traceparent of ['no', '00-0-0-01'])
    expect(
      (await callAuth(app, 'POST', '/token?grant_type=password', { body: wrong, headers: { traceparent } }))
        .status,
    ).toBe(400);
  expect((await callAuth(app, 'POST', '/recover', { body: { email } })).status).toBe(200);
  const call = await greetedCall(app);
  call.peer.send(JSON.stringify({ type: 'end-call' }));
  expect((await call.over()).status).toBe('ended');
  await call.peer.close();
  await eventually('the mail of the recovery', async () => {
    const [row] = await app.resources.database.many(
      uncheckedSql('select 1 from private.mails where recipient = $1', 'composed'),
      [email],
    );
    return row;
  });
  await app.close();

  const { spans, seen, services } = collector;
  const signUp = spans.find(({ name }) => name === 'POST /auth/v1/signup');
  expect(signUp).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
  expect(factOf(signUp, 'http.response.status_code')).toBe(200);
  const below = spans.filter(({ traceId }) => traceId === TRACE).map(({ name }) => name);
  expect(below).toContain('transaction');
  expect(below).toContain('insert auth.users');
  const refused = spans.filter(({ name }) => name === 'POST /auth/v1/token');
  expect(new Set([TRACE, ...refused.map(({ traceId }) => traceId)]).size).toBe(3);
  expect(spans.map(({ name }) => name)).toContain('job auth.mail');
  const talked = spans.find(({ name }) => name === 'call');
  expect(factOf(talked, 'northline.call_id')).toBe(call.id);
  expect(factOf(talked, 'northline.ended_reason')).toBe('customer-ended-call');
  const statements = spans.filter((span) => factOf(span, 'db.system.name') === 'postgresql');
  expect(statements.length).toBeGreaterThan(10);
  expect(statements.filter(({ parentSpanId }) => !parentSpanId)).toEqual([]);

  expect(seen.every(({ path, key }) => path === '/v1/traces' && key === 'se cret')).toBe(true);
  expect([...services]).toEqual(['front office']);
  const told = collector.bodies.join('\n');
  const { keys } = app.resources;
  for (const secret of [
    email,
    PASSWORD,
    app.anonKey,
    keys.master_secret,
    keys.voice_private_key,
    '127.0.0.1',
  ])
    expect(told).not.toContain(secret);
  for (const part of call.url.split('/').slice(-1)) expect(told).not.toContain(part);
  const logged = lines.map((line) => JSON.parse(line));
  const line = logged.find(({ msg, path }) => msg === 'request' && path === '/auth/v1/signup');
  expect(line).toMatchObject({ trace_id: TRACE, request: factOf(signUp, 'northline.request_id') });
});

test('a request cannot have itself recorded', async () => {
  const collector = await openCollector();
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_TRACES_SAMPLER_ARG: '0' };
  const app = await startTestApp({ settings });
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
  await callAuth(app, 'POST', '/signup', { body: {}, headers });
  await app.close();
  expect(collector.spans).toEqual([]);
});

test('an unavailable collector costs only the traces, and the log says so', async () => {
  const lines: string[] = [];
  const app = await startTestApp({
    logTo: { write: (line: string) => void lines.push(line) },
    // No program listens on this port, so connections are refused at once.
    settings: { LOG_LEVEL: 'warn', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
  });
  expect((await callAuth(app, 'POST', '/signup', { body: {} })).status).toBe(422);
  await app.close();
  await eventually('the warning', () =>
    lines.find((line) => /traces (could|were) not (be )?delivered/.test(line)),
  );
});
