import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runDueWork } from '../../../packages/stripe-emulator/src/ledger/renewal-round.ts';
import {
  accountOf,
  buyPlan,
  insertUser,
  settle,
  type TestUser,
} from '../../../tests/support/customers/plan-purchase.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { openPayments } from './payments.server.ts';
import { providerHost, providerSecrets } from './stripe-emulator.server.ts';
import { couldHold, reworkStuckEvents } from './webhook-receipt.server.ts';

let app: TestApp;
let secret: string;
beforeAll(async () => {
  app = await startTestApp();
  secret = providerSecrets(app.resources.keys).webhook;
});
afterAll(() => app.close());

const now = () => Math.floor(Date.now() / 1000);

function sign(payload: string, options: { secret?: string; at?: number } = {}): string {
  const at = options.at ?? now();
  const mac = createHmac('sha256', options.secret ?? secret)
    .update(`${at}.${payload}`)
    .digest('hex');
  return `t=${at},v1=${mac}`;
}

async function post(payload: string, signature: string | undefined): Promise<number> {
  const reply = await fetch(`${app.url}/webhooks/stripe`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(signature === undefined ? {} : { 'stripe-signature': signature }),
    },
    body: payload,
  });
  return reply.status;
}

/** The events that the provider has sent for a user's purchase, oldest first. */
async function eventsOf(user: TestUser): Promise<Record<string, unknown>[]> {
  const rows = await app.resources.database.many(
    `select e.data from private.provider_events e
     join public.customers c on c.user_id = $1
     where e.data #>> '{data,object,customer}' = c.customer_id order by e.position`,
    [user.id],
  );
  return rows.map((row) => row.data);
}

async function buyer(priceId = 'price_documents_basic'): Promise<TestUser> {
  const user = await insertUser(app);
  await buyPlan(app, user.token, priceId, user.email);
  await settle(app);
  return user;
}

const event = (changes: object = {}) => ({
  id: `evt_${randomBytes(12).toString('hex')}`,
  object: 'event',
  type: 'invoice.paid',
  livemode: false,
  data: { object: { id: 'in_1', object: 'invoice', customer: 'cus_unknown' } },
  ...changes,
});

describe('a webhook is refused (docs/security-attacks.md, attack 31)', () => {
  const payload = JSON.stringify(event());
  test.each([
    ['without a signature', () => undefined],
    ['signed with another secret', () => sign(payload, { secret: 'whsec_other' })],
    ['signed with the empty secret', () => sign(payload, { secret: '' })],
    ['signed 301 s ago', () => sign(payload, { at: now() - 301 })],
    ['with an empty signature', () => 't=,v1='],
    ['with a signature of another scheme only', () => sign(payload).replace('v1=', 'v0=')],
  ])('%s', async (_how, signature) => {
    expect(await post(payload, signature())).toBe(400);
  });

  test('serialised again by a JSON library after it was signed', async () => {
    const pretty = JSON.stringify(event(), null, 2);
    expect(await post(JSON.stringify(JSON.parse(pretty)), sign(pretty))).toBe(400);
    expect(await post(pretty, sign(pretty))).toBe(200);
  });

  test('before its body is hashed, when the signature is missing or old', () => {
    const signature = sign(payload);
    expect(couldHold(signature)).toBe(true);
    expect(couldHold(`${signature},v0=${'0'.repeat(64)}`)).toBe(true);
    for (const refused of ['', 't=1,v1=00', sign(payload, { at: now() - 400 }), signature.slice(0, -1)])
      expect(couldHold(refused), refused).toBe(false);
  });

  test('even a large one, which waits for its turn', async () => {
    const large = JSON.stringify(event({ padding: 'x'.repeat(200_000) }));
    expect(await post(large, sign(large, { secret: 'whsec_other' }))).toBe(400);
    expect(await post(large, sign(large))).toBe(200);
  });

  test('of live mode while we are in test mode', async () => {
    const live = JSON.stringify(event({ livemode: true }));
    expect(await post(live, sign(live))).toBe(400);
  });

  test('and nothing of it is stored', async () => {
    const [forged, genuine] = [event({ type: 'customer.created' }), event({ type: 'customer.created' })];
    await post(JSON.stringify(forged), sign(JSON.stringify(forged), { secret: 'whsec_other' }));
    await post(JSON.stringify(genuine), sign(JSON.stringify(genuine)));
    const rows = await app.resources.database.many(
      'select 1 from private.payment_events where id = any($1)',
      [[forged.id, genuine.id]],
    );
    expect(rows).toEqual([]);
  });
});

