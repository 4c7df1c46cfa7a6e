import { queryOptions } from '@tanstack/react-query';
import { findPlan, PLANS, type Plan } from '../../../kernel/contract/plans.ts';
import { supabase } from '../../../ui/session/client.ts';

/** The row of `user_subscription` (docs/specification/site.md §3). */
export interface Subscription {
  readonly tier: string | null;
  readonly subscription_status: string | null;
  readonly price_id: string | null;
  /** Epoch seconds. */
  readonly current_period_start: number | null;
  /** Epoch seconds. */
  readonly current_period_end: number | null;
  readonly cancel_at_period_end: boolean | null;
  readonly payment_method_brand: string | null;
  readonly payment_method_last4: string | null;
  readonly course_uploads_used: number | null;
  readonly document_pages_used: number | null;
  readonly video_minutes_used: number | null;
}

/**
 * The user's subscription, or null without one.
 *
 * @throws the service's error
 */
export async function readSubscription(): Promise<Subscription | null> {
  const client = await supabase();
  const { data, error } = await client.from('user_subscription').select('*').maybeSingle<Subscription>();
  if (error !== null) throw error;
  return data;
}

/** `readSubscription` as a query of the dashboard. */
export function subscriptionQuery(userId: string) {
  return queryOptions({ queryKey: ['subscription', userId], queryFn: readSubscription });
}

/** Whether a status means that the plan is in force (docs/specification/site.md §4). */
export function isValidStatus(status: string | null | undefined): boolean {
  return status === 'active' || status === 'trialing';
}

/** The catalogue's plan of a subscription in force; undefined without one. */
export function currentPlan(subscription: Subscription | null | undefined): Plan | undefined {
  if (subscription === null || subscription === undefined) return undefined;
  if (!isValidStatus(subscription.subscription_status)) return undefined;
  return planOf(subscription);
}

/** The catalogue's plan of a subscription, in force or not. */
export function planOf(subscription: Subscription): Plan | undefined {
  return findPlan(subscription.price_id ?? '') ?? PLANS.find((plan) => plan.tier === subscription.tier);
}

/**
 * The text of the plan badge (docs/specification/site.md §4): plan name, 'Payment Due', 'Inactive' or 'No
 * Active Plan'.
 */
export function planWords(subscription: Subscription | null | undefined): string {
  if (subscription === null || subscription === undefined) return 'No Active Plan';
  return statusWords(subscription.subscription_status, planOf(subscription)?.name);
}

/** The same from a status and a plan's name. */
export function statusWords(status: string | null | undefined, planName: string | undefined): string {
  if (!status) return 'No Active Plan';
  if (isValidStatus(status)) return planName ?? 'Active';
  return status === 'past_due' ? 'Payment Due' : 'Inactive';
}
