import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import {
  newClient,
  PASSWORD,
  type Person,
  signUpPerson,
} from '../../../tests/support/customers/auth-client.ts';
import { callFunction } from '../../../tests/support/customers/plan-purchase.ts';
import {
  type PushService,
  startPushService,
  type TestSubscription,
} from '../../../tests/support/servers/push-service.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { rotatePushKey } from '../../kernel/resources/crypto/key-ring.ts';
import { saveKeys } from '../../kernel/resources/crypto/keys.ts';
import type { PushDevices } from './push-devices.contract.ts';

let service: PushService;
let app: TestApp;
beforeAll(async () => {
  service = await startPushService();
  app = await startTestApp({
    settings: { PUSH_ALLOW_HOSTS: service.host, OUTBOUND_ALLOW_HOSTS: '127.0.0.1:9' },
  });
});
afterAll(async () => {
  await app.close();
  await service.close();
});

const tokenOf = ({ session }: Person): string => session.access_token;

async function devicesOf(token: string): Promise<PushDevices> {
  const reply = await fetch(`${app.url}/functions/v1/push-devices`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(reply.status).toBe(200);
  return (await reply.json()) as PushDevices;
}

const wireOf = ({ endpoint, keys }: TestSubscription) => ({ endpoint, expirationTime: null, keys });

/** Registers a browser of the session with the server. */
async function switchOn(token: string): Promise<TestSubscription> {
  const subscription = service.subscribe((await devicesOf(token)).key);
  const { status } = await callFunction(app, 'push-subscribe', token, wireOf(subscription));
  expect(status).toBe(200);
  return subscription;
}

/** A person with a browser that shows notices. */
async function personWithBrowser(): Promise<{ person: Person; id: string; browser: TestSubscription }> {
  const person = await signUpPerson(app);
  return { person, id: person.session.user.id, browser: await switchOn(tokenOf(person)) };
}

const NOTICE = { title: 'Your document is ready', body: 'Ready to read: lease.pdf.', path: '/dashboard' };
const send = (id: string, notice = NOTICE): Promise<void> =>
  app.resources.database.transaction((queries) => app.resources.push.send(queries, id, notice));
const waiting = (id: string) =>
  app.resources.database.many(
    `select n.attempts from private.push_notices n join private.push_subscriptions s on s.id = n.subscription_id
      where s.user_id = $1`,
    [id],
  );

test('a notice reaches each browser of its person once, sealed for it and signed, and nobody else’s', async () => {
  claims(
    "The push service of your browser's maker brings notices that you switched on, sealed so that only your browser can read them.",
  );
  const { person, id, browser } = await personWithBrowser();
  const again = newClient(app);
  const { data } = await again.auth.signInWithPassword({ email: person.email, password: PASSWORD });
  const second = await switchOn(data.session?.access_token ?? '');
  const { browser: stranger } = await personWithBrowser();
  await send(id);
  await expect.poll(() => [browser.received.length, second.received.length]).toEqual([1, 1]);
  expect(browser.received[0]).toEqual({ ...NOTICE, id: expect.any(String) });
  await expect.poll(() => waiting(id)).toEqual([]);
  expect([stranger.requests, service.faults]).toEqual([0, []]);

  const undone = app.resources.database.transaction(async (queries) => {
    await app.resources.push.send(queries, id, NOTICE);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await waiting(id)).toEqual([]);
});

test('a browser that its push service no longer knows is forgotten; one that is away is tried again', async () => {
  const { person, id, browser } = await personWithBrowser();
  browser.answer = 503;
  await send(id);
  await expect.poll(() => waiting(id)).toEqual([{ attempts: 1 }]);
  browser.answer = 410;
  await send(id);
  await expect.poll(async () => (await devicesOf(tokenOf(person))).devices).toEqual([]);
  // Waiting notices are deleted together with the browser.
  expect(await waiting(id)).toEqual([]);
});

test('five refusals in a row pause a browser, and switching it on again ends the pause', async () => {
  const { person, id, browser } = await personWithBrowser();
  browser.answer = 403;
  for (let at = 1; at <= 5; at += 1) {
    await send(id);
    await expect.poll(() => waiting(id)).toEqual([]);
  }
  expect((await devicesOf(tokenOf(person))).devices).toMatchObject([{ paused: true, current: true }]);
  await send(id);
  expect([browser.requests, await waiting(id)]).toEqual([5, []]);
  await callFunction(app, 'push-subscribe', tokenOf(person), wireOf(browser));
  expect((await devicesOf(tokenOf(person))).devices).toMatchObject([{ paused: false, current: true }]);
  browser.answer = undefined;
  await send(id);
  await expect.poll(() => browser.received.length).toBe(1);
});

test('a browser belongs to its person: signing out ends its notices, and nobody takes it over without its keys', async () => {
  claims(
    'Where you switched notices in your browser on: its address at the push service of its maker, until you switch them off or sign out.',
  );
  const { person, browser } = await personWithBrowser();
  const { person: other } = await personWithBrowser();
  const [device] = (await devicesOf(tokenOf(person))).devices;
  const ended = await callFunction(app, 'push-unsubscribe', tokenOf(other), { id: device?.id });
  expect(ended).toMatchObject({ status: 200, body: { removed: 0 } });
  const stolen = { ...wireOf(service.subscribe('')), endpoint: browser.endpoint };
  const theft = await callFunction(app, 'push-subscribe', tokenOf(other), stolen);
  expect(theft).toMatchObject({ status: 409, body: { code: 'push_endpoint_taken' } });
  // The same browser, signed in as another person.
  const handed = await callFunction(app, 'push-subscribe', tokenOf(other), wireOf(browser));
  expect(handed.status).toBe(200);
  expect((await devicesOf(tokenOf(person))).devices).toEqual([]);
  await other.client.auth.signOut();
  const { ends } = await app.resources.database.one(
    'select count(*)::int as ends from private.push_subscriptions where endpoint = $1',
    [browser.endpoint],
  );
  expect(ends).toBe(0);
});

test('ten browsers of one person show notices, and an eleventh has to wait for one of them', async () => {
  const { person, id, browser } = await personWithBrowser();
  await app.resources.database.run(
    `with others as (insert into auth.sessions (user_id) select $1::uuid from generate_series(1, 9) returning id)
     insert into private.push_subscriptions (user_id, session_id, endpoint, public_key, auth_secret, server_key)
     select $1::uuid, o.id, 'https://push.example/' || o.id, $2::bytea, $3::bytea, $4 from others o`,
    [
      id,
      Buffer.from(browser.keys.p256dh, 'base64url'),
      Buffer.from(browser.keys.auth, 'base64url'),
      app.resources.push.publicKey(),
    ],
  );
  expect((await devicesOf(tokenOf(person))).devices).toHaveLength(10);
  const { data } = await newClient(app).auth.signInWithPassword({ email: person.email, password: PASSWORD });
  const eleventh = wireOf(service.subscribe(''));
  const refused = await callFunction(app, 'push-subscribe', data.session?.access_token ?? '', eleventh);
  expect(refused).toMatchObject({ status: 409, body: { code: 'push_devices_full' } });
  await callFunction(app, 'push-unsubscribe', tokenOf(person), {});
  const taken = await callFunction(app, 'push-subscribe', data.session?.access_token ?? '', eleventh);
  expect(taken.status).toBe(200);
});

test('attack 36: notices go to public addresses of https only, whatever else the operator allows', async () => {
  const person = await signUpPerson(app);
  const { keys } = service.subscribe('');
  const places = [
    'http://push.example/1',
    'http://127.0.0.1:9/hook',
    'https://127.0.0.1/1',
    'https://localhost/1',
    'https://[::1]/1',
    'https://10.1.2.3/1',
    'https://169.254.169.254/latest',
    'https://user:word@push.example/1',
    'ftp://push.example/1',
  ];
  for (const endpoint of places) {
    const { status, body } = await callFunction(app, 'push-subscribe', tokenOf(person), { endpoint, keys });
    expect([endpoint, status, body.code]).toEqual([endpoint, 400, 'push_endpoint']);
  }
});

test('malformed keys, and tokens without a session, are refused with the field or the reason', async () => {
  const person = await signUpPerson(app);
  const { endpoint, keys } = service.subscribe('');
  const notOnCurve = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString('base64url');
  for (const wrong of [
    { ...keys, p256dh: notOnCurve },
    { ...keys, auth: 'AAAA' },
    { ...keys, p256dh: '!' },
  ]) {
    const { status, body } = await callFunction(app, 'push-subscribe', tokenOf(person), {
      endpoint,
      keys: wrong,
    });
    expect([status, body.code]).toEqual([400, 'validation_failed']);
  }
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    sub: person.session.user.id,
    aud: 'authenticated',
    role: 'authenticated',
    iat: now,
    exp: now + 60,
  };
  for (const session of [undefined, 'none', randomUUID()]) {
    const token = await app.resources.tokens.sign({ ...claims, ...(session && { session_id: session }) });
    const { status, body } = await callFunction(app, 'push-subscribe', token, { endpoint, keys });
    expect([401, 403]).toContain(status);
    if (status === 403) expect(body.code).toBe('session_needed');
  }
});

test('a new key ends the subscriptions that agreed to the one before, in a running process', async () => {
  const { person, id, browser } = await personWithBrowser();
  const { resources } = app;
  const before = resources.push.publicKey();
  saveKeys(resources.settings.DATA_DIR, rotatePushKey(resources.keys));
  expect(resources.push.publicKey()).not.toBe(before);
  expect((await devicesOf(tokenOf(person))).devices).toEqual([]);
  await send(id);
  await expect.poll(() => waiting(id)).toEqual([]);
  expect(browser.requests).toBe(0);
  const renewed = await switchOn(tokenOf(person));
  await send(id);
  await expect.poll(() => renewed.received.length).toBe(1);
  expect(service.faults).toEqual([]);
});