describe('genuine events', () => {
  test('one delivered a hundred times grants once', async () => {
    const user = await buyer();
    const paid = (await eventsOf(user)).find((entry) => entry.type === 'invoice.paid');
    const payload = JSON.stringify(paid);
    const statuses = await Promise.all(Array.from({ length: 100 }, () => post(payload, sign(payload))));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await settle(app);
    expect((await accountOf(app, user)).credits).toBe(25);
  });

  test('in reversed order, under new ids, leave the state of the provider', async () => {
    const user = await buyer('price_documents_pro');
    const before = await accountOf(app, user);
    for (const old of (await eventsOf(user)).reverse()) {
      const payload = JSON.stringify({ ...old, id: event().id });
      expect(await post(payload, sign(payload))).toBe(200);
    }
    await settle(app);
    expect(await accountOf(app, user)).toEqual(before);
    expect(before.credits).toBe(100);
  });

  test('an old snapshot in an event cannot bring back an old state', async () => {
    const user = await buyer();
    const created = (await eventsOf(user)).find((entry) => entry.type === 'customer.subscription.created');
    const { customer_id: customer } = await app.resources.database.one(
      'select customer_id /* not null */ from public.customers where user_id = $1',
      [user.id],
    );
    await runDueWork(providerHost(app.resources), now() + 32 * 24 * 3600, { customer: customer });
    await settle(app);
    const renewed = await accountOf(app, user);
    expect(renewed.credits).toBe(25);
    const payload = JSON.stringify({ ...created, id: event().id });
    await post(payload, sign(payload));
    await settle(app);
    expect(await accountOf(app, user)).toEqual(renewed);
  });

  test('a subscription to a price that we do not sell gives nothing', async () => {
    const user = await buyer();
    await app.resources.database.run(
      `update private.provider_objects set data = jsonb_set(data, '{items,data,0,price,id}', '"price_other"')
       where kind = 'subscription' and customer = (select customer_id from public.customers where user_id = $1)`,
      [user.id],
    );
    const before = await accountOf(app, user);
    const changed = (await eventsOf(user)).find((entry) => entry.type === 'customer.subscription.created');
    const payload = JSON.stringify({ ...changed, id: event().id });
    await post(payload, sign(payload));
    await settle(app);
    expect(await accountOf(app, user)).toEqual(before);
  });
});

/** When an event of ours was processed: undefined when it was not stored. */
const handledAt = async (id: string) =>
  (await app.resources.database.maybe('select handled_at from private.payment_events where id = $1', [id]))
    ?.handled_at;

test('a dispute of another shop on the same account is ignored', async () => {
  const foreign = event({
    type: 'charge.dispute.created',
    data: { object: { id: 'dp_1', object: 'dispute', charge: 'ch_of_another_shop' } },
  });
  const payload = JSON.stringify(foreign);
  expect(await post(payload, sign(payload))).toBe(200);
  await expect.poll(() => handledAt(foreign.id)).toBeInstanceOf(Date);
});

test('an event whose job gave up hours ago is processed again; a younger one is left to its own job', async () => {
  const user = await buyer();
  const { database } = app.resources;
  const before = await accountOf(app, user);
  const { customer_id: customer } = await database.one(
    'select customer_id /* not null */ from public.customers where user_id = $1',
    [user.id],
  );
  await database.run('delete from public.subscriptions where customer_id = $1', [customer]);
  const [old, young] = [event(), event()];
  for (const [id, of, hours] of [
    [old.id, customer, 3],
    [young.id, 'cus_of_another_job', 1],
  ] as const)
    await database.run(
      `insert into private.payment_events (id, type, customer_id, received_at)
       values ($1, 'invoice.paid', $2, now() - make_interval(hours => $3))`,
      [id, of, hours],
    );
  await reworkStuckEvents(app.resources);
  await expect.poll(() => handledAt(old.id)).toBeInstanceOf(Date);
  expect(await accountOf(app, user)).toEqual(before);
  expect(await handledAt(young.id)).toBeNull();
  await database.run('delete from private.payment_events where id = $1', [young.id]);
});

test('an empty part of STRIPE_WEBHOOK_SECRET signs nothing, and a live key wants live events', () => {
  const open = (key: string) =>
    openPayments(
      {
        ...app.resources,
        settings: {
          ...app.resources.settings,
          STRIPE_SECRET_KEY: key,
          STRIPE_WEBHOOK_SECRET: 'whsec_old, ,whsec_new,',
        },
      },
      undefined,
    );
  expect(open('rk_live_1')).toMatchObject({ livemode: true, webhookSecrets: ['whsec_old', 'whsec_new'] });
  expect(open('sk_test_1')).toMatchObject({ livemode: false, embedded: undefined });
});

test('two processes that process the same events grant once', async () => {
  const second = await startTestApp({ beside: app });
  try {
    const users = await Promise.all(Array.from({ length: 4 }, () => insertUser(app)));
    await Promise.all(
      users.map((user, index) =>
        buyPlan(index % 2 === 0 ? app : second, user.token, 'price_documents_basic', user.email),
      ),
    );
    await settle(app);
    for (const user of users) expect((await accountOf(app, user)).credits).toBe(25);
  } finally {
    await second.close();
  }
});
