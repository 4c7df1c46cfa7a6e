import { queryOptions } from '@tanstack/react-query';
import { type Catalogue, DEFAULT_STORAGE_MB, type Plan } from '../../../kernel/contract/plans.ts';
import { ownTables } from '../../../ui/session/client.ts';

/** A subscription of the user, of either product line. */
export interface Subscription {
  readonly tier: string | null;
  readonly subscription_status: string | null;
  readonly price_id: string | null;
  /** Epoch seconds. */
  readonly current_period_start: number | null;
  /** Epoch seconds. */
  readonly current_period_end: number | null;
  readonly cancel_at_period_end: boolean | null;
  /** Documents, or course uploads, of the current period. */
  readonly used: number;
  /** Minutes of the course uploads of the current period, begun ones counted whole. */
  readonly video_minutes_used: number;
}

/** What the user may use, over all plans, as the server enforces it. */
export interface Allowances {
  /** The best first: those in force, then those with a payment due. */
  readonly plans: readonly Subscription[];
  readonly storage_limit_bytes: number;
  /** The account's picture, which uses the storage too. */
  readonly picture_bytes: number;
}

/** @throws the service's error */
export async function readAllowances(): Promise<Allowances> {
  const { data, error } = await (await ownTables()).rpc('account_allowances');
  if (error !== null) throw error;
  return data ?? { plans: [], storage_limit_bytes: DEFAULT_STORAGE_MB * 1024 * 1024, picture_bytes: 0 };
}

/** `readAllowances` as a query of the dashboard. */
export function allowancesQuery(userId: string) {
  return queryOptions({ queryKey: ['subscription', userId], queryFn: readAllowances });
}

/** The user's best subscription of a product line; null without one, undefined until that is known. */
export function subscriptionOf(
  plans: Catalogue,
  allowances: Allowances | undefined,
  line: Plan['line'],
): Subscription | null | undefined {
  if (allowances === undefined) return undefined;
  return allowances.plans.find((held) => planOf(plans, held)?.line === line) ?? null;
}

/**
 * The subscriptions that a page shows: the best of each product line whose plan is in force or has a payment
 * due, else the best of all.
 */
export function shownSubscriptions(catalogue: Catalogue, { plans }: Allowances): readonly Subscription[] {
  const held = (['documents', 'courses'] as const).flatMap((line) => {
    const best = plans.find((one) => planOf(catalogue, one)?.line === line);
    return best !== undefined && isHeld(best.subscription_status) ? [best] : [];
  });
  return held.length > 0 ? held : plans.slice(0, 1);
}

/** Whether a status means that the user holds the plan: it is changed, not bought again. */
export function isHeld(status: string | null): boolean {
  return isValidStatus(status) || status === 'past_due';
}

/** Whether a status means that the plan is in force (docs/specification/site.md §4). */
export function isValidStatus(status: string | null | undefined): boolean {
  return status === 'active' || status === 'trialing';
}

/** The catalogue's plan of a subscription in force; undefined without one. */
export function currentPlan(
  plans: Catalogue,
  subscription: Subscription | null | undefined,
): Plan | undefined {
  if (subscription === null || subscription === undefined) return undefined;
  if (!isValidStatus(subscription.subscription_status)) return undefined;
  return planOf(plans, subscription);
}

/** The catalogue's plan of a subscription, in force or not. */
function planOf(plans: Catalogue, subscription: Subscription): Plan | undefined {
  return (
    plans.find(subscription.price_id ?? '') ?? plans.sold.find((plan) => plan.tier === subscription.tier)
  );
}

/**
 * The text of the plan badge (docs/specification/site.md §4): plan name, 'Payment Due', 'Inactive' or 'No
 * Active Plan'.
 */
export function planWords(plans: Catalogue, subscription: Subscription | null | undefined): string {
  if (subscription === null || subscription === undefined) return 'No Active Plan';
  return statusWords(subscription.subscription_status, planOf(plans, subscription)?.name);
}

/** The same from a status and a plan's name. */
export function statusWords(status: string | null | undefined, planName: string | undefined): string {
  if (!status) return 'No Active Plan';
  if (isValidStatus(status)) return planName ?? 'Active';
  return status === 'past_due' ? 'Payment Due' : 'Inactive';
}
