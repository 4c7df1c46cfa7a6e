import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { maskedSettings } from './masked-settings.ts';
import { isTimeZone } from './setting-rules.ts';
import { readSettings, SettingsError } from './settings.ts';
import { readSipTrunks } from './sip-trunks.ts';
import { readSmsUrl } from './sms-url.ts';
import { readTraceHeaders } from './tracing-settings.ts';
import { readPrices } from './voice-prices.ts';

const read = (environment: Record<string, string>) => readSettings(environment, '/nowhere');

test('a public site sells by the Stripe emulator only if a setting says so', () => {
  const publicSite = { SITE_URL: 'https://www.example.com' };
  expect(() => read(publicSite)).toThrow(
    /plans are sold for nothing: set Stripe's settings, or TEST_PAYMENTS=true/,
  );
  expect(read({ ...publicSite, TEST_PAYMENTS: 'true' }).SITE_URL).toBe('https://www.example.com');
  const stripe = { STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
  expect(read({ ...publicSite, ...stripe }).TEST_PAYMENTS).toBe(false);
});

test.each([
  'http://localhost:8080',
  'http://127.0.0.1:9000',
  'http://[::1]:8080',
  'http://shop.localhost:8080',
])('%s is this machine, and needs no further setting', (site) => {
  expect(read({ SITE_URL: site }).SITE_URL).toBe(site);
});

test('values for a collector of traces are checked under their OpenTelemetry names', () => {
  expect(read({}).OTEL_TRACES_SAMPLER_ARG).toBe(1);
  expect(read({ OTEL_TRACES_SAMPLER_ARG: '0.25' }).OTEL_TRACES_SAMPLER_ARG).toBe(0.25);
  for (const wrong of ['2', '-1', 'often', '1e-1'])
    expect(() => read({ OTEL_TRACES_SAMPLER_ARG: wrong })).toThrow(/OTEL_TRACES_SAMPLER_ARG must be a share/);
  expect(() => read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toThrow(/must be an address/);
  expect(() => read({ OTEL_EXPORTER_OTLP_HEADERS: 'key' })).toThrow(/must be pairs as name=value/);
  expect(readTraceHeaders('a=b%2Cc, d=e')).toEqual({ a: 'b,c', d: 'e' });
});

test('an allowed address of mail links is written as browsers send it', () => {
  const ours = 'https://xn--mnchen-3ya.example/**, https://*.shop.example/%C3%BC';
  expect(read({ AUTH_REDIRECT_URLS: ours }).AUTH_REDIRECT_URLS).toHaveLength(2);
  for (const wrong of ['https://münchen.example/**', 'https://shop.example/ü', 'https://shop.example/a b'])
    expect(() => read({ AUTH_REDIRECT_URLS: wrong })).toThrow(
      /AUTH_REDIRECT_URLS must be addresses as browsers/,
    );
});

test('reports are worded by a model only where one is named', () => {
  expect(() => read({ DOCUMENT_LLM_REPORTS: 'true' })).toThrow(/DOCUMENT_LLM_URL is empty: set both/);
  const model = { DOCUMENT_LLM_URL: 'http://127.0.0.1:9/v1?model=small' };
  expect(read({ ...model, DOCUMENT_LLM_REPORTS: 'true' }).DOCUMENT_LLM_REPORTS).toBe(true);
  expect(read(model).DOCUMENT_LLM_REPORTS).toBe(false);
});

test('free credits need accounts that confirm their address', () => {
  expect(() => read({ FREE_CREDITS: '3', AUTH_AUTOCONFIRM: 'true' })).toThrow(
    /needs AUTH_AUTOCONFIRM to be false/,
  );
  expect(read({ FREE_CREDITS: '3', AUTH_AUTOCONFIRM: 'false' }).FREE_CREDITS).toBe(3);
});

test('LiveKit is set with all three settings or none, and with a secret that cannot be guessed', () => {
  const secret = 'x'.repeat(32);
  const all = { LIVEKIT_URL: 'wss://livekit.example', LIVEKIT_API_KEY: 'key', LIVEKIT_API_SECRET: secret };
  expect(read(all).LIVEKIT_URL).toBe('wss://livekit.example');
  expect(() => read({ LIVEKIT_URL: all.LIVEKIT_URL })).toThrow(
    'LIVEKIT_API_KEY and LIVEKIT_API_SECRET are empty, but the other settings of LiveKit are set: set all three or none.',
  );
  expect(() => read({ ...all, LIVEKIT_URL: '' })).toThrow('LIVEKIT_URL is empty, but the other settings');
  expect(() => read({ ...all, LIVEKIT_API_SECRET: 'short' })).toThrow('LIVEKIT_API_SECRET has 5 characters');
  expect(() => read({ ...all, LIVEKIT_URL: 'https://livekit.example' })).toThrow(
    'starts with ws:// or wss://',
  );
});

test('levels of unknown parts are refused by name', () => {
  expect(read({ LOG_LEVELS: 'voice=debug,rest=warn' }).LOG_LEVELS).toEqual(['voice=debug', 'rest=warn']);
  expect(() => read({ LOG_LEVELS: 'everything=debug' })).toThrow(
    /LOG_LEVELS must be pairs .* of requests, auth/,
  );
});

const PROVIDER = { name: 'acme', issuer: 'https://id.example', client_id: 'shop' };

test.each([
  ['SMS_URL', 'twilio', 'must be an address like https://SID:TOKEN@api.twilio.com?from=+15550100'],
  ['SMS_URL', 'https://api.twilio.com?from=+15550100', "must carry the account's id and token"],
  ['SMS_URL', 'https://AC1:token@api.twilio.com?from=Northline', 'must name the sender'],
  ['SMS_URL', 'https://AC1:100%@api.twilio.com?from=+15550100', 'percent-encoded'],
  ['CREDIT_PACKS', '10', 'must be credits=price pairs'],
  ['AUTH_OIDC_PROVIDERS', 'acme', 'must be a JSON array'],
  ['AUTH_OIDC_PROVIDERS', '{"name":"acme"}', 'must be a JSON array'],
  ['AUTH_OIDC_PROVIDERS', '[1]', 'names provider 1 wrongly (entry)'],
  [
    'AUTH_OIDC_PROVIDERS',
    JSON.stringify([PROVIDER, { ...PROVIDER, name: 'google' }]),
    'names provider 2 wrongly (name): has a name that is taken',
  ],
  ['AUTH_OIDC_PROVIDERS', JSON.stringify([PROVIDER, PROVIDER]), 'names the provider acme twice'],
  ['REST_SCHEMAS', 'api', 'must have public among its schemas'],
  ['SIP_TRUNKS', 'provider.example', 'must be trunks as sip://'],
  ['SIP_TRUNKS', 'sip://provider.example?transport=smoke', 'must be trunks as sip://'],
  ['SIP_TRUNKS', 'sip://shop:100%@provider.example', 'must be trunks as sip://'],
  ['SIP_CALL_PREFIXES', '0044', 'must be beginnings of numbers'],
  ['SIP_CALL_HOSTS', 'a host', 'must be names or IPv4 addresses'],
  ['VOICE_ICE_SERVERS', 'http://turn.example', 'must be addresses such as stun:host:3478'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'key=100%', 'must be pairs as name=value'],
])('the setting %s is not %s', (name, value, words) => {
  expect(() => read({ [name]: value })).toThrow(SettingsError);
  expect(() => read({ [name]: value })).toThrow(`The setting ${name} `);
  expect(() => read({ [name]: value })).toThrow(words);
});

test('valid values of such settings are accepted', () => {
  const settings = read({
    SMS_URL: 'https://AC1:to%2Fken@api.twilio.com?from=15550100',
    AUTH_OIDC_PROVIDERS: JSON.stringify([{ ...PROVIDER, issuer: 'https://id.example/' }]),
    SIP_TRUNKS: 'sips://shop:se%40cret@provider.example:5061?register=true, sip:10.0.0.1:80, sip:10.0.0.2',
    SIP_CALL_PREFIXES: '+44, +1212',
    SIP_CALL_HOSTS: 'pbx.example',
    VOICE_ICE_SERVERS: 'turn:turn.example:3478?transport=udp',
    REST_SCHEMAS: 'api, public',
  });
  expect(settings.REST_SCHEMAS).toEqual(['api', 'public']);
  expect(readSmsUrl(settings.SMS_URL)).toEqual({
    origin: 'https://api.twilio.com',
    sid: 'AC1',
    token: 'to/ken',
    from: '+15550100',
  });
  expect(settings.AUTH_OIDC_PROVIDERS).toEqual([{ ...PROVIDER, label: 'acme', secret: '', scopes: '' }]);
  expect(readSipTrunks(settings.SIP_TRUNKS)).toMatchObject([
    {
      host: 'provider.example',
      port: 5061,
      protocol: 'tls',
      username: 'shop',
      password: 'se@cret',
      register: true,
    },
    { host: '10.0.0.1', port: 80, protocol: 'udp', register: false },
    { host: '10.0.0.2', port: undefined, protocol: 'udp', register: false },
  ]);
});

test.each([
  [{ CLAMD_URL: 'tcp://127.0.0.1:3310', SCAN_COMMAND: 'scan' }, 'CLAMD_URL and SCAN_COMMAND are both set'],
  [{ HOST: '0.0.0.0' }, 'HOST is 0.0.0.0, which others can reach, but SITE_URL is empty'],
  [{ STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_WEBHOOK_SECRET: ' , ' }, 'STRIPE_WEBHOOK_SECRET is empty'],
  [{ DATABASE_API_URL: 'postgres://a@b/c' }, 'DATABASE_API_URL is set but DATABASE_URL is empty'],
  [{ AUTH_GITHUB_CLIENT_ID: 'x' }, 'AUTH_GITHUB_CLIENT_ID is set but AUTH_GITHUB_SECRET is empty'],
  [{ AUTH_CAPTCHA_PROVIDER: 'turnstile' }, 'AUTH_CAPTCHA_PROVIDER is set but AUTH_CAPTCHA_SECRET is empty'],
  [{ SITE_URL: 'http://localhost:8080/shop' }, 'SITE_URL must be an origin without a path'],
  [{ DATA_DIRR: 'x' }, 'The environment has an unknown setting DATA_DIRR: did you mean DATA_DIR?'],
] as const)('%j is no set of settings', (given, sentence) => {
  expect(() => read(given)).toThrow(SettingsError);
  expect(() => read(given)).toThrow(sentence);
});

test('every name in the file .env has to be a setting; the environment may have names of other programs', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, '.env');
  writeFileSync(file, 'BRAND=Harbour\n');
  expect(readSettings({ EDITOR: 'vi', LANG: 'en' }, folder).BRAND).toBe('Harbour');
  writeFileSync(file, 'BRAND=Harbour\nEDITOR=vi\n');
  expect(() => readSettings({}, folder)).toThrow(
    'The file .env has an unknown setting EDITOR: did you mean ',
  );
});

test('an operator sees settings without their secrets', () => {
  const shown = maskedSettings(
    read({
      SMS_URL: 'https://AC1:token@api.twilio.com?from=+15550100',
      STRIPE_SECRET_KEY: 'sk_live_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      BRAND: 'Harbour',
    }),
  );
  expect(shown).toMatchObject({
    SMS_URL: 'https://AC1:********@api.twilio.com/?from=+15550100',
    STRIPE_SECRET_KEY: '********',
    BRAND: 'Harbour',
    SIP_TRUNKS: '',
  });
});

test('the agency’s time zone exists, and prices of calls are written as they are read', () => {
  expect([isTimeZone('Europe/London'), isTimeZone('Mars/Olympus')]).toEqual([true, false]);
  expect(readPrices('stt=0.0043, tts=0.015')).toEqual({ stt: 0.0043, tts: 0.015, prompt: 0, completion: 0 });
  for (const wrong of ['stt', 'stt=cheap', 'sound=1']) expect(readPrices(wrong), wrong).toBeUndefined();
});
