import { expect, test } from 'vitest';
import { addressKey } from './client-address.ts';
import { createRateLimiter } from './rate-limit.ts';

const LIMIT = { name: 'test', count: 3, seconds: 60 };

test('all addresses of one IPv6 network share a limit, those of another do not', () => {
  const limiter = createRateLimiter(true, () => 0);
  for (const address of ['2001:db8::1', '2001:db8::2', '2001:DB8:0:0:ffff::3']) limiter.take(LIMIT, address);
  expect(() => limiter.take(LIMIT, '2001:db8::4')).toThrow(/Too many requests/);
  expect(() => limiter.take(LIMIT, '2001:db8:0:1::1')).not.toThrow();
});

test('an IPv4 address counts by itself, however it is written, and an account by its id', () => {
  expect(addressKey('::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(addressKey('192.0.2.1')).toBe('192.0.2.1');
  expect(addressKey('anna@example.com')).toBe('anna@example.com');
});
