import { VapiClient } from '@vapi-ai/server-sdk';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type NumberProviders,
  startNumberProviders,
} from '../../../tests/support/servers/number-provider-servers.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { createVoiceRecords } from '../records/voice-records.server.ts';
import { openNumberImports } from './number-import.server.ts';

let providers: NumberProviders;
let app: TestApp;
beforeAll(async () => {
  providers = await startNumberProviders();
  app = await startTestApp({
    settings: {
      OUTBOUND_ALLOW_HOSTS: providers.host,
      VOICE_TWILIO_URL: providers.url,
      VOICE_VONAGE_URL: providers.url,
    },
  });
});
afterAll(async () => {
  await app?.close();
  await providers.close();
});

const NUMBER = '+12025550143';
beforeEach(() => {
  providers.mode = 'well';
  providers.twilio.numbers.splice(0, Infinity, {
    sid: 'PN0001',
    phone_number: NUMBER,
    voice_url: 'https://before.example/voice',
    voice_method: 'GET',
    status_callback: '',
  });
  providers.vonage.numbers.splice(0, Infinity, { country: 'GB', msisdn: '442079460000' });
  providers.vonage.applications.clear();
});
afterEach(async () => {
  providers.mode = 'well';
  for (const { id } of (await voiceApi(app, 'GET', '/phone-number')).body)
    await voiceApi(app, 'DELETE', `/phone-number/${id}`);
});

const twilio = (more: object = {}) => ({
  twilioPhoneNumber: NUMBER,
  twilioAccountSid: providers.twilio.sid,
  twilioAuthToken: providers.twilio.token,
  ...more,
});
const importTwilio = (more: object = {}) =>
  voiceApi(app, 'POST', '/phone-number/import/twilio', twilio(more));
const stored = async () => (await voiceApi(app, 'GET', '/phone-number')).body;

async function vonageCredential(apiSecret = providers.vonage.apiSecret): Promise<string> {
  const { body } = await voiceApi(app, 'POST', '/credential', {
    provider: 'vonage',
    apiKey: providers.vonage.apiKey,
    apiSecret,
  });
  return body.id;
}

test('a Twilio number is imported, rings here, is released when it is deleted, and its token is never shown', async () => {
  const assistantId = app.resources.keys.voice_assistant_id;
  const made = await importTwilio({ name: 'Main line', assistantId });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    provider: 'twilio',
    number: NUMBER,
    status: 'active',
    name: 'Main line',
    assistantId,
    twilioAccountSid: providers.twilio.sid,
  });
  expect(JSON.stringify([made.body, await stored()])).not.toContain(providers.twilio.token);
  const { secrets } = await app.resources.database.one(
    'select body::text || coalesce(secrets, $2) as secrets from private.voice_records where id = $1',
    [made.body.id, ''],
  );
  expect(secrets).not.toContain(providers.twilio.token);
  const [number] = providers.twilio.numbers;
  expect(number?.voice_method).toBe('POST');
  expect(number?.status_callback).toBe(`${number?.voice_url}/events`);
  const form = { method: 'POST', body: new URLSearchParams({ CallSid: 'CA1' }) };
  const asked = await fetch(number?.voice_url ?? '', form);
  expect(asked.headers.get('content-type')).toContain('text/xml');
  expect(await asked.text()).toContain('<Say>');
  expect((await fetch(number?.status_callback ?? '', form)).status).toBe(204);
  // Two letters could be the right ones: some signatures end so.
  expect((await fetch(`${number?.voice_url.slice(0, -8)}xxxxxxxx`, form)).status).toBe(404);
  await voiceApi(app, 'PATCH', `/phone-number/${made.body.id}`, {
    fallbackDestination: { type: 'number', number: '+442079460999' },
  });
  expect(await (await fetch(number?.voice_url ?? '', form)).text()).toContain('<Dial>+442079460999</Dial>');
  expect((await importTwilio()).status).toBe(409);
  expect((await voiceApi(app, 'DELETE', `/phone-number/${made.body.id}`)).status).toBe(200);
  // The settings from before the import are back.
  expect(number).toMatchObject({
    voice_url: 'https://before.example/voice',
    voice_method: 'GET',
    status_callback: '',
  });
  expect(await stored()).toEqual([]);
});

test.each([
  ['a wrong token', { twilioAuthToken: 'wrong' }, 400, 'provider_refused'],
  [
    'a number that is not in the account',
    { twilioPhoneNumber: '+12025550199' },
    400,
    'number_not_in_account',
  ],
  ['no token', { twilioAuthToken: undefined }, 400, 'validation_failed'],
  ['no account', { twilioAccountSid: 'nobody' }, 400, 'validation_failed'],
  ['an assistant that is not there', { assistantId: crypto.randomUUID() }, 400, 'unknown_reference'],
])('%s is said clearly and nothing is stored', async (_what, more, status, code) => {
  const refused = await importTwilio(more);
  expect([refused.status, refused.body.code]).toEqual([status, code]);
  expect(await stored()).toEqual([]);
  expect(providers.twilio.numbers[0]?.voice_url).toBe('https://before.example/voice');
});

test.each(['down', 'busy', 'garbled', 'no update'] as const)(
  'with providers that are %s the import is a 502 and nothing is stored',
  async (mode) => {
    const credentialId = await vonageCredential();
    providers.mode = mode;
    const one = await importTwilio();
    const other = await voiceApi(app, 'POST', '/phone-number/import/vonage', {
      vonagePhoneNumber: '442079460000',
      credentialId,
    });
    for (const { status, body } of [one, other]) {
      expect([status, body.code]).toEqual([502, 'provider_unavailable']);
      expect(body.message).toContain('Nothing was stored');
    }
    expect(await stored()).toEqual([]);
    expect(providers.vonage.applications.size).toBe(0);
  },
);

