import { foldedEmail } from '../../../kernel/contract/email-address.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { unlessMissing } from '../customers/customer-fetch.server.ts';
import {
  adoptPaymentCustomer,
  ensurePaymentCustomer,
  lockPaymentCustomer,
} from '../customers/own-customer.server.ts';
import { syncCustomer } from '../customers/subscription-sync.server.ts';
import type { Payments } from '../payments.server.ts';
import { mailClaim } from './claim-mail.server.ts';

/** A checkout session that is complete and paid, as the provider says now. */
export interface PaidSession {
  readonly id: string;
  readonly customerId: string;
  /** Lower case; null when the provider has none. */
  readonly email: string | null;
}

/** The purchase, or undefined when the session does not exist, is of the other mode or is not paid. */
export async function fetchPaidSession(
  payments: Payments,
  sessionId: string,
): Promise<PaidSession | undefined> {
  const session = await payments.stripe.checkout.sessions.retrieve(sessionId).catch(unlessMissing);
  if (session === undefined || session.livemode !== payments.livemode) return undefined;
  if (session.status !== 'complete' || session.payment_status === 'unpaid') return undefined;
  const customerId = typeof session.customer === 'object' ? session.customer?.id : session.customer;
  if (customerId === undefined) return undefined;
  const email = session.customer_details?.email;
  return { id: session.id, customerId, email: email ? foldedEmail(email) : null };
}

/**
 * Processes a completed checkout: records the payer, gives the purchase to the user who started it, and takes
 * over subscription and credits. A visitor's purchase waits until it is linked; a mail tells the payer how to
 * do that.
 */
export async function fulfilCheckout(
  resources: Pick<Resources, 'database' | 'log' | 'mailer' | 'site' | 'siteUrl' | 'settings'>,
  payments: Payments,
  sessionId: string,
): Promise<void> {
  const { database } = resources;
  const paid = await fetchPaidSession(payments, sessionId);
  if (paid !== undefined) {
    await recordPaidSession(resources, paid);
    await mailClaim(resources, paid);
    await syncCustomer(resources, payments, paid.customerId);
  }
  await database.run(
    'update private.payment_events set handled_at = now() where session_id = $1 and handled_at is null',
    [sessionId],
  );
}

/** Records a paid session and its owner; safe to repeat. */
export async function recordPaidSession(
  resources: Pick<Resources, 'database'>,
  paid: PaidSession,
): Promise<void> {
  await resources.database.transaction(async (queries) => {
    await lockPaymentCustomer(queries, paid.customerId);
    const checkout = await queries.one(
      `insert into private.checkouts as c (session_id, customer_id, email, paid_at) values ($1, $2, $3, now())
       on conflict (session_id) do update set customer_id = excluded.customer_id,
         email = coalesce(excluded.email, c.email), paid_at = coalesce(c.paid_at, now())
       returning started_by, linked_at`,
      [paid.id, paid.customerId, paid.email],
    );
    await ensurePaymentCustomer(queries, paid.customerId);
    if (checkout.started_by === null || checkout.linked_at !== null) return;
    const user = await queries.maybe('select 1 as here from auth.users where id = $1', [checkout.started_by]);
    if (user === undefined) {
      // Not when the account was deleted during the payment: the plan would have no user.
      await queries.run(
        'insert into private.customers_to_end (customer_id) values ($1) on conflict do nothing',
        [paid.customerId],
      );
      return;
    }
    if (!(await adoptPaymentCustomer(queries, paid.customerId, checkout.started_by))) return;
    await queries.run('update private.checkouts set linked_at = now() where session_id = $1', [paid.id]);
  });
}
