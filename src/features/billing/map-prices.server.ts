import { findPlan, PLANS, type Plan } from '../../contract/plans.ts';

/** Our price ids and the provider's, both ways (`STRIPE_PRICES`). */
export interface PriceMap {
  /** The provider's price id of a plan. */
  toProvider(plan: Plan): string;
  /** The plan of a provider's price id; undefined when we do not sell it. */
  fromProvider(priceId: string): Plan | undefined;
}

/**
 * Reads the pairs `price_documents_pro=price_1Abc`; plans that are not named keep their own id.
 *
 * @throws Error with one sentence for a pair that names no plan of ours, or one provider price for two plans
 */
export function createPriceMap(pairs: readonly string[]): PriceMap {
  const provider = new Map(PLANS.map((plan) => [plan.priceId, plan.priceId]));
  for (const pair of pairs) {
    const [ours = '', theirs = ''] = pair.split('=').map((word) => word.trim());
    if (findPlan(ours) === undefined || theirs === '') {
      throw new Error(`STRIPE_PRICES has ${pair}, which is not a price id of ours and one of Stripe's.`);
    }
    provider.set(ours, theirs);
  }
  const plans = new Map<string, Plan>();
  for (const plan of PLANS) {
    const theirs = provider.get(plan.priceId) ?? plan.priceId;
    if (plans.has(theirs)) throw new Error(`STRIPE_PRICES gives the price ${theirs} to two plans.`);
    plans.set(theirs, plan);
  }
  return {
    toProvider: (plan) => provider.get(plan.priceId) ?? plan.priceId,
    fromProvider: (priceId) => plans.get(priceId),
  };
}
