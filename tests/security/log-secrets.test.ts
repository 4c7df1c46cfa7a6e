import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mailboxToken } from '../../src/business/mailbox/mailbox-access.server.ts';
import { derivedSecret } from '../../src/kernel/resources/crypto/secrets.ts';
import { pathOf } from '../../src/kernel/resources/log/log.ts';
import { withProviders } from '../../src/voice/composition/provider-engines.server.ts';
import { claims } from '../support/claims.ts';
import { type NumberProviders, startNumberProviders } from '../support/servers/number-provider-servers.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { greetedCall, voiceApi } from '../support/voice/voice-calls.ts';
import { until } from '../support/voice/voice-peer.ts';

let app: TestApp;
let numbers: NumberProviders;
let log = '';
const password = `harbour lantern ${randomUUID()}`;
const email = `${randomUUID()}@customers.example`;
/** Every secret that this run creates, by its kind. */
const secrets = new Map<string, string>();

function note(name: string, secret: string | undefined | null): void {
  expect(secret, name).toEqual(expect.any(String));
  secrets.set(name, secret ?? '');
}

/** A model that is never reached, with its own key. */
const modelUrl = `http://:sk-model-${randomUUID()}@127.0.0.1:9/v1?model=m`;
const voiceSecrets = {
  VOICE_SERVER_SECRET: `server ${randomUUID()}`,
  VOICE_TURN_SECRET: `turn ${randomUUID()}`,
};

beforeAll(async () => {
  numbers = await startNumberProviders();
  app = await startTestApp({
    voiceEngines: withProviders(
      { VOICE_LLM_URL: modelUrl, VOICE_STT_URL: '', VOICE_TTS_URL: '' },
      simpleEngines(),
      { system: () => 'You are brief.', tools: () => ({}), context: () => undefined },
    ),
    settings: {
      LOG_LEVEL: 'debug',
      ...voiceSecrets,
      VOICE_LLM_URL: modelUrl,
      VOICE_SERVER_URL: 'http://127.0.0.1:9/',
      VOICE_TWILIO_URL: numbers.url,
      VOICE_VONAGE_URL: numbers.url,
      OUTBOUND_ALLOW_HOSTS: `${numbers.host},127.0.0.1:9`,
    },
    logTo: {
      write(line: string) {
        log += line;
      },
    },
  });
});
afterAll(async () => {
  await app.close();
  await numbers.close();
});

const post = (at: string, body: string, headers: Record<string, string> = {}) =>
  fetch(app.url + at, {
    method: 'POST',
    body,
    headers: { apikey: app.anonKey, 'content-type': 'application/json', ...headers },
  });

test('a run with every kind of secret, right and wrong, leaves none of them in the log', async () => {
  claims('Request logs: address, time and path, without contents, to keep the service safe.');
  await useAccount();
  await useFiles();
  await useOperation();
  const callLog = await useVoice();
  await failInManyWays();
  noteKeys();

  const lines = log.split('\n').filter((line) => line !== '');
  expect(lines.filter((line) => line.includes('"request"')).length).toBeGreaterThan(15);
  const database = new pg.Client(app.resources.database.owner);
  const serverLog = path.join(database.host, '..', 'data', 'server.log');
  const said = `${existsSync(serverLog) ? log + readFileSync(serverLog, 'utf8') : log}\n${callLog}`;
  const found = [...secrets].flatMap(([name, secret]) => {
    const line = said
      .split('\n')
      .find((text) => text.includes(secret) || text.includes(encodeURIComponent(secret)));
    return line === undefined ? [] : [`${name}: ${line}`];
  });
  expect(found).toEqual([]);
  // Programs read the log, so every line is one JSON object.
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) });
});

/** Parts of addresses that prove a right, or name a person or a file; and those that reveal nothing. */
const CUT = ['token', 'session', 'whom', '*'];
const HARMLESS = [
  ...['id', 'name', 'page', 'bucket', 'version', 'topic', 'event', 'invoice', 'analysisId'],
  ...['factorId', 'identityId', 'passkeyId', 'providerId', 'service', 'sessionId'],
];

