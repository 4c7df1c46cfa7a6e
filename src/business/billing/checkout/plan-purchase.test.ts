import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runDueWork } from '../../../../packages/stripe-emulator/src/ledger/renewal-round.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { payWithCard } from '../../../../tests/support/customers/card-payment.ts';
import {
  accountOf,
  buyPlan,
  CARDS,
  callFunction,
  insertUser,
  settle,
  startCheckout,
  type TestUser,
} from '../../../../tests/support/customers/plan-purchase.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { SPECIFIED_PLANS } from '../../../kernel/contract/plans.ts';
import { providerHost } from '../stripe-emulator.server.ts';
import { pageOf } from './checkout-start.server.ts';
import { mailClaim } from './claim-mail.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const DAY = 24 * 3600;

describe('buying a plan', () => {
  test.each(SPECIFIED_PLANS)('$name gives its credits and shows as the plan of the buyer', async (plan) => {
    const user = await insertUser(app);
    await buyPlan(app, user.token, plan.priceId, user.email);
    await settle(app);
    const { credits, subscriptions } = await accountOf(app, user);
    expect(credits).toBe(plan.limits.creditsPerMonth);
    expect(subscriptions).toEqual([
      {
        tier: plan.tier,
        subscription_status: 'active',
        price_id: plan.priceId,
        current_period_start: expect.stringMatching(/^\d+$/),
        current_period_end: expect.stringMatching(/^\d+$/),
        cancel_at_period_end: false,
        payment_method_brand: 'visa',
        payment_method_last4: '4242',
        course_uploads_used: 0,
        document_pages_used: 0,
        video_minutes_used: 0,
      },
    ]);
  });

  test('a declined card stays on the page with the reason, and another card then pays', async () => {
    const user = await insertUser(app);
    const { body } = await startCheckout(app, user.token, 'price_documents_basic');
    const declined = await payWithCard(body.url ?? '', CARDS.declined, user.email);
    expect(declined.redirectedTo).toBeUndefined();
    expect(declined.page).toContain('Your card was declined. Please try another card.');
    const paid = await payWithCard(body.url ?? '', CARDS.succeeds, user.email);
    expect(paid.redirectedTo).toContain('/success?session_id=cs_test_');
    await settle(app);
    expect((await accountOf(app, user)).credits).toBe(25);
  });

  test('only a paid checkout is reported as paid, to any caller, and an invented one never is', async () => {
    const { body } = await startCheckout(app, app.anonKey, 'price_documents_basic');
    const outcome = async (session_id = body.session_id) =>
      (await callFunction(app, 'checkout-outcome', app.anonKey, { session_id })).body;
    expect([await outcome(), await outcome('cs_test_invented')]).toEqual([{ paid: false }, { paid: false }]);
    await payWithCard(body.url ?? '', CARDS.succeeds, 'payer@customers.example');
    expect(await outcome()).toEqual({ paid: true });
    expect((await callFunction(app, 'checkout-outcome', app.anonKey, {})).status).toBe(400);
  });

  test('a card with authentication pays only after the confirmation', async () => {
    const user = await insertUser(app);
    const { body } = await startCheckout(app, user.token, 'price_documents_pro');
    const asked = await payWithCard(body.url ?? '', CARDS.authentication, user.email);
    const confirmUrl = new URL(asked.redirectedTo ?? '', app.url);
    expect(await (await fetch(confirmUrl)).text()).toContain('Confirm with your bank');
    const failed = await fetch(confirmUrl, { method: 'POST', body: new URLSearchParams({ answer: 'fail' }) });
    expect(await failed.text()).toContain('The payment was not confirmed with your bank.');
    await payWithCard(body.url ?? '', CARDS.authentication, user.email);
    const done = await fetch(confirmUrl, {
      method: 'POST',
      body: new URLSearchParams({ answer: 'complete' }),
      redirect: 'manual',
    });
    expect(done.status).toBe(303);
    expect(done.headers.get('location')).toBe(`${app.url}/success?session_id=${body.session_id}`);
    await settle(app);
    expect((await accountOf(app, user)).credits).toBe(100);
  });

  test('the form sent ten times at once takes one payment', async () => {
    const user = await insertUser(app);
    const { body } = await startCheckout(app, user.token, 'price_documents_basic');
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => payWithCard(body.url ?? '', CARDS.succeeds, user.email)),
    );
    for (const outcome of outcomes) expect(outcome.redirectedTo).toContain(body.session_id);
    await settle(app);
    expect((await accountOf(app, user)).credits).toBe(25);
  });

  test('a card that fails later becomes past_due at renewal, and a new card settles it', async () => {
    const user = await insertUser(app);
    await buyPlan(app, user.token, 'price_documents_basic', user.email, CARDS.failsLater);
    await settle(app);
    const { customer_id: customer } = await app.resources.database.one(
      'select customer_id /* not null */ from public.customers where user_id = $1',
      [user.id],
    );
    await runDueWork(providerHost(app.resources), Math.floor(Date.now() / 1000) + 32 * DAY, {
      customer: customer,
    });
    await settle(app);
    const overdue = await accountOf(app, user);
    expect(overdue.credits).toBe(25);
    expect(overdue.subscriptions[0]?.subscription_status).toBe('past_due');

    const portal = await callFunction(app, 'billing-portal', user.token, {
      return_url: `${app.url}/dashboard`,
    });
    const page = await (await fetch(portal.body.url ?? '')).text();
    const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
    const form = {
      token: hidden('token'),
      subscription: hidden('subscription'),
      action: 'card',
      email: user.email,
      number: CARDS.succeeds,
      expiry: '12/34',
      cvc: '123',
      name: 'A Person',
    };
    const saved = await fetch(portal.body.url ?? '', { method: 'POST', body: new URLSearchParams(form) });
    expect(await saved.text()).toContain('Your new card is saved.');
    await settle(app);
    const settled = await accountOf(app, user);
    expect(settled.credits).toBe(25);
    expect(settled.subscriptions[0]).toMatchObject({
      subscription_status: 'active',
      payment_method_last4: '4242',
    });
    const again = await fetch(portal.body.url ?? '', { method: 'POST', body: new URLSearchParams(form) });
    expect(again.status).toBe(422);
    expect(await again.text()).toContain('This page was out of date');
  });

  test('cancelling keeps the plan until the end of the period, resuming undoes it', async () => {
    claims(
      'We build the platform, you keep teaching; change or cancel whenever you like.',
      'It then runs to the end of the month that is paid, and your files and reports stay yours.',
      'What each plan holds stands on the home page, and you can change or cancel at any time.',
      'The plan ends on ….',
      'It stays active until …, with all that you have paid for, and is not renewed.',
      'Your files and reports stay yours, and until that day you can resume the plan with one press.',
      'A plan starts when the payment is confirmed, renews every month, and can be cancelled at any time: it then runs to the end of the month that is paid.',
    );
    const user = await insertUser(app);
    await buyPlan(app, user.token, 'price_courses_essential', user.email);
    await settle(app);
    const portal = await callFunction(app, 'billing-portal', user.token, {
      return_url: `${app.url}/dashboard`,
    });
    const press = async (action: string) => {
      const page = await (await fetch(portal.body.url ?? '')).text();
      const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
      const body = new URLSearchParams({
        token: hidden('token'),
        subscription: hidden('subscription'),
        action,
      });
      expect((await fetch(portal.body.url ?? '', { method: 'POST', body })).status).toBe(200);
      await settle(app);
      return (await accountOf(app, user)).subscriptions[0];
    };
    expect(await press('cancel')).toMatchObject({
      cancel_at_period_end: true,
      subscription_status: 'active',
    });
    expect(await press('resume')).toMatchObject({ cancel_at_period_end: false });
    await press('cancel');
    await runDueWork(providerHost(app.resources), Math.floor(Date.now() / 1000) + 32 * DAY);
    await settle(app);
    expect((await accountOf(app, user)).subscriptions[0]?.subscription_status).toBe('canceled');
  });

  test('an account that will be deleted buys nothing before it is kept', async () => {
    const user = await insertUser(app);
    const { database } = app.resources;
    await database.run("update auth.users set deletion_due_at = now() + interval '30 days' where id = $1", [
      user.id,
    ]);
    expect(await startCheckout(app, user.token, 'price_documents_basic')).toMatchObject({
      status: 409,
      body: { code: 'account_leaving', error: MESSAGES.checkout.leaving },
    });
    await database.run('update auth.users set deletion_due_at = null where id = $1', [user.id]);
    expect((await startCheckout(app, user.token, 'price_documents_basic')).status).toBe(200);
  });

  test('of the payment pages that somebody opened for plans of a line, only the newest can be paid', async () => {
    const user = await insertUser(app);
    const open = async (price: string) => (await startCheckout(app, user.token, price)).body.url ?? '';
    const first = await open('price_documents_basic');
    const course = await open('price_courses_essential');
    const second = await open('price_documents_pro');
    expect((await fetch(first)).status).toBe(410);
    expect((await payWithCard(second, CARDS.succeeds, user.email)).redirectedTo).toContain('/success');
    // Also before the webhook of that payment was worked.
    expect(await open('price_documents_premium')).toContain(
      '/dashboard/billing?plan=price_documents_premium',
    );
    expect((await payWithCard(course, CARDS.succeeds, user.email)).redirectedTo).toContain('/success');
    await settle(app);
    const { subscriptions } = await accountOf(app, user);
    expect(subscriptions).toHaveLength(1);
    const { body } = await callFunction(app, 'billing-overview', user.token, {});
    expect(body).toMatchObject({
      plan: { name: 'Pro Plan' },
      others: [{ plan: { name: 'Essential Plan' } }],
    });
  });

  test('a plan line that is already held leads to the Billing tab instead of a second subscription', async () => {
    const user = await insertUser(app);
    await buyPlan(app, user.token, 'price_documents_basic', user.email);
    await settle(app);
    const again = await startCheckout(app, user.token, 'price_documents_pro');
    expect(again.body.url).toBe(`${app.url}/dashboard/billing?plan=price_documents_pro`);
  });
});

