import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import {
  accountOf,
  buyPlan,
  callFunction,
  insertUser,
  settle,
  startCheckout,
  type TestUser,
} from '../../../../tests/support/customers/plan-purchase.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { linkWaitingPurchases } from './customer-link.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { AUTH_AUTOCONFIRM: 'false' } });
});
afterAll(() => app.close());

const PRICE = 'price_documents_basic';
const anEmail = () => `${randomUUID()}@example.com`;
const REFUSED = { status: 403, body: { error: 'Failed to link customer', code: 'link_refused' } };

function link(user: TestUser, sessionId: string, changes: object = {}, headers: Record<string, string> = {}) {
  const body = { session_id: sessionId, user_id: user.id, ...changes };
  return callFunction(app, 'link-customer', user.token, body, headers);
}

/** Marks a user's address as confirmed by a mail. */
async function verify(user: TestUser): Promise<TestUser> {
  await app.resources.database.run(
    "update auth.users set confirmation_sent_at = now() - interval '1 minute' where id = $1",
    [user.id],
  );
  return user;
}

async function visitorBuys(email = anEmail()) {
  const bought = await buyPlan(app, app.anonKey, PRICE, email);
  return { ...bought, email };
}

describe('a purchase made before the account', () => {
  test('is linked by the secret of the browser that started it', async () => {
    const { sessionId, secret } = await visitorBuys();
    const user = await insertUser(app);
    expect(await link(user, sessionId, { checkout_secret: secret })).toEqual({
      status: 200,
      body: { linked: true },
    });
    const account = await accountOf(app, user);
    expect(account.credits).toBe(25);
    expect(account.subscriptions).toMatchObject([{ tier: 'basic', subscription_status: 'active' }]);
  });

  test('is linked by the secret in the header, before any webhook has been processed', async () => {
    const { sessionId, secret } = await visitorBuys();
    const user = await insertUser(app);
    const reply = await link(user, sessionId, {}, { 'x-checkout-proof': secret ?? '' });
    expect(reply.status).toBe(200);
    expect((await accountOf(app, user)).credits).toBe(25);
    await settle(app);
    expect((await accountOf(app, user)).credits).toBe(25);
  });

  test('is linked by the verified address of the payer, whatever its case', async () => {
    const email = anEmail();
    const { sessionId } = await visitorBuys(email.toUpperCase());
    await settle(app);
    const user = await verify(await insertUser(app, email));
    expect((await link(user, sessionId)).status).toBe(200);
    expect((await accountOf(app, user)).credits).toBe(25);
  });

  test('linking again for the same user succeeds and grants nothing more', async () => {
    claims('Nothing is lost: try again, or sign in with the email address that you paid with.');
    const { sessionId, secret } = await visitorBuys();
    const user = await insertUser(app);
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => link(user, sessionId, { checkout_secret: secret })),
    );
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200, 200]);
    expect((await link(user, sessionId)).status).toBe(200);
    await settle(app);
    expect((await accountOf(app, user)).credits).toBe(25);
  });

  test('adds to the credits and plan of a user who has bought before', async () => {
    const user = await insertUser(app);
    await buyPlan(app, user.token, 'price_courses_enterprise', user.email);
    const { sessionId, secret } = await visitorBuys();
    expect((await link(user, sessionId, { checkout_secret: secret })).status).toBe(200);
    await settle(app);
    expect((await accountOf(app, user)).credits).toBe(30);
    const { sum } = await app.resources.database.one(
      'select sum(amount)::int as sum from public.credit_transactions where user_id = $1',
      [user.id],
    );
    expect(sum).toBe(30);
  });

  test('is found without the browser once its payer has an account with a verified address', async () => {
    const { email } = await visitorBuys();
    await settle(app);
    const user = await insertUser(app, email);
    await linkWaitingPurchases(app.resources);
    expect((await accountOf(app, user)).credits ?? 0).toBe(0);
    await verify(user);
    await Promise.all([linkWaitingPurchases(app.resources), linkWaitingPurchases(app.resources)]);
    expect((await accountOf(app, user)).credits).toBe(25);
  });
});