test('a new token takes the place of the old one, and is not shown either', async () => {
  const { body } = await importTwilio();
  const { token } = providers.twilio;
  Object.assign(providers.twilio, { token: 'rolled-token-1' });
  const changed = await voiceApi(app, 'PATCH', `/phone-number/${body.id}`, {
    twilioAuthToken: 'rolled-token-1',
  });
  expect(JSON.stringify(changed.body)).not.toContain('rolled-token-1');
  await voiceApi(app, 'DELETE', `/phone-number/${body.id}`);
  expect(providers.twilio.numbers[0]?.voice_url).toBe('https://before.example/voice');
  Object.assign(providers.twilio, { token });
});

test('a number stays here while its provider is down, and goes when its credentials have gone', async () => {
  const { body } = await importTwilio();
  providers.mode = 'down';
  expect((await voiceApi(app, 'DELETE', `/phone-number/${body.id}`)).status).toBe(502);
  expect(await stored()).toHaveLength(1);
  providers.mode = 'well';
  const { token } = providers.twilio;
  Object.assign(providers.twilio, { token: 'changed' });
  expect((await voiceApi(app, 'DELETE', `/phone-number/${body.id}`)).status).toBe(200);
  Object.assign(providers.twilio, { token });
});

test('whoever took the number over meanwhile keeps it', async () => {
  const { body } = await importTwilio();
  Object.assign(providers.twilio.numbers[0] ?? {}, { voice_url: 'https://after.example/voice' });
  await voiceApi(app, 'DELETE', `/phone-number/${body.id}`);
  expect(providers.twilio.numbers[0]?.voice_url).toBe('https://after.example/voice');
});

test('a Vonage number gets an application whose webhooks lead here, and loses it when it is deleted', async () => {
  const credentialId = await vonageCredential();
  const made = await voiceApi(app, 'POST', '/phone-number/import/vonage', {
    vonagePhoneNumber: '442079460000',
    credentialId,
    fallbackDestination: { type: 'number', number: '+442079460999' },
  });
  expect(made.body).toMatchObject({
    provider: 'vonage',
    number: '+442079460000',
    status: 'active',
    credentialId,
  });
  const [number] = providers.vonage.numbers;
  const { answer_url } = providers.vonage.applications.get(number?.app_id ?? '').capabilities.voice.webhooks;
  const control = await fetch(answer_url.address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"uuid":"1"}',
  });
  expect(await control.json()).toEqual([
    { action: 'connect', endpoint: [{ type: 'phone', number: '442079460999' }] },
  ]);
  await voiceApi(app, 'DELETE', `/phone-number/${made.body.id}`);
  expect(number?.app_id).toBeUndefined();
  expect(providers.vonage.applications.size).toBe(0);
});

test('a credential that is wrong, of another provider or not there imports nothing', async () => {
  const other = await voiceApi(app, 'POST', '/credential', { provider: 'openai', apiKey: 'sk-1' });
  for (const [credentialId, code] of [
    [await vonageCredential('wrong'), 'provider_refused'],
    [other.body.id, 'validation_failed'],
    [crypto.randomUUID(), 'unknown_reference'],
  ]) {
    const refused = await voiceApi(app, 'POST', '/phone-number/import/vonage', {
      vonagePhoneNumber: '442079460000',
      credentialId,
    });
    expect([refused.status, refused.body.code]).toEqual([400, code]);
  }
  expect(await stored()).toEqual([]);
});

test('the server SDK imports both kinds, and lists them by pages', async () => {
  const client = new VapiClient({
    token: app.resources.keys.voice_private_key,
    baseUrl: `${app.url}/voice/v1`,
    maxRetries: 0,
  });
  const { sid, token } = providers.twilio;
  const one = await client.phoneNumbers.create({
    provider: 'twilio',
    number: NUMBER,
    twilioAccountSid: sid,
    twilioAuthToken: token,
    name: 'Reception',
  });
  await client.phoneNumbers.create({
    provider: 'vonage',
    number: '442079460000',
    credentialId: await vonageCredential(),
  });
  const pages = await client.phoneNumbers.phoneNumberControllerFindAllPaginated({
    limit: 1,
    page: 2,
    sortOrder: 'DESC',
  });
  expect(pages.results.map(({ id }) => id)).toEqual([one.id]);
  expect(pages.metadata).toMatchObject({ itemsPerPage: 1, totalItems: 2, currentPage: 2 });
  const found = await client.phoneNumbers.phoneNumberControllerFindAllPaginated({ search: 'recept' });
  expect(found.results.map(({ id }) => id)).toEqual([one.id]);
});

test('what a killed process left half imported is released and removed', async () => {
  const { body } = await importTwilio();
  await app.resources.database.run(
    `update private.voice_records set body = body || '{"status":"activating"}', updated_at = now() - interval '1 hour'
      where id = $1`,
    [body.id],
  );
  const records = createVoiceRecords(app.resources, app.resources.keys.voice_org_id);
  await openNumberImports(app.resources, records).sweep();
  expect(await stored()).toEqual([]);
  expect(providers.twilio.numbers[0]?.voice_url).toBe('https://before.example/voice');
});