describe('checkout refuses (docs/security-attacks.md, attack 32)', () => {
  test.each([
    ['a price that is not in the catalogue', { price_id: 'price_1' }],
    ['the Business Tier', { price_id: 'price_documents_business' }],
    ['a name of every object', { price_id: 'constructor' }],
    ['another mode', { mode: 'payment' }],
    ['a negative amount for a price', { price_id: -1 }],
    ['a foreign return address', { success_url: 'https://evil.example/success' }],
    ['a foreign cancel address', { cancel_url: '//evil.example' }],
    ['an address with our name as user', { success_url: 'http://127.0.0.1@evil.example/' }],
    ['a script as address', { success_url: 'javascript:alert(1)' }],
  ])('%s with 400', async (_what, changes) => {
    const { status, body } = await startCheckout(app, app.anonKey, 'price_documents_pro', changes);
    expect(status).toBe(400);
    expect(body.error).toEqual(expect.any(String));
    expect(body.url).toBeUndefined();
  });

  test('a caller without any key', async () => {
    const reply = await fetch(`${app.url}/functions/v1/checkout`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(reply.status).toBe(401);
  });
});

/** A paid checkout whose webhooks are processed; `happens` runs between opening its page and the payment. */
async function paysAfter(happens: (user: TestUser, sessionId: string) => Promise<unknown>) {
  const user = await insertUser(app);
  const { body } = await startCheckout(app, user.token, 'price_documents_basic');
  await happens(user, body.session_id ?? '');
  await payWithCard(body.url ?? '', CARDS.succeeds, user.email);
  await settle(app);
  const { customer_id: customer } = await app.resources.database.one(
    'select customer_id /* not null */ from private.checkouts where session_id = $1',
    [body.session_id],
  );
  return { user, customer, sessionId: body.session_id };
}

describe('a checkout that is paid after its user has changed', () => {
  test('ends the plan of an account that was deleted in the meantime', async () => {
    const { customer } = await paysAfter((user, session) =>
      app.resources.database.transaction(async (queries) => {
        await queries.run('delete from auth.users where id = $1', [user.id]);
        // Deletes the deletion's own note, because its round would close the page before it is paid.
        await queries.run(
          `delete from private.customers_to_end where customer_id =
             (select customer_id from private.checkouts where session_id = $1)`,
          [session],
        );
      }),
    );
    const ends = await app.resources.database.many(
      'select 1 from private.customers_to_end where customer_id = $1',
      [customer],
    );
    expect(ends).toHaveLength(1);
  });

  test('attack: gives nothing to a user to whom the paying customer does not belong', async () => {
    const thief = await insertUser(app);
    const { user, sessionId } = await paysAfter((_user, session) =>
      app.resources.database.run('update private.checkouts set started_by = $2 where session_id = $1', [
        session,
        thief.id,
      ]),
    );
    expect((await accountOf(app, user)).credits).toBe(25);
    expect((await accountOf(app, thief)).credits ?? 0).toBe(0);
    const { linked_at } = await app.resources.database.one(
      'select linked_at from private.checkouts where session_id = $1',
      [sessionId],
    );
    expect(linked_at).toBeNull();
  });
});

test('the first purchase begun in five tabs at once makes one customer', async () => {
  const user = await insertUser(app);
  const opened = await Promise.all(
    Array.from({ length: 5 }, () => startCheckout(app, user.token, 'price_documents_basic')),
  );
  expect(opened.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const rows = await app.resources.database.many(
    'select distinct c.customer_id from private.checkouts c where c.started_by = $1',
    [user.id],
  );
  expect(rows).toHaveLength(1);
});

test('a user who was just deleted can buy neither a plan nor credits, and no details are stored', async () => {
  const user = await insertUser(app);
  expect((await callFunction(app, 'billing-overview', user.token, {})).status).toBe(200);
  await app.resources.database.run('delete from auth.users where id = $1', [user.id]);
  const { status, body } = await startCheckout(app, user.token, 'price_documents_basic');
  expect([status, body.code]).toEqual([401, 'bad_jwt']);
  const back = { success_url: `${app.url}/success`, cancel_url: `${app.url}/cancel` };
  const credits = await callFunction(app, 'buy-credits', user.token, { credits: 10, ...back });
  const details = await callFunction(app, 'save-billing-details', user.token, {
    name: 'Ada',
    line1: '',
    line2: '',
    city: '',
    postal_code: '',
    country: 'GB',
    vat_number: '',
  });
  for (const refused of [credits, details])
    expect([refused.status, refused.body.code]).toEqual([401, 'bad_jwt']);
});

test('a paid session of another shop, which names no customer, is not taken for a purchase', async () => {
  const { body } = await startCheckout(app, app.anonKey, 'price_documents_basic');
  await payWithCard(body.url ?? '', CARDS.succeeds, 'payer@customers.example');
  await settle(app);
  const outcome = () => callFunction(app, 'checkout-outcome', app.anonKey, { session_id: body.session_id });
  expect((await outcome()).body).toEqual({ paid: true });
  // As before the webhook arrives, when the provider is asked.
  await app.resources.database.run('update private.checkouts set paid_at = null where session_id = $1', [
    body.session_id,
  ]);
  expect((await outcome()).body).toEqual({ paid: true });
  await app.resources.database.run(
    `update private.provider_objects set data = data || '{"customer": null}' where id = $1`,
    [body.session_id],
  );
  expect((await outcome()).body).toEqual({ paid: false });
});

test('the buyer is told when the provider has no page for a checkout', () => {
  expect(pageOf({ url: 'https://checkout.stripe.com/c/pay/cs_1' })).toContain('cs_1');
  expect(() => pageOf({ url: null })).toThrow(
    expect.objectContaining({ status: 502, code: 'checkout_failed' }),
  );
});

test('a purchase whose payer left no address waits, and no mail is sent', async () => {
  const email = 'shy@example.com';
  const { sessionId } = await buyPlan(app, app.anonKey, 'price_documents_basic', email);
  await settle(app);
  const { database } = app.resources;
  await database.run('update private.checkouts set claim_hash = null where session_id = $1', [sessionId]);
  const { customer_id: customerId } = await database.one(
    'select customer_id /* not null */ from private.checkouts where session_id = $1',
    [sessionId],
  );
  const waits = async () =>
    (
      await database.one('select claim_hash is null as waits from private.checkouts where session_id = $1', [
        sessionId,
      ])
    ).waits;
  await mailClaim(app.resources, { id: sessionId, customerId, email: null });
  expect(await waits()).toBe(true);
  // In the first call only the address was missing.
  await mailClaim(app.resources, { id: sessionId, customerId, email });
  expect(await waits()).toBe(false);
});