describe('link-customer refuses with 403 and an audit entry (docs/security-attacks.md, attack 33)', () => {
  async function expectAudit(user: TestUser, reason: string): Promise<void> {
    const rows = await app.resources.database.many(
      "select reason from private.payment_audit where user_id = $1 and action = 'link refused'",
      [user.id],
    );
    expect(rows).toEqual([{ reason }]);
    expect((await accountOf(app, user)).credits ?? 0).toBe(0);
  }

  test("another person's session without a proof", async () => {
    claims('You are signed in, but your payment could not be joined to this account.');
    const { sessionId } = await visitorBuys();
    const thief = await insertUser(app);
    expect(await link(thief, sessionId)).toEqual(REFUSED);
    await expectAudit(thief, 'no proof');
  });

  test('a wrong secret', async () => {
    const { sessionId } = await visitorBuys();
    const other = await visitorBuys();
    const thief = await insertUser(app);
    expect(await link(thief, sessionId, { checkout_secret: other.secret })).toEqual(REFUSED);
    await expectAudit(thief, 'no proof');
  });

  test("the payer's address, typed at sign-up but never verified", async () => {
    const { sessionId, email } = await visitorBuys();
    const thief = await insertUser(app, email);
    expect(await link(thief, sessionId)).toEqual(REFUSED);
    await expectAudit(thief, 'no proof');
  });

  test("someone else's user_id", async () => {
    const { sessionId, secret } = await visitorBuys();
    const [caller, victim] = [await insertUser(app), await insertUser(app)];
    expect(await link(caller, sessionId, { user_id: victim.id, checkout_secret: secret })).toEqual(REFUSED);
    await expectAudit(caller, 'other user');
  });

  test('a session that is not paid', async () => {
    const { body } = await startCheckout(app, app.anonKey, PRICE);
    const user = await insertUser(app);
    const reply = await link(user, body.session_id ?? '', { checkout_secret: body.checkout_secret });
    expect(reply).toEqual(REFUSED);
    await expectAudit(user, 'not paid');
  });

  test('a session that does not exist', async () => {
    const user = await insertUser(app);
    expect(await link(user, 'cs_test_nothing')).toEqual(REFUSED);
    await expectAudit(user, 'not paid');
  });

  test('a purchase that was linked to somebody else, even with its secret', async () => {
    const { sessionId, secret } = await visitorBuys();
    await link(await insertUser(app), sessionId, { checkout_secret: secret });
    const second = await insertUser(app);
    expect(await link(second, sessionId, { checkout_secret: secret })).toEqual(REFUSED);
    await expectAudit(second, 'linked to another user');
  });

  test('a caller with the public key, with 401', async () => {
    const { sessionId, secret } = await visitorBuys();
    const user = await insertUser(app);
    const reply = await callFunction(app, 'link-customer', app.anonKey, {
      session_id: sessionId,
      user_id: user.id,
      checkout_secret: secret,
    });
    expect(reply.status).toBe(401);
  });
});

test('where accounts confirm themselves, the address alone proves nothing', async () => {
  const open = await startTestApp({ settings: { AUTH_AUTOCONFIRM: 'true' } });
  try {
    const email = anEmail();
    const { sessionId, secret } = await buyPlan(open, open.anonKey, PRICE, email);
    const user = await insertUser(open, email);
    const body = { session_id: sessionId, user_id: user.id };
    expect(await callFunction(open, 'link-customer', user.token, body)).toEqual(REFUSED);
    const proven = await callFunction(open, 'link-customer', user.token, {
      ...body,
      checkout_secret: secret,
    });
    expect(proven.status).toBe(200);
  } finally {
    await open.close();
  }
});

test('the holder of an unclaimed purchase’s secret learns the payer’s address, and nobody else does', async () => {
  const { sessionId, secret, email } = await visitorBuys();
  const { sessionId: other } = await visitorBuys();
  const ask = async (session_id: string, checkout_secret?: string) =>
    (await callFunction(app, 'checkout-outcome', app.anonKey, { session_id, checkout_secret })).body;
  expect(await ask(sessionId, secret)).toEqual({ paid: true, email });
  for (const body of [
    await ask(sessionId),
    await ask(sessionId, ''),
    await ask(sessionId, `${secret}x`),
    await ask(other, secret),
  ])
    expect(body).toEqual({ paid: true });
  expect(await ask('cs_test_invented', secret)).toEqual({ paid: false });
  expect((await link(await insertUser(app), sessionId, { checkout_secret: secret })).status).toBe(200);
  expect(await ask(sessionId, secret)).toEqual({ paid: true });
});

test('of two users with the secret at the same moment exactly one gets the purchase', async () => {
  const { sessionId, secret } = await visitorBuys();
  const users = await Promise.all(Array.from({ length: 6 }, () => insertUser(app)));
  const replies = await Promise.all(users.map((user) => link(user, sessionId, { checkout_secret: secret })));
  expect(replies.map((reply) => reply.status).sort()).toEqual([200, 403, 403, 403, 403, 403]);
  const credits = await Promise.all(users.map(async (user) => (await accountOf(app, user)).credits ?? 0));
  expect(credits.reduce((sum, count) => sum + count, 0)).toBe(25);
});