test('parts of a route’s address that prove a right, or name a person or a file, are removed from the log', () => {
  const paths = [...new Set(app.routes.map((route) => route.split(' ')[1] ?? ''))];
  const partsOf = (path: string) => [...path.matchAll(/:(\w+)|\*/g)].map(([all, name]) => name ?? all);
  expect(
    [...new Set(paths.flatMap(partsOf))].filter((name) => ![...CUT, ...HARMLESS].includes(name)),
  ).toEqual([]);
  // Below these, a star matches unknown paths and not the name of a file.
  const named = paths.filter(
    (path) => !path.endsWith('*') || /^\/storage\/v1\/(object|cdn|s3|render)\//.test(path),
  );
  const kept = named.filter((path) => {
    const asked = path.replace(/:(\w+)/g, (_all, name) => (CUT.includes(name) ? 'S3CRET' : name));
    return pathOf(asked.replace('*', 'folder/S3CRET.pdf')).includes('S3CRET');
  });
  expect(kept).toEqual([]);
  expect(named.filter((path) => /:token|:whom|:session\b|\*/.test(path)).length).toBeGreaterThan(15);
});

async function useAccount(): Promise<void> {
  note('password', password);
  const client = createClient(app.url, app.anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { data, error } = await client.auth.signUp({ email, password });
  expect(error).toBeNull();
  note('access token', data.session?.access_token);
  note('refresh token', data.session?.refresh_token);
  const next = await client.auth.refreshSession();
  note('second access token', next.data.session?.access_token);
  note('second refresh token', next.data.session?.refresh_token);
  await client.auth.signInWithPassword({ email, password: `${password} wrong` });
  await client.auth.resetPasswordForEmail(email, { redirectTo: `${app.url}/login` });
  const linkOfMail = async () =>
    /https?:\/\/\S+token\S+/.exec((await app.resources.mailer.kept(1))[0]?.text ?? '')?.[0] ?? '';
  await expect.poll(linkOfMail).not.toBe('');
  const link = await linkOfMail();
  note('link of the mail', URL.parse(link)?.searchParams.get('token'));
  await fetch(link, { redirect: 'manual' });
  await fetch(link, { redirect: 'manual' });
}

/** The bearer tokens of the operator's own programs. */
async function useOperation(): Promise<void> {
  const { keys } = app.resources;
  note('metrics token', keys.metrics_token);
  note('push key', keys.push_private_key);
  note('mailbox token', mailboxToken(keys));
  const headers = { authorization: `Bearer ${keys.metrics_token}` };
  expect((await fetch(`${app.url}/metrics`, { headers })).status).toBe(200);
  const mailbox = `${app.url}/dev/mail?token=${mailboxToken(keys)}`;
  expect((await fetch(mailbox, { redirect: 'manual' })).status).toBe(303);
}

async function useFiles(): Promise<void> {
  const service = createClient(app.url, app.serviceKey, { auth: { persistSession: false } });
  const name = `secret-test/${randomUUID()}.txt`;
  const uploaded = await service.storage
    .from('user-uploads')
    .upload(name, new Blob(['plain words'], { type: 'text/plain' }));
  expect(uploaded.error).toBeNull();
  const { data } = await service.storage.from('user-uploads').createSignedUrl(name, 60);
  note('signed address', URL.parse(data?.signedUrl ?? '')?.searchParams.get('token'));
  expect((await fetch(data?.signedUrl ?? '')).status).toBe(200);
}

/** Uses everything with a secret in the voice platform, rightly and wrongly; returns the logs of calls. */
async function useVoice(): Promise<string> {
  note('key of the model', new URL(modelUrl).password);
  note('secret of the own server', voiceSecrets.VOICE_SERVER_SECRET);
  note('secret of the TURN server', voiceSecrets.VOICE_TURN_SECRET);
  note('voice private key', app.resources.keys.voice_private_key);
  const make = (at: string, body: object) => voiceApi(app, 'POST', at, body);
  const apiKey = `sk-credential-${randomUUID()}`;
  note('credential', apiKey);
  await make('/credential', { provider: 'openai', apiKey });
  await make('/credential', { provider: 5, apiKey });
  const { sid, token } = numbers.twilio;
  note('Twilio token', token);
  const twilio = { twilioPhoneNumber: '+12025550143', twilioAccountSid: sid, twilioAuthToken: token };
  expect((await make('/phone-number/import/twilio', twilio)).body.code).toBe('number_not_in_account');
  const wrongToken = `wrong-${randomUUID()}`;
  note('wrong Twilio token', wrongToken);
  await make('/phone-number/import/twilio', { ...twilio, twilioAuthToken: wrongToken });
  const { apiKey: vonageKey, apiSecret } = numbers.vonage;
  note('Vonage secret', apiSecret);
  const vonage = await make('/credential', { provider: 'vonage', apiKey: vonageKey, apiSecret });
  numbers.mode = 'down';
  await make('/phone-number/import/vonage', {
    vonagePhoneNumber: '442079460000',
    credentialId: vonage.body.id,
  });
  const serverUrlSecret = `events ${randomUUID()}`;
  const header = `header-${randomUUID()}`;
  note('secret of the server', serverUrlSecret);
  note('header of the server', header);
  const call = await greetedCall(app, {
    assistant: {
      firstMessage: 'Hello.',
      serverUrlSecret,
      server: { url: 'http://127.0.0.1:9/events', headers: { 'x-team': header } },
    },
  });
  note('room of a call', call.url.split('/').at(-1));
  call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'hello there' } }));
  await until('the model failed', () => call.messages('model-output').length > 0);
  await voiceApi(app, 'POST', `${call.url}/leave`, {});
  await call.over();
  await call.peer.close();
  const lines = await app.resources.database.many('select log from private.voice_call_logs');
  expect(lines.map((line) => line.log).join('\n')).toContain('the language model failed');
  return JSON.stringify(lines);
}

