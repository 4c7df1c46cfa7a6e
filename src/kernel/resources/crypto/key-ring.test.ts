import { createHmac, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../http/authenticate.ts';
import { importKeys, KeyError, retireKey, rotateKey } from './key-ring.ts';
import { type Keys, loadKeys, newSigningKey } from './keys.ts';
import { createTokens } from './tokens.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-keys-'));
const SECRET = 'super-secret-jwt-token-with-at-least-32-characters-long';
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const soon = () => Math.floor(Date.now() / 1000) + 60;
let keys: Keys;
beforeAll(async () => {
  keys = await loadKeys(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A token as the hosted stack signs it: no `kid` unless given. */
function hs256(claims: object, header: object = {}, secret = SECRET): string {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

describe('an imported shared secret', () => {
  test.each([undefined, '', 'legacy'])('with --kid %j verifies tokens that name no key', async (kid) => {
    const imported = await importKeys(keys, SECRET, kid, new Date());
    const tokens = await createTokens(imported.keys);
    expect(await tokens.verify(hs256({ role: 'anon', exp: soon() }))).toMatchObject({ role: 'anon' });
    const [name] = imported.added;
    expect(await tokens.verify(hs256({ role: 'anon', exp: soon() }, { kid: name }))).toBeDefined();
    expect(await tokens.verify(hs256({ role: 'anon', exp: soon() }, {}, `${SECRET}!`))).toBeUndefined();
    expect(await tokens.verify(hs256({ role: 'anon', exp: soon() }, { kid: 'other' }))).toBeUndefined();
    expect(await tokens.verify(hs256({ role: 'anon', exp: soon() - 120 }))).toBeUndefined();
    expect((await tokens.jwks()).keys).toHaveLength(1);
  });

  test('accepts API keys without an expiry, but no user’s token without one', async () => {
    const imported = await importKeys(keys, SECRET, undefined, new Date());
    const tokens = await createTokens(imported.keys);
    const authenticate = createAuthenticator(
      { keys: imported.keys, tokens },
      async () => true,
      () => Promise.reject(new Error('nobody uses an API key here')),
    );
    for (const role of ['service_role', 'supabase_admin']) {
      const caller = await authenticate({ authorization: `Bearer ${hs256({ role })}` });
      expect(caller.role).toBe('service_role');
      // Remembered tokens without an expiry stay valid.
      await authenticate({ authorization: `Bearer ${hs256({ role })}` });
    }
    const user = { role: 'authenticated', sub: crypto.randomUUID(), aud: 'authenticated' };
    expect(await tokens.verify(hs256(user))).toBeUndefined();
  });

  test('without one, a token without a key id is refused', async () => {
    const tokens = await createTokens(keys);
    expect(await tokens.verify(hs256({ role: 'service_role', exp: soon() }))).toBeUndefined();
    expect(
      await tokens.verify(hs256({ role: 'service_role', exp: soon() }, {}, keys.signing_key.kid)),
    ).toBeUndefined();
  });
});

test('a list of keys is read key by key, and never taken for a secret', async () => {
  const [first, second] = [await newSigningKey(), await newSigningKey()];
  const { added, keys: ring } = await importKeys(
    keys,
    JSON.stringify([first, second]),
    undefined,
    new Date(),
  );
  expect(added).toEqual([first.kid, second.kid]);
  expect(ring.verify_keys.some((key) => key.kty === 'oct' || 'd' in key)).toBe(false);
  for (const text of ['[', '[1, 2]', '[]', '[[]]', JSON.stringify('x'.repeat(40)).replace('"', '[')]) {
    await expect(importKeys(keys, text, 'x', new Date())).rejects.toThrow(/JSON|keys/i);
  }
});

test.each([
  ['one name for several keys', 'x', () => [{ kty: 'oct' }, { kty: 'oct' }], '--kid names one key'],
  ['a symmetric key without its value', undefined, () => ({ kty: 'oct', kid: 'x' }), 'needs its value k'],
  [
    'an RSA key that is too short',
    undefined,
    () => generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }),
    'An RSA key needs 2048 bits, this one has 1024.',
  ],
  [
    'a key on another curve',
    undefined,
    () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' }),
    'Only keys for RS256, ES256 and HS256',
  ],
  ['something that is no key', undefined, () => ({ kty: 'RSA', n: '!', e: 1 }), 'no RSA or EC key'],
  ['a secret that is too short', 'x', () => ({ kty: 'oct', k: 'AAAA' }), 'needs 32 bytes, this one has 3.'],
  [
    'a name with a blank',
    'two words',
    () => ({ kty: 'oct', k: 'A'.repeat(60) }),
    'A kid is 1 to 128 printable letters',
  ],
])('%s is not imported', async (_name, kid, make, words) => {
  await expect(importKeys(keys, JSON.stringify(make()), kid, new Date())).rejects.toThrow(words);
});

test('an empty file is not imported, and a PEM file leaves its public half', async () => {
  await expect(importKeys(keys, ' \n', undefined, new Date())).rejects.toThrow('The file is empty.');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { added, keys: ring } = await importKeys(keys, pem, 'theirs', new Date());
  expect(added).toEqual(['theirs']);
  expect(ring.verify_keys.at(-1)).toMatchObject({ kid: 'theirs', alg: 'ES256', crv: 'P-256' });
  expect(ring.verify_keys.at(-1)).not.toHaveProperty('d');
  await expect(importKeys(ring, pem, 'theirs', new Date())).rejects.toThrow(
    'There is a key theirs already: retire it first, or name another --kid.',
  );
  await expect(importKeys(keys, '-----BEGIN NOTHING-----', 'x', new Date())).rejects.toThrow(KeyError);
});

test('a signing key cannot be retired, nor one that signed within the hour, unless forced', async () => {
  const now = new Date();
  const rotated = await rotateKey(keys, now);
  const before = keys.signing_key.kid;
  const retire = (kid: string, minutes: number, force = false) =>
    retireKey(rotated, kid, new Date(now.getTime() + minutes * 60_000), force);
  expect(() => retire(rotated.signing_key.kid, 61)).toThrow('signs: rotate first.');
  expect(() => retire('nobody', 61)).toThrow('There is no key nobody: see northline keys list.');
  expect(() => retire(before, 59)).toThrow('signed until less than an hour ago');
  for (const left of [retire(before, 59, true), retire(before, 60)])
    expect(left.verify_keys.map(({ kid }) => kid)).not.toContain(before);
  // A key of another system never signed our tokens, so it may be removed at once.
  const imported = await importKeys(keys, 'A'.repeat(40), 'shared', now);
  expect(retireKey(imported.keys, 'shared', now, false).verify_keys).toEqual(keys.verify_keys);
});
