import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import { z } from 'zod';
import { isLoopback } from '../../../kernel/config/settings.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import type { Plan } from '../../../kernel/contract/plans.ts';
import { changePlanPath } from '../../../kernel/contract/routes.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { customerOfUser } from '../customers/own-customer.server.ts';
import { hashSecret } from '../known-secret.server.ts';
import { otherCurrency, type Payments, taxFields } from '../payments.server.ts';
import { type CheckoutReply, type CheckoutRequest, LEAVING } from './checkout-start.contract.ts';

const SECRET_BYTES = 32;
/** Each page closes the one before; only tabs that ask at the same moment leave more than one open. */
const MOST_OPEN = 3;
/**
 * Statuses with which a user holds a plan of a line: the plan is then changed on the Billing tab, not bought
 * again.
 */
const HELD = ['active', 'trialing', 'past_due'];

/**
 * `POST /functions/v1/checkout` (docs/specification/site.md §7): opens the provider's page for a plan of the
 * catalogue, against which everything else in the request is checked (docs/security-attacks.md, attack 32).
 */
export function mountCheckout(http: HttpContext, resources: Resources, payments: Payments): void {
  declareFunction(http, {
    name: 'checkout',
    callers: 'anyone',
    body: z.object({
      price_id: z.string().max(255),
      success_url: z.string().max(2000),
      cancel_url: z.string().max(2000),
      mode: z.string().max(32),
    }),
    limit: { count: 30, seconds: 300 },
    async handle({ caller, body }): Promise<CheckoutReply> {
      await http.requireSecondFactor(caller);
      const plan = resources.site.plans.findSold(body.price_id);
      if (plan === undefined) throw refused('unknown_price', 'This plan is not sold here.');
      if (body.mode !== plan.mode)
        throw refused('wrong_mode', 'This plan is only sold as a monthly subscription.');
      const request: CheckoutRequest = {
        price_id: plan.priceId,
        mode: plan.mode,
        success_url: ownAddressOf(resources, body.success_url),
        cancel_url: ownAddressOf(resources, body.cancel_url),
      };
      try {
        await payments.prices.refresh();
        return caller.userId === undefined
          ? await openForVisitor({ resources, payments, plan, request })
          : await openForUser({ resources, payments, plan, request }, caller.userId);
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        throw new ServiceError(502, 'checkout_failed', MESSAGES.checkout.failed, { cause: error });
      }
    },
  });
}

/** A validated purchase of a plan, and what opens the provider's page for it. */
interface Checkout {
  readonly resources: Resources;
  readonly payments: Payments;
  readonly plan: Plan;
  readonly request: CheckoutRequest;
}

async function openForVisitor(checkout: Checkout): Promise<CheckoutReply> {
  const { resources, plan } = checkout;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const session = await createSession(checkout, undefined);
  await resources.database.run(
    'insert into private.checkouts (session_id, secret_hash, price_id) values ($1, $2, $3)',
    [session.id, hashSecret(secret), plan.priceId],
  );
  return { url: session.url, session_id: session.id, checkout_secret: secret };
}

async function openForUser(checkout: Checkout, userId: string): Promise<CheckoutReply> {
  const { resources, payments, plan } = checkout;
  const { database, site } = resources;
  await requireStaying(database, userId);
  const customer = await providerCustomerOf(resources, payments, userId);
  const held = await database.many(
    'select price_id from public.subscriptions where customer_id = $1 and status = any($2)',
    [customer, HELD],
  );
  const isHeld = held.some((subscription) => site.plans.find(subscription.price_id)?.line === plan.line);
  if (isHeld || (await wasPaidMeanwhile(checkout, userId))) {
    // The Billing tab opens the change to this plan, by its price id (decision 0150).
    return { url: `${resources.siteUrl}${changePlanPath(plan.priceId)}` };
  }
  const other = held
    .map((subscription) => site.plans.find(subscription.price_id))
    .find((one) => one !== undefined && one.currency !== plan.currency);
  if (other !== undefined) throw otherCurrency(other, plan);
  const session = await createSession(checkout, { customer, userId });
  await database.run(
    'insert into private.checkouts (session_id, started_by, price_id, customer_id) values ($1, $2, $3, $4)',
    [session.id, userId, plan.priceId, customer],
  );
  return { url: session.url, session_id: session.id };
}

/**
 * Closes the pages that the user opened earlier for plans of this line: paid one after the other, they would be two
 * subscriptions of one line. True if one of them has been paid, although its webhook may still be on the way.
 */
