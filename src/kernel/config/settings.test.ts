import { expect, test } from 'vitest';
import { readSettings } from './settings.ts';
import { readTraceHeaders } from './tracing-settings.ts';

const read = (environment: Record<string, string>) => readSettings(environment, '/nowhere');

test('a public site sells by the test provider only where that is said', () => {
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
])('%s is this machine, where nothing has to be said', (site) => {
  expect(read({ SITE_URL: site }).SITE_URL).toBe(site);
});

test('what goes to a collector of traces is checked by the names that OpenTelemetry gave it', () => {
  expect(read({}).OTEL_TRACES_SAMPLER_ARG).toBe(1);
  expect(read({ OTEL_TRACES_SAMPLER_ARG: '0.25' }).OTEL_TRACES_SAMPLER_ARG).toBe(0.25);
  for (const wrong of ['2', '-1', 'often', '1e-1'])
    expect(() => read({ OTEL_TRACES_SAMPLER_ARG: wrong })).toThrow(/OTEL_TRACES_SAMPLER_ARG must be a share/);
  expect(() => read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toThrow(/must be an address/);
  expect(() => read({ OTEL_EXPORTER_OTLP_HEADERS: 'key' })).toThrow(/must be pairs as name=value/);
  expect(readTraceHeaders('a=b%2Cc, d=e')).toEqual({ a: 'b,c', d: 'e' });
});

test('an address that a mail link may lead to is written as browsers send it', () => {
  const ours = 'https://xn--mnchen-3ya.example/**, https://*.shop.example/%C3%BC';
  expect(read({ AUTH_REDIRECT_URLS: ours }).AUTH_REDIRECT_URLS).toHaveLength(2);
  for (const wrong of ['https://münchen.example/**', 'https://shop.example/ü', 'https://shop.example/a b'])
    expect(() => read({ AUTH_REDIRECT_URLS: wrong })).toThrow(
      /AUTH_REDIRECT_URLS must be addresses as browsers/,
    );
});

test('levels of parts that are none are refused by name', () => {
  expect(read({ LOG_LEVELS: 'voice=debug,rest=warn' }).LOG_LEVELS).toEqual(['voice=debug', 'rest=warn']);
  expect(() => read({ LOG_LEVELS: 'everything=debug' })).toThrow(
    /LOG_LEVELS must be pairs .* of requests, auth/,
  );
});
