import { expect, test } from 'vitest';
import { addressKey } from './client-address.ts';
import { createRateLimiter } from './rate-limit.ts';

const LIMIT = { name: 'test', count: 3, seconds: 60 };

/** Stands in for the other processes: with 0 they take no tokens, else they leave none for `wait` seconds. */
const others = (wait: number) => {
  const asked: string[] = [];
  const take = async (_limit: object, subject: string) => {
    asked.push(subject);
    return wait;
  };
  return { asked, take };
};

test('all addresses of one IPv6 network share a limit, other networks do not', async () => {
  const limiter = createRateLimiter(true, others(0), () => 0);
  const addresses = ['2001:db8::1', '2001:db8::2', '2001:DB8:0:0:ffff::3'];
  for (const address of addresses) await limiter.take(LIMIT, address);
  await expect(limiter.take(LIMIT, '2001:db8::4')).rejects.toThrow(/Too many requests/);
  await limiter.take(LIMIT, '2001:db8:0:1::1');
  for (const address of addresses) limiter.takeHere({ ...LIMIT, name: 'here' }, address);
  expect(() => limiter.takeHere({ ...LIMIT, name: 'here' }, '2001:db8::4')).toThrow(/Too many requests/);
});

test('when other processes took the tokens, requests are refused without asking again until the next token comes', async () => {
  let now = 0;
  const shared = others(20);
  const limiter = createRateLimiter(true, shared, () => now);
  const refused = { status: 429, details: { remaining: 0, retry_after: 20 } };
  for (let round = 0; round < 5; round += 1)
    await expect(limiter.take(LIMIT, '192.0.2.1')).rejects.toMatchObject(refused);
  expect(shared.asked).toEqual(['192.0.2.1']);
  now = 20_001;
  await expect(limiter.take(LIMIT, '192.0.2.1', { code: 'of_its_own' })).rejects.toMatchObject({
    code: 'of_its_own',
  });
  expect(shared.asked).toHaveLength(2);
});

test('RATE_LIMITS=off limits nothing and does not ask the database', async () => {
  const shared = others(20);
  const limiter = createRateLimiter(false, shared);
  for (let round = 0; round < 5; round += 1) {
    await limiter.take(LIMIT, '192.0.2.1');
    limiter.takeHere(LIMIT, '192.0.2.1');
  }
  expect(shared.asked).toEqual([]);
});

test('an IPv4 address counts by itself, however it is written, and an account by its id', () => {
  expect(addressKey('::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(addressKey('192.0.2.1')).toBe('192.0.2.1');
  expect(addressKey('anna@example.com')).toBe('anna@example.com');
});

test('the memory of limits is bounded: the least recently seen key is forgotten', () => {
  const limiter = createRateLimiter(true, others(0), () => 0, 3);
  const spend = (subject: string) => {
    for (let count = 0; count < LIMIT.count; count += 1) limiter.takeHere(LIMIT, subject);
    expect(() => limiter.takeHere(LIMIT, subject)).toThrow(/Too many requests/);
  };
  spend('oldest');
  spend('newer');
  for (const subject of ['one', 'two']) limiter.takeHere(LIMIT, subject);
  expect(() => limiter.takeHere(LIMIT, 'newer')).toThrow(/Too many requests/);
  expect(() => limiter.takeHere(LIMIT, 'oldest')).not.toThrow();
});