async function wasPaidMeanwhile({ resources, payments, plan }: Checkout, userId: string): Promise<boolean> {
  const { sessions } = payments.stripe.checkout;
  const opened = await resources.database.many(
    `select session_id, price_id from private.checkouts
      where started_by = $1 and paid_at is null and created_at > now() - interval '1 day' order by created_at desc`,
    [userId],
  );
  const { plans } = resources.site;
  const ofLine = opened.filter(({ price_id: priceId }) => plans.find(priceId ?? '')?.line === plan.line);
  for (const { session_id: id } of ofLine.slice(0, MOST_OPEN)) {
    // The provider refuses to close a page that was paid or has closed by itself.
    const { status } = await sessions.expire(id).catch(() => sessions.retrieve(id));
    if (status === 'complete') return true;
  }
  return false;
}

/**
 * The deletion of an account ends its plans and credits, and gives nothing back.
 *
 * @throws ServiceError 409 `account_leaving` while the deletion is planned
 */
export async function requireStaying(queries: Queries, userId: string): Promise<void> {
  const leaving = await queries.maybe(
    'select 1 from auth.users where id = $1 and deletion_due_at is not null',
    [userId],
  );
  if (leaving !== undefined) throw new ServiceError(409, LEAVING, MESSAGES.checkout.leaving);
}

/** The user's customer at the provider, created at the first purchase and then reused. */
export async function providerCustomerOf(
  resources: Resources,
  payments: Payments,
  userId: string,
): Promise<string> {
  const { database } = resources;
  const user = await database.maybe(
    `select u.email, c.customer_id from auth.users u left join public.customers c on c.user_id = u.id
     where u.id = $1`,
    [userId],
  );
  if (user === undefined) throw new ServiceError(401, 'bad_jwt', 'Please log in again');
  if (user.customer_id !== null) return user.customer_id;
  const created = await payments.stripe.customers.create(
    { metadata: { user_id: userId }, ...(user.email === null ? {} : { email: user.email }) },
    // Two tabs at the same time get one customer, and so does a retry after a crash before the next
    // statement.
    {
      idempotencyKey: `customer-${userId}-${hashSecret(user.email ?? '')
        .toString('hex')
        .slice(0, 12)}`,
    },
  );
  return database.transaction(async (queries) => {
    const row = await customerOfUser(queries, userId);
    if (row.customer_id !== null) return row.customer_id;
    await queries.run('update public.customers set customer_id = $2, updated_at = now() where id = $1', [
      row.id,
      created.id,
    ]);
    await queries.run(
      'insert into private.payment_customers (customer_id, customer_row) values ($1, $2) on conflict do nothing',
      [created.id, row.id],
    );
    return created.id;
  });
}

async function createSession(
  { payments, plan, request }: Checkout,
  owner: { customer: string; userId: string } | undefined,
): Promise<{ id: string; url: string }> {
  const session = await payments.stripe.checkout.sessions.create({
    mode: plan.mode,
    line_items: [{ price: payments.prices.toProvider(plan), quantity: 1 }],
    success_url: withSessionId(request.success_url),
    cancel_url: request.cancel_url,
    metadata: { price_id: plan.priceId },
    subscription_data: { metadata: { price_id: plan.priceId } },
    ...taxFields(payments, owner?.customer),
    ...(owner === undefined ? {} : { customer: owner.customer, client_reference_id: owner.userId }),
  });
  return { id: session.id, url: pageOf(session) };
}

/**
 * The page on which a checkout is paid. @throws ServiceError 502 `checkout_failed` when the provider has no
 * page for it
 */
export function pageOf({ url }: Pick<Stripe.Checkout.Session, 'url'>): string {
  if (url === null) throw new ServiceError(502, 'checkout_failed', MESSAGES.checkout.noUrl);
  return url;
}

/** The provider replaces the braces; they must arrive unencoded. */
export function withSessionId(address: string): string {
  const url = new URL(address);
  url.searchParams.delete('session_id');
  url.hash = '';
  const text = url.href;
  return `${text}${url.search === '' ? '?' : '&'}session_id={CHECKOUT_SESSION_ID}`;
}

/**
 * An address on our own origin, normalised. On an operator's own machine, `localhost` and `127.0.0.1` are the
 * same place.
 *
 * @throws ServiceError 400 for any other address
 */
export function ownAddressOf({ siteUrl }: Pick<Resources, 'siteUrl'>, address: string): string {
  const url = URL.parse(address);
  const site = new URL(siteUrl);
  const same =
    url !== null &&
    url.protocol === site.protocol &&
    url.port === site.port &&
    (url.hostname === site.hostname || (isLoopback(site.hostname) && isLoopback(url.hostname))) &&
    url.username === '' &&
    url.password === '';
  if (!same) throw refused('foreign_address', 'The return address must be on this site.');
  return url.href;
}

function refused(code: string, message: string): ServiceError {
  return new ServiceError(400, code, message);
}
