import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callAuth, signUpPerson } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
let publicKey: unknown;
let good: { header: Record<string, unknown>; payload: Record<string, unknown>; token: string };

const decode = (part = '') =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

beforeAll(async () => {
  app = await startTestApp();
  const { session } = await signUpPerson(app);
  publicKey = (await app.resources.tokens.jwks()).keys[0];
  const [header, payload] = session.access_token.split('.');
  good = { header: decode(header), payload: decode(payload), token: session.access_token };
});
afterAll(() => app.close());

/** A token signed with another key, or with ours. */
function forge(header: object, payload: object, key: Parameters<typeof sign>[2]): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: key as never, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

const ours = () => createPrivateKey({ key: app.resources.keys.signing_key as never, format: 'jwk' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const now = () => Math.floor(Date.now() / 1000);

/** The attack list for tokens (docs/security-attacks.md, attack 4). */
const ATTACKS: [name: string, make: () => string][] = [
  ['no algorithm', () => `${encode({ ...good.header, alg: 'none' })}.${encode(good.payload)}.`],
  ['no signature', () => `${good.token.split('.').slice(0, 2).join('.')}.`],
  [
    'HS256 with the public key as the secret',
    () => {
      const signed = `${encode({ ...good.header, alg: 'HS256' })}.${encode(good.payload)}`;
      const secret = JSON.stringify(publicKey);
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    },
  ],
  [
    'the key of a stranger under our kid',
    () => forge(good.header, good.payload, stranger.privateKey as never),
  ],
  ['an unknown kid', () => forge({ ...good.header, kid: 'unknown' }, good.payload, ours() as never)],
  ['no kid', () => forge({ alg: 'ES256', typ: 'JWT' }, good.payload, ours() as never)],
  [
    'a path as kid',
    () => forge({ ...good.header, kid: '../../../etc/passwd' }, good.payload, ours() as never),
  ],
  [
    'its own key address',
    () =>
      forge({ ...good.header, kid: 'x', jku: `${app.url}/jwks` }, good.payload, stranger.privateKey as never),
  ],
  [
    'its own key inside',
    () =>
      forge(
        { ...good.header, jwk: stranger.publicKey.export({ format: 'jwk' }) },
        good.payload,
        stranger.privateKey as never,
      ),
  ],
  ['another type', () => forge({ ...good.header, typ: 'at+id' }, good.payload, ours() as never)],
  [
    'an unknown critical header',
    () => forge({ ...good.header, crit: ['x'], x: 1 }, good.payload, ours() as never),
  ],
  ['another audience', () => forge(good.header, { ...good.payload, aud: 'somebody' }, ours() as never)],
  ['one second past its end', () => forge(good.header, { ...good.payload, exp: now() - 1 }, ours() as never)],
  ['no end', () => forge(good.header, { ...good.payload, exp: undefined }, ours() as never)],
  ['a start in the future', () => forge(good.header, { ...good.payload, nbf: now() + 600 }, ours() as never)],
  [
    'a role of our own invention',
    () => forge(good.header, { ...good.payload, role: 'postgres' }, ours() as never),
  ],
  [
    'a session of nobody',
    () => forge(good.header, { ...good.payload, session_id: crypto.randomUUID() }, ours() as never),
  ],
  [
    'a session that is no id',
    () => forge(good.header, { ...good.payload, session_id: "' or 1=1 --" }, ours() as never),
  ],
  [
    'a user of nobody',
    () => forge(good.header, { ...good.payload, sub: crypto.randomUUID() }, ours() as never),
  ],
  [
    'a user that is no id',
    () => forge(good.header, { ...good.payload, sub: "' or 1=1 --" }, ours() as never),
  ],
  [
    'a changed user',
    () => {
      const [header, , signature] = good.token.split('.');
      return `${header}.${encode({ ...good.payload, sub: crypto.randomUUID() })}.${signature}`;
    },
  ],
  [
    '10 kB of header',
    () => forge({ ...good.header, pad: 'x'.repeat(7000) }, good.payload, stranger.privateKey as never),
  ],
  ['words', () => 'not a token'],
  ['dots', () => '...'],
];

describe('an access token with', () => {
  test.each(ATTACKS)('%s is refused everywhere, and never causes an internal error', async (_name, make) => {
    const bearer = make();
    const user = await callAuth(app, 'GET', '/user', { bearer });
    const change = await callAuth(app, 'PUT', '/user', { bearer, body: { data: { a: 1 } } });
    for (const { status, body } of [user, change]) {
      expect([401, 403]).toContain(status);
      expect(['bad_jwt', 'session_not_found', 'user_not_found']).toContain(body.code);
    }
    const identified = app.resources.tokens.verify(bearer);
    await expect(identified).resolves.toSatisfy(
      (claims: { sub?: string; aud?: string; role?: string; session_id?: string } | undefined) =>
        claims === undefined ||
        claims.sub !== good.payload.sub ||
        claims.aud !== good.payload.aud ||
        claims.role !== good.payload.role ||
        claims.session_id !== good.payload.session_id,
    );
  });

  test('100 kB is refused before it is read', async () => {
    const reply = await callAuth(app, 'GET', '/user', { bearer: 'x'.repeat(100_000) }).catch(() => undefined);
    expect(reply?.status ?? 431).toBeGreaterThanOrEqual(400);
    expect(reply?.status ?? 431).toBeLessThan(500);
  });
});

describe('which key opens which route', () => {
  const ROUTES: [
    method: string,
    path: string,
    withoutKey: number,
    anonymous: number,
    service: number,
    user: number,
  ][] = [
    ['GET', '/.well-known/jwks.json', 200, 200, 200, 200],
    ['GET', '/settings', 200, 200, 200, 200],
    ['GET', '/health', 200, 200, 200, 200],
    ['GET', '/verify', 303, 303, 303, 303],
    ['GET', '/user', 401, 403, 403, 200],
    ['PUT', '/user', 401, 403, 403, 200],
    ['POST', '/signup', 401, 422, 422, 422],
    ['POST', '/token', 401, 400, 400, 400],
    ['POST', '/recover', 401, 400, 400, 400],
    ['POST', '/verify', 401, 400, 400, 400],
    ['POST', '/logout?scope=others', 401, 403, 403, 204],
  ];
  test.each(ROUTES)('%s %s', async (method, path, ...statuses) => {
    const [withoutKey, anonymous, service, user] = statuses;
    const bearers: [string | undefined, number][] = [
      [undefined, withoutKey],
      [app.anonKey, anonymous],
      [app.serviceKey, service],
      [good.token, user],
    ];
    for (const [bearer, status] of bearers) {
      const reply = await fetch(`${app.url}/auth/v1${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
          ...(bearer === undefined ? {} : { apikey: app.anonKey, authorization: `Bearer ${bearer}` }),
        },
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
      expect({ bearer: bearer?.length, status: reply.status }).toEqual({ bearer: bearer?.length, status });
    }
  });

  test('a key that is not ours opens nothing', async () => {
    const reply = await callAuth(app, 'POST', '/signup', {
      body: {},
      headers: { apikey: 'sb_publishable_x' },
    });
    expect(reply.status).toBe(401);
  });
});

test('the public keys have no private part and may be cached for ten minutes', async () => {
  const { body, headers } = await callAuth(app, 'GET', '/.well-known/jwks.json');
  const { keys } = body as unknown as { keys: Record<string, unknown>[] };
  expect(keys).toHaveLength(1);
  expect(keys[0]).toMatchObject({ kty: 'EC', alg: 'ES256', use: 'sig' });
  expect(keys[0]).not.toHaveProperty('d');
  expect(headers.get('cache-control')).toBe('public, max-age=600');
});

test('the client verifies tokens by itself with the public keys', async () => {
  const { client, session } = await signUpPerson(app);
  const { data, error } = await client.auth.getClaims(session.access_token);
  expect(error).toBeNull();
  expect(data?.claims.sub).toBe(session.user.id);
});

test('a token without a session, as another system signs it, reads its account and changes nothing', async () => {
  const bearer = forge(good.header, { ...good.payload, session_id: undefined }, ours() as never);
  expect(await callAuth(app, 'GET', '/user', { bearer })).toMatchObject({
    status: 200,
    body: { id: good.payload.sub },
  });
  const change = await callAuth(app, 'PUT', '/user', { bearer, body: { data: { a: 1 } } });
  expect(change).toMatchObject({ status: 403, body: { code: 'bad_jwt' } });
  const nobody = forge(
    good.header,
    { ...good.payload, session_id: undefined, sub: crypto.randomUUID() },
    ours() as never,
  );
  expect(await callAuth(app, 'GET', '/user', { bearer: nobody })).toMatchObject({
    status: 403,
    body: { code: 'user_not_found' },
  });
});
