import { z } from 'zod';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import {
  adoptPaymentCustomer,
  lockPaymentCustomer,
  rowOfPaymentCustomer,
} from '../customers/own-customer.server.ts';
import { syncCustomer } from '../customers/subscription-sync.server.ts';
import { isKnownSecret } from '../known-secret.server.ts';
import type { Payments } from '../payments.server.ts';
import { fetchPaidSession, type PaidSession, recordPaidSession } from './checkout-fulfilment.server.ts';
import { CHECKOUT_PROOF_HEADER, type LinkCustomerReply } from './checkout-start.contract.ts';

/** What proves a claim. */
interface Claim {
  readonly sessionId: string;
  readonly userId: string;
  readonly secret: string | undefined;
}

/** SQL over `auth.users u`: the address was confirmed after a mail was sent to it. */
const MAIL_ANSWERED = 'u.email_confirmed_at > least(u.confirmation_sent_at, u.email_change_sent_at)';
/** Seconds between checks for purchases whose payer has signed up. */
const WAITING_ROUND_SECONDS = 30;

type Refusal = 'other user' | 'not paid' | 'linked to another user' | 'no proof';

/**
 * `POST /functions/v1/link-customer`: gives a paid purchase to the bearer's user by the rules of
 * docs/specification/site.md §10. Every failure gets the same 403 reply, and the reason is audited.
 */
export function mountLinkCustomer(http: HttpContext, resources: Resources, payments: Payments): void {
  resources.jobs.every('purchases without an account', WAITING_ROUND_SECONDS, async () => {
    await linkWaitingPurchases(resources);
  });
  declareFunction(http, {
    name: 'link-customer',
    callers: 'users',
    // Called while signing in: it adds something to the account and reveals nothing about it.
    beforeSecondFactor: true,
    body: z.object({
      session_id: z.string().min(1).max(255),
      user_id: z.string().max(64),
      checkout_secret: z.string().max(255).optional(),
    }),
    limit: { count: 30, seconds: 300 },
    async handle({ caller, body, address, request }): Promise<LinkCustomerReply> {
      const header = request.headers[CHECKOUT_PROOF_HEADER];
      const claim: Claim = {
        sessionId: body.session_id,
        userId: caller.userId ?? '',
        secret: body.checkout_secret ?? (typeof header === 'string' ? header : undefined),
      };
      const refusal =
        body.user_id === caller.userId ? await linkPurchase(resources, payments, claim) : 'other user';
      if (refusal === undefined) return { linked: true };
      await resources.database.run(
        `insert into private.payment_audit (action, user_id, session_id, reason, address)
         values ('link refused', $1, $2, $3, $4)`,
        [claim.userId, claim.sessionId, refusal, address],
      );
      throw new ServiceError(403, 'link_refused', MESSAGES.linkCustomer.failed);
    },
  });
}

/**
 * Links the purchase when the rules are met; otherwise says which one is not. Repeating it for the same user
 * succeeds.
 */
export async function linkPurchase(
  resources: Resources,
  payments: Payments,
  claim: Claim,
): Promise<Refusal | undefined> {
  const paid = await fetchPaidSession(payments, claim.sessionId);
  if (paid === undefined) return 'not paid';
  // The webhook may not have arrived yet.
  await recordPaidSession(resources, paid);
  const refusal = await resources.database.transaction(async (queries) => {
    await lockPaymentCustomer(queries, paid.customerId);
    const row = await rowOfPaymentCustomer(queries, paid.customerId);
    if (row?.user_id === claim.userId) return undefined;
    if (row !== undefined && row.user_id !== null) return 'linked to another user';
    if (!(await isProven(queries, resources, claim, paid))) return 'no proof';
    await takeOver(queries, paid, claim.userId);
    return undefined;
  });
  if (refusal === undefined) await syncCustomer(resources, payments, paid.customerId);
  return refusal;
}

/**
 * Whether the purchase was started in this browser, or its payer's mail was opened, or the user has verified
 * the payment's address.
 */
async function isProven(
  queries: Queries,
  resources: Resources,
  claim: Claim,
  paid: PaidSession,
): Promise<boolean> {
  const checkout = await queries.maybe(
    'select secret_hash, claim_hash from private.checkouts where session_id = $1',
    [paid.id],
  );
  // The browser's own secret, or the one mailed to the payer.
  if (
    claim.secret !== undefined &&
    isKnownSecret(claim.secret, [checkout?.secret_hash, checkout?.claim_hash])
  )
    return true;
  const email = await verifiedEmail(queries, resources, claim.userId);
  return email !== undefined && email === paid.email;
}

/**
 * Gives every paid purchase without an owner to the user who has verified the payer's address, in case the
 * account was created, or the address verified, after the browser was closed.
 *
 * @returns how many were linked
 */
export async function linkWaitingPurchases(
  resources: Pick<Resources, 'database' | 'settings'>,
): Promise<number> {
  const { database, settings } = resources;
  if (settings.AUTH_AUTOCONFIRM) return 0;
  const waiting = await database.many(
    `select c.session_id as id, c.customer_id as "customerId", u.id as "userId"
     from private.checkouts c join auth.users u on u.email = c.email
     where c.paid_at is not null and c.linked_at is null and c.customer_id is not null
       and not u.is_sso_user and ${MAIL_ANSWERED} limit 100`,
  );
  let linked = 0;
  for (const { id, customerId, userId } of waiting) {
    await database.transaction(async (queries) => {
      await lockPaymentCustomer(queries, customerId);
      const row = await rowOfPaymentCustomer(queries, customerId);
      if (row === undefined || row.user_id !== null) return;
      await takeOver(queries, { id, customerId }, userId);
      linked += 1;
    });
  }
  return linked;
}

async function takeOver(
  queries: Queries,
  paid: Pick<PaidSession, 'id' | 'customerId'>,
  userId: string,
): Promise<void> {
  await adoptPaymentCustomer(queries, paid.customerId, userId);
  // Each proof works once: the secret is deleted with the link.
  await queries.run(
    'update private.checkouts set linked_at = now(), secret_hash = null, claim_hash = null where customer_id = $1',
    [paid.customerId],
  );
  await queries.run(
    `insert into private.payment_audit (action, user_id, session_id) values ('purchase linked', $1, $2)`,
    [userId, paid.id],
  );
}

/**
 * The user's address in lower case, if a mail to it was answered: it was confirmed after a mail was sent.
 * Where accounts need no confirmation no address counts, because anybody could sign up with the payer's.
 */
async function verifiedEmail(
  queries: Queries,
  { settings }: Pick<Resources, 'settings'>,
  userId: string,
): Promise<string | undefined> {
  if (settings.AUTH_AUTOCONFIRM) return undefined;
  const row = await queries.maybe(`select u.email from auth.users u where u.id = $1 and ${MAIL_ANSWERED}`, [
    userId,
  ]);
  return row?.email ?? undefined;
}
