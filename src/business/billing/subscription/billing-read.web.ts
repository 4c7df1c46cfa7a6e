import { queryOptions } from '@tanstack/react-query';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';
import {
  BILLING_FUNCTIONS,
  type BilledSubscription,
  type BillingOverview,
} from './billing-management.contract.ts';

const UNREACHABLE = 'Billing cannot be reached just now. Please try again.';

/**
 * Calls one of the billing functions as the signed-in user: GET, or POST of `body`.
 *
 * @throws CallRefused whose message is a sentence for the user
 */
export async function askBilling(path: string, body?: object): Promise<Response> {
  try {
    return await callServer(path, { as: 'user', ...(body && { body }) });
  } catch (error) {
    if (!(error instanceof CallRefused) || error.sentence !== undefined) throw error;
    throw new CallRefused(error.status, { code: error.code, error: UNREACHABLE }, { cause: error });
  }
}

/** `askBilling` with a JSON body and reply. @throws CallRefused */
export async function callBilling<Reply>(path: string, body: object): Promise<Reply> {
  const reply = await askBilling(path, body);
  return (await reply.json()) as Reply;
}

/** Everything that the Billing tab shows, as a query of the dashboard. */
export function billingQuery(userId: string) {
  return queryOptions({
    queryKey: ['billing', userId],
    queryFn: () => callBilling<BillingOverview>(BILLING_FUNCTIONS.overview, {}),
  });
}

/** Every subscription of the overview, starting with the main one. */
export function subscriptionsOf(overview: BillingOverview): readonly BilledSubscription[] {
  const { plan, subscription, others } = overview;
  return plan === null || subscription === null ? others : [{ ...overview, plan, subscription }, ...others];
}
