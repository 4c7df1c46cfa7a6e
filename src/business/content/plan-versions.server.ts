import { type Plan, SPECIFIED_PLANS, USUAL_CURRENCY } from '../../kernel/contract/plans.ts';
import type { InstalledContent, SiteContent, SitePlan } from '../../kernel/contract/site-content.ts';

type Plans = NonNullable<InstalledContent['plans']>;

/**
 * The plans as they are sold next. A plan whose price, currency or allowance is another gets a price id of its own, and the one
 * that it was stays a former plan: subscriptions run on it as they were bought. Taken back, it is sold again.
 *
 * @param before the plans in force; undefined while they are the specification's
 * @returns undefined while nothing but the specification's plans was ever sold
 */
export function versionPlans(content: SiteContent, before: Plans | undefined): Plans | undefined {
  const { currency = USUAL_CURRENCY } = content;
  if (content.plans === undefined && content.currency === undefined && before === undefined) return undefined;
  const known = [...(before?.sold ?? SPECIFIED_PLANS), ...(before?.former ?? [])];
  const sold: Plan[] = [];
  for (const plan of content.plans ?? SPECIFIED_PLANS) {
    const same = known.find((one) => isSame(one, { ...plan, currency }));
    const taken = [...known, ...sold].map(({ priceId }) => priceId);
    sold.push({
      ...plan,
      currency,
      priceId: same?.priceId ?? freshId(plan, taken),
      mode: 'subscription',
      limits: { ...plan.limits, websiteDesign: false },
    });
  }
  return { sold, former: known.filter(({ priceId }) => sold.every((plan) => plan.priceId !== priceId)) };
}

function isSame(one: Plan, other: SitePlan & Pick<Plan, 'currency'>): boolean {
  return (
    one.line === other.line &&
    one.tier === other.tier &&
    one.pricePence === other.pricePence &&
    (one.currency ?? USUAL_CURRENCY) === other.currency &&
    one.limits.creditsPerMonth === other.limits.creditsPerMonth &&
    one.limits.storageMb === other.limits.storageMb &&
    one.limits.videoMinutes === other.limits.videoMinutes
  );
}

function freshId({ line, tier }: SitePlan, taken: readonly string[]): string {
  const first = `price_${line}_${tier}`;
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? first : `${first}_${number}`;
    if (!taken.includes(id)) return id;
  }
}
