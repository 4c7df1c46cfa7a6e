import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { propertyRuns } from '../../../../tests/support/property-runs.ts';
import { rotateKey } from './key-ring.ts';
import { type Keys, loadKeys } from './keys.ts';
import { createTokens, type Tokens } from './tokens.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-tokens-'));
let keys: Keys;
let tokens: Tokens;
let good: string;
beforeAll(async () => {
  keys = await loadKeys(folder);
  tokens = await createTokens(keys);
  good = await tokens.sign({ sub: 'a', role: 'authenticated', exp: Math.floor(Date.now() / 1000) + 3600 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '').toString('base64url');
const part = fc.oneof(
  fc.base64String({ maxLength: 60 }).map((text) => text.replace(/[+/=]/g, '_')),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 2 }).map(encoded),
);
/** Headers that a forger might try: other algorithms, our key's name, keys of their own, paths. */
const header = fc
  .record(
    {
      alg: fc.constantFrom('ES256', 'HS256', 'none', 'RS256', 'ES384', '', 'es256', null),
      kid: fc.oneof(
        fc.constant('ours'),
        fc.constantFrom('../../keys.json', '', '__proto__', 'constructor'),
        fc.string(),
      ),
      typ: fc.constantFrom('JWT', 'at+jwt', 'jwt', 'id_token', 1),
      jku: fc.constant('https://evil.example/keys.json'),
      jwk: fc.constant({ kty: 'oct', k: 'AA' }),
      crit: fc.constantFrom(['exp'], ['b64'], 'x'),
      b64: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .map((fields) => encoded(fields.kid === 'ours' ? { ...fields, kid: keys.signing_key.kid } : fields));
const claims = fc
  .record(
    {
      sub: fc.string(),
      role: fc.constantFrom('service_role', 'anon'),
      exp: fc.oneof(fc.integer(), fc.anything()),
    },
    { requiredKeys: [] },
  )
  .map(encoded);
/** Forged tokens, our own token with one part changed, and random text. */
const token = fc.oneof(
  fc.tuple(header, claims, part).map((parts) => parts.join('.')),
  fc.array(part, { maxLength: 6 }).map((parts) => parts.join('.')),
  fc.tuple(fc.nat({ max: 2 }), part).map(([at, other]) =>
    good
      .split('.')
      .map((own, index) => (index === at ? other : own))
      .join('.'),
  ),
  fc.tuple(fc.nat(), fc.constantFrom('A', '.', '=', ' ', 'é')).map(([at, letter]) => {
    const place = at % good.length;
    return good.slice(0, place) + letter + good.slice(place + 1);
  }),
  fc.string({ unit: 'binary', maxLength: 80 }),
);

test('attack 4: no generated token is accepted as ours, and none makes the reader throw', async () => {
  expect(await tokens.verify(good)).toMatchObject({ sub: 'a' });
  await fc.assert(
    fc.asyncProperty(token, async (text) => {
      const found = await tokens.verify(text);
      // The last letter of a signature has some bits without a meaning.
      if (found !== undefined) expect(text.split('.').slice(0, 2)).toEqual(good.split('.').slice(0, 2));
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('a token that was verified before is refused from its expiry on', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const exp = Math.floor(Date.now() / 1000) + 60;
  const token = await tokens.sign({ sub: 'b', role: 'authenticated', exp });
  for (const moment of [0, 59_000]) {
    vi.setSystemTime(exp * 1000 - 60_000 + moment);
    expect(await tokens.verify(token)).toMatchObject({ sub: 'b' });
  }
  vi.setSystemTime(exp * 1000);
  expect(await tokens.verify(token)).toBeUndefined();
  expect(await tokens.verify(token)).toBeUndefined();
});

test('a token of ours that is longer than any that we issue is refused', async () => {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  expect(await tokens.verify(await tokens.sign({ exp, pad: 'x'.repeat(11_000) }))).toBeDefined();
  expect(await tokens.verify(await tokens.sign({ exp, pad: 'x'.repeat(13_000) }))).toBeUndefined();
});

test('the memory of verified tokens is bounded: the oldest is checked again', async () => {
  const bounded = await createTokens(keys, undefined, 2);
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const sign = (sub: string) => bounded.sign({ sub, role: 'authenticated', exp });
  const [oldest, newer, newest] = [await sign('a'), await sign('b'), await sign('c')];
  const first = await bounded.verify(oldest);
  const kept = [await bounded.verify(newer), await bounded.verify(newest)];
  // A remembered token returns the very same object as before.
  expect(await bounded.verify(newer)).toBe(kept[0]);
  expect(await bounded.verify(newest)).toBe(kept[1]);
  const again = await bounded.verify(oldest);
  expect(again).toEqual(first);
  expect(again).not.toBe(first);
});

test('keys written by another process are noticed: at once for their tokens, within a second for all', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const rotated = await rotateKey(keys, new Date());
  let written: Keys | undefined;
  const here = await createTokens(keys, {
    changed() {
      const found = written;
      written = undefined;
      return found;
    },
  });
  const there = await createTokens(rotated);
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const foreign = await there.sign({ sub: 'c', role: 'authenticated', exp });
  expect(await here.verify(foreign)).toBeUndefined();
  written = rotated;
  vi.advanceTimersByTime(50);
  expect(await here.verify(foreign)).toMatchObject({ sub: 'c' });
  // Tokens of the former key stay valid.
  expect(await here.verify(good)).toMatchObject({ sub: 'a' });
  written = keys;
  vi.advanceTimersByTime(1000);
  expect(await here.verify(foreign)).toBeUndefined();
});
