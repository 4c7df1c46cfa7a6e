import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manageKeys } from '../../src/cli/keys-command.ts';
import { callAuth, newClient, type Person, signUpPerson } from '../support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
/** A second process of the same installation. */
let other: TestApp;
const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-keys-'));
beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({ beside: app });
});
afterAll(async () => {
  await other.close();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const keys = (...words: string[]) => manageKeys(app.resources.settings.DATA_DIR, words);
const userOf = async (at: TestApp, bearer: string) => (await callAuth(at, 'GET', '/user', { bearer })).status;
const kidOf = (token: string) => decodeProtectedHeader(token).kid ?? '';
const published = async (at: TestApp) =>
  ((await callAuth(at, 'GET', '/.well-known/jwks.json')).body.keys as unknown as { kid: string }[]).map(
    ({ kid }) => kid,
  );

async function refreshed(person: Person, at: TestApp) {
  const { data, error } = await newClient(at).auth.refreshSession({
    refresh_token: person.session.refresh_token,
  });
  if (data.session === null) throw error ?? new Error('no session');
  return data.session;
}

test('a rotation signs nobody out, in any process, without a restart; the key retired later is refused', async () => {
  const person = await signUpPerson(app);
  const old = person.session.access_token;
  expect(await keys('rotate')).toMatch(/ signs now; .* still verifies/);
  await expect.poll(async () => kidOf((await refreshed(person, other)).access_token)).not.toBe(kidOf(old));
  const next = (await refreshed(person, other)).access_token;
  for (const at of [app, other]) {
    expect(await userOf(at, old)).toBe(200);
    expect(await userOf(at, next)).toBe(200);
    expect(await published(at)).toEqual(expect.arrayContaining([kidOf(old), kidOf(next)]));
  }
  expect(await keys('list')).toMatch(
    new RegExp(`^${kidOf(next)} {2}ES256 {2}signs\n${kidOf(old)} {2}ES256 {2}verifies`),
  );
  expect(
    (await newClient(app).auth.signInWithPassword({ email: 'a@b.example', password: 'x' })).error?.code,
  ).toBe('invalid_credentials');

  await expect(keys('retire', kidOf(next))).rejects.toThrow('rotate first');
  // Ids made until November 2026, and those of other systems, may begin with any character.
  await expect(keys('retire', '-zAb', '--now')).rejects.toThrow('There is no key -zAb');
  await expect(keys('retire', 'zAb', '--later')).rejects.toThrow("Unknown option '--later'");
  await expect(keys('retire', kidOf(old))).rejects.toThrow('less than an hour ago');
  await keys('retire', kidOf(old), '--now');
  for (const at of [app, other]) {
    await expect.poll(() => userOf(at, old)).toBe(403);
    expect(await userOf(at, next)).toBe(200);
    expect(await published(at)).not.toContain(kidOf(old));
    // The two API keys are recognised by their content, whichever key signed them.
    const { status } = await callAuth(at, 'GET', '/admin/users', { bearer: app.serviceKey });
    expect(status).toBe(200);
  }
});

describe('tokens of another system', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = (sub: string) => ({
    sub,
    aud: 'authenticated',
    role: 'authenticated',
    exp: Math.floor(Date.now() / 1000) + 600,
  });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secret = randomUUID() + randomUUID();
  const file = (name: string, text: string) => {
    const at = path.join(folder, name);
    writeFileSync(at, text);
    return at;
  };
  const hs256 = (kid: string, payload: object, by = secret) => {
    const signed = `${encode({ alg: 'HS256', kid })}.${encode(payload)}`;
    return `${signed}.${createHmac('sha256', by).update(signed).digest('base64url')}`;
  };
  const signedWith = (alg: string, kid: string, payload: object, key: Parameters<typeof sign>[2]) => {
    const signed = `${encode({ alg, kid, typ: 'JWT' })}.${encode(payload)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: key as never, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  };

  test.each([
    ['a secret', 'HS256', () => file('secret.txt', `${secret}\n`), (kid: string, p: object) => hs256(kid, p)],
    [
      'a symmetric JWK',
      'HS256',
      () => file('oct.json', JSON.stringify({ kty: 'oct', k: Buffer.from(secret).toString('base64url') })),
      (kid: string, p: object) => hs256(kid, p),
    ],
    [
      'a public RSA key in PEM',
      'RS256',
      () => file('rsa.pem', String(rsa.publicKey.export({ type: 'spki', format: 'pem' }))),
      (kid: string, p: object) => signedWith('RS256', kid, p, rsa.privateKey as never),
    ],
    [
      'a private EC key as JWK',
      'ES256',
      () => file('ec.json', JSON.stringify(ec.privateKey.export({ format: 'jwk' }))),
      (kid: string, p: object) => signedWith('ES256', kid, p, ec.privateKey as never),
    ],
  ] as const)(
    'are honoured by their kid after the import of %s (%s), and only with its algorithm',
    async (_n, alg, write, make) => {
      const kid = `elsewhere-${randomUUID()}`;
      const { session } = await signUpPerson(app);
      const token = make(kid, claims(session.user.id));
      expect(await userOf(app, token)).toBe(403);
      expect(await keys('import', write(), '--kid', kid)).toBe(`Tokens of ${kid} are honoured.`);
      await expect.poll(() => userOf(app, token)).toBe(200);
      await expect.poll(() => userOf(other, token)).toBe(200);
      expect(await userOf(app, make('another', claims(session.user.id)))).toBe(403);
      if (alg !== 'HS256') expect(await userOf(app, hs256(kid, claims(session.user.id)))).toBe(403);
      expect(await userOf(app, `${token.slice(0, -4)}AAAA`)).toBe(403);
      expect((await published(app)).includes(kid)).toBe(alg !== 'HS256');
      const jwks = await callAuth(app, 'GET', '/.well-known/jwks.json');
      expect(JSON.stringify(jwks.body)).not.toMatch(/"(d|k|p|q|dp|dq|qi)":/);
      const list = await keys('list');
      expect(list).toContain(`${kid}  ${alg}  verifies  imported`);
      expect(list).not.toContain(secret);
      // Tokens of other systems have no session here, so they change nothing about the account.
      const change = await callAuth(app, 'PUT', '/user', { bearer: token, body: { data: { a: 1 } } });
      expect(change).toMatchObject({ status: 403, body: { code: 'bad_jwt' } });
      const rows = await fetch(`${app.url}/rest/v1/user_files?select=id`, {
        headers: { apikey: app.anonKey, authorization: `Bearer ${token}` },
      });
      expect(rows.status).toBe(200);
      await keys('retire', kid);
      await expect.poll(() => userOf(app, token)).toBe(403);
    },
  );

  test.each([
    ['nothing', '', /empty/],
    ['what only begins like JSON', '{"kty"', /not valid JSON/],
    ['words in PEM', '-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----', /no RSA or EC key/],
    ['a short secret', JSON.stringify({ kty: 'oct', kid: 'x', k: 'c2hvcnQ' }), /32 bytes/],
    [
      'a key of another curve',
      JSON.stringify({
        ...generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' }),
        kid: 'x',
      }),
      /Only keys/,
    ],
    [
      'a kid with spaces',
      JSON.stringify({ kty: 'oct', kid: 'a b', k: Buffer.from(secret).toString('base64url') }),
      /printable/,
    ],
  ])('%s is not imported', async (_name, text, words) => {
    await expect(keys('import', file('bad', text))).rejects.toThrow(words);
  });

  test('a key id is used once, and an unknown one is reported', async () => {
    const [current = ''] = (await keys('list')).split('  ');
    await expect(keys('import', file('again', secret), '--kid', current)).rejects.toThrow('already');
    await expect(keys('retire', 'nobody')).rejects.toThrow('There is no key nobody');
    await expect(keys('import', path.join(folder, 'missing'))).rejects.toThrow('There is no file');
    await expect(keys('dance')).rejects.toThrow('Say list, rotate, retire KID, rotate-push or import FILE.');
    await expect(keys('list', '--all')).rejects.toThrow("Unknown option '--all'");
  });
});
