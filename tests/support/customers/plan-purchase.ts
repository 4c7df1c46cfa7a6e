import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { TestApp } from '../test-app.ts';
import { payWithCard } from './card-payment.ts';

/** Numbers of the provider's test cards. */
export const CARDS = {
  succeeds: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  authentication: '4000 0025 0000 3155',
  failsLater: '4000 0000 0000 0341',
  alwaysAuthentication: '4000 0027 6000 3184',
} as const;

/** A user who exists in the database, with an access token. */
export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

/** Inserts a confirmed user and signs a token for them, without the sign-up call. */
export async function insertUser(app: TestApp, email = `${randomUUID()}@example.com`): Promise<TestUser> {
  const id = randomUUID();
  await app.resources.database.run(
    'insert into auth.users (id, email, email_confirmed_at) values ($1, $2, now())',
    [id, email.toLowerCase()],
  );
  const seconds = Math.floor(Date.now() / 1000);
  const token = await app.resources.tokens.sign({
    sub: id,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    iat: seconds,
    exp: seconds + 3600,
  });
  return { id, email, token };
}

/** Calls a function; returns status and body. */
export async function callFunction(
  app: TestApp,
  name: string,
  bearer: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, string> }> {
  const reply = await fetch(`${app.url}/functions/v1/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}`, ...headers },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, string> };
}

/** Starts a checkout with the specified body (docs/specification/site.md §7). */
export function startCheckout(app: TestApp, bearer: string, priceId: string, changes: object = {}) {
  return callFunction(app, 'checkout', bearer, {
    price_id: priceId,
    success_url: `${app.url}/success`,
    cancel_url: `${app.url}/cancel`,
    mode: 'subscription',
    ...changes,
  });
}

/** Starts a checkout and pays it; where the bank asks, the payment is confirmed. */
export async function buyPlan(
  app: TestApp,
  bearer: string,
  priceId: string,
  email: string,
  card: string = CARDS.succeeds,
): Promise<{ sessionId: string; secret: string | undefined }> {
  const { body } = await startCheckout(app, bearer, priceId);
  const { redirectedTo } = await payWithCard(body.url ?? '', card, email);
  const paidTo = redirectedTo?.endsWith('/confirm') ? await confirmWithBank(app, redirectedTo) : redirectedTo;
  expect(paidTo).toBe(`${app.url}/success?session_id=${body.session_id}`);
  return { sessionId: body.session_id ?? '', secret: body.checkout_secret };
}

async function confirmWithBank(app: TestApp, page: string): Promise<string | null> {
  const body = new URLSearchParams({ answer: 'complete' });
  const reply = await fetch(new URL(page, app.url), { method: 'POST', body, redirect: 'manual' });
  return reply.headers.get('location');
}

/** Waits until every event has been delivered and every stored one processed. */
export async function settle(app: TestApp): Promise<void> {
  await expect
    .poll(() =>
      app.resources.database.one(
        `select (select count(*)::int from private.provider_events where delivered_at is null) as sent,
                  (select count(*)::int from private.payment_events where handled_at is null) as worked`,
      ),
    )
    .toEqual({ sent: 0, worked: 0 });
}

/** Credits and best subscription of a user, read with the user's own rights. */
export async function accountOf(app: TestApp, user: TestUser) {
  const caller = { role: 'authenticated', userId: user.id, claims: { sub: user.id } } as const;
  return app.resources.database.asCaller(caller, async (queries) => ({
    credits: (await queries.maybe('select credits from public.customers'))?.credits,
    subscriptions: await queries.many('select * from public.user_subscription'),
  }));
}
