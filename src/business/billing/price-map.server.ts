import { type Plan, SPECIFIED_PLANS } from '../../kernel/contract/plans.ts';
import type { PublishedSite } from '../../kernel/contract/site-content.ts';
import type { Resources } from '../../kernel/resources/resources.ts';

/** Maps our price ids to the provider's and back. */
export interface PriceMap {
  /** The provider's price id of a plan. */
  toProvider(plan: Plan): string;
  /** The plan of a provider's price id, including prices no longer sold; undefined for a foreign one. */
  fromProvider(priceId: string): Plan | undefined;
  /** Reads what `northline billing sync` stored, unless it was read within the last minute. */
  refresh(force?: boolean): Promise<void>;
}

const FRESH_MS = 60_000;

/**
 * The map from `STRIPE_PRICES` (pairs `price_documents_pro=price_1Abc`) and then from the synchronised
 * prices; a plan in neither keeps its own id.
 *
 * @throws Error with one sentence for a pair that names none of our plans, or one provider price for two
 * plans
 */
export function createPriceMap(
  pairs: readonly string[],
  { database, site }: Pick<Resources, 'database' | 'site'>,
  livemode: boolean,
): PriceMap {
  const configured = readPairs(pairs, site);
  let toProvider = new Map<string, string>();
  let toPlan = new Map<string, Plan>();
  let readAt = 0;

  function build(stored: readonly { provider_price: string; price_id: string; current: boolean }[]): void {
    toProvider = new Map(site.plans.known.map((plan) => [plan.priceId, plan.priceId]));
    toPlan = new Map();
    for (const { provider_price: theirs, price_id: ours, current } of stored) {
      const plan = site.plans.find(ours);
      if (plan === undefined) continue;
      toPlan.set(theirs, plan);
      if (current) toProvider.set(ours, theirs);
    }
    for (const [ours, theirs] of configured) toProvider.set(ours, theirs);
    for (const plan of site.plans.known) toPlan.set(toProvider.get(plan.priceId) ?? plan.priceId, plan);
  }
  build([]);
  return {
    toProvider: (plan) => toProvider.get(plan.priceId) ?? plan.priceId,
    fromProvider: (priceId) => toPlan.get(priceId),
    async refresh(force = false) {
      if (!force && Date.now() - readAt < FRESH_MS) return;
      build(
        await database.many(
          'select provider_price, price_id, current from private.payment_prices where livemode = $1',
          [livemode],
        ),
      );
      readAt = Date.now();
    },
  };
}

function readPairs(pairs: readonly string[], { plans }: PublishedSite): Map<string, string> {
  const configured = new Map<string, string>();
  for (const pair of pairs) {
    const [ours = '', theirs = ''] = pair.split('=').map((word) => word.trim());
    if (plans.find(ours) === undefined || theirs === '') {
      throw new Error(`STRIPE_PRICES has ${pair}, which is not a price id of ours and one of Stripe's.`);
    }
    configured.set(ours, theirs);
  }
  const taken = new Set<string>();
  for (const plan of SPECIFIED_PLANS) {
    const theirs = configured.get(plan.priceId) ?? plan.priceId;
    if (taken.has(theirs)) throw new Error(`STRIPE_PRICES gives the price ${theirs} to two plans.`);
    taken.add(theirs);
  }
  return configured;
}