/** Requests for which a careless log would print what it was given. */
async function failInManyWays(): Promise<void> {
  const wrong = `wrong ${randomUUID()}`;
  note('secret in broken requests', wrong);
  const token = encodeURIComponent(wrong);
  await post('/auth/v1/token?grant_type=password', `{"email":"${email}","password":"${wrong}"`);
  await post(
    '/auth/v1/token?grant_type=password',
    JSON.stringify({ email: { password: wrong }, password: [wrong] }),
  );
  await post('/auth/v1/signup', JSON.stringify({ email, password: wrong, data: { password: wrong } }));
  await fetch(`${app.url}/rest/v1/user_files?apikey=${token}&select=*`);
  await fetch(`${app.url}/rest/v1/user_files?id=eq.${token}`, { headers: { apikey: app.serviceKey } });
  await fetch(`${app.url}/auth/v1/user`, { headers: { authorization: `Bearer ${token}` } });
  await fetch(`${app.url}/storage/v1/object/sign/user-uploads/none.txt?token=${token}`);
  await post('/webhooks/stripe', `{"id":"${wrong}"}`, { 'stripe-signature': `t=1,v1=${token}` });
  await post('/functions/v1/enquiry', JSON.stringify({ name: wrong }));
  await post('/rest/v1/enquiries', JSON.stringify({ id: wrong }), { apikey: app.serviceKey });
}

function noteKeys(): void {
  const { keys, settings } = app.resources;
  const file = JSON.parse(readFileSync(path.join(settings.DATA_DIR, 'keys.json'), 'utf8'));
  note('private signing key', file.signing_key.d);
  note('master secret', file.master_secret);
  note('service key', file.service_role_key);
  for (const purpose of ['postgres', 'enquiries', 'authenticator', 'voice secrets', 'voice events']) {
    note(`derived: ${purpose}`, derivedSecret(keys, purpose).toString('base64url'));
  }
}
