import { queryOptions } from '@tanstack/react-query';
import { MESSAGES } from '../../contract/messages.ts';
import { supabase } from '../../web/session/client.ts';
import {
  BILLING_FUNCTIONS,
  type BilledSubscription,
  type BillingOverview,
} from './manage-billing.contract.ts';

/** Why a call of billing was not carried out: `message` is a sentence for the user. */
export class BillingRefused extends Error {
  /** The server's word for it, such as `card_declined`; undefined when it could not be reached. */
  readonly code: string | undefined;

  constructor(message: string, code?: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const UNREACHABLE = 'Billing cannot be reached just now. Please try again.';

/**
 * Asks one of the billing functions as the signed-in user.
 *
 * @throws BillingRefused
 */
export async function askBilling(path: string, init: RequestInit): Promise<Response> {
  const client = await supabase();
  const { data } = await client.auth.getSession();
  if (data.session === null) throw new BillingRefused(MESSAGES.delete.loginAgain, 'no_session');
  const { access_token } = data.session;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${access_token}` };
  const reply = await fetch(path, { ...init, headers }).catch((cause: unknown) => {
    throw new BillingRefused(UNREACHABLE, undefined, { cause });
  });
  if (reply.ok) return reply;
  const refusal = (await reply.json().catch(() => ({}))) as { error?: unknown; code?: unknown };
  throw new BillingRefused(
    typeof refusal.error === 'string' ? refusal.error : UNREACHABLE,
    typeof refusal.code === 'string' ? refusal.code : undefined,
  );
}

/** `askBilling` with a JSON body and answer. @throws BillingRefused */
export async function callBilling<Reply>(path: string, body: object): Promise<Reply> {
  const reply = await askBilling(path, { method: 'POST', body: JSON.stringify(body) });
  return (await reply.json()) as Reply;
}

/** All that the Billing tab shows, as a query of the dashboard. */
export function billingQuery(userId: string) {
  return queryOptions({
    queryKey: ['billing', userId],
    queryFn: () => callBilling<BillingOverview>(BILLING_FUNCTIONS.overview, {}),
  });
}

/** Every subscription of the overview, the one on top first. */
export function subscriptionsOf(overview: BillingOverview): readonly BilledSubscription[] {
  const { plan, subscription, others } = overview;
  return plan === null || subscription === null ? others : [{ ...overview, plan, subscription }, ...others];
}
