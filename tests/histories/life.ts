import type { CardBehaviour } from '../../packages/stripe-emulator/src/ledger/test-cards.ts';
import type { SubscriptionObject } from '../../packages/stripe-emulator/src/object-shapes.ts';
import { type Change, changeAt, listObjects } from '../../packages/stripe-emulator/src/provider-store.ts';
import { providerHost } from '../../src/business/billing/stripe-emulator.server.ts';
import { type Plan, SPECIFIED_PLANS } from '../../src/kernel/contract/plans.ts';
import { ServiceError } from '../../src/kernel/contract/service-error.ts';
import { isCrash, killedAfter } from './crash-plan.ts';
import type { World } from './open-world.ts';
import type { Random } from './random.ts';

/** A customer whose history is simulated. */
export interface Life {
  readonly world: World;
  readonly random: Random;
  /** Names the history in error messages, and marks its jobs. */
  readonly name: string;
  readonly customer: string;
  readonly clock: string;
  readonly user: string;
  readonly turn: { readonly history: string; now: number };
  /** Checkouts of a visitor that still have to be linked. */
  readonly unlinked: string[];
  /** How often our work was killed. */
  kills: number;
}

/** Runs our work, which a kill may interrupt; it is not repeated for the caller. */
export async function ours(
  life: Life,
  work: (process: World['processes'][number]) => Promise<unknown>,
): Promise<void> {
  const process = life.random.pick(life.world.processes);
  const steps = life.random.chance(0.5) ? 1 + life.random.below(40) : Number.MAX_SAFE_INTEGER;
  try {
    await killedAfter(steps, () => work(process));
  } catch (error) {
    // A refusal is a valid reply; the SDK wraps errors of its connection.
    if (error instanceof ServiceError) return;
    if (!isCrash(error)) throw error;
    life.kills += 1;
  }
}

/** Runs work at the provider, at the time of the customer's clock. */
export function atProvider<T>(life: Life, work: (change: Change) => Promise<T>): Promise<T> {
  const { provider } = life.world;
  return provider.database.transaction((queries) =>
    work(changeAt(providerHost(provider), queries, life.turn.now)),
  );
}

/** Subscriptions that have not ended, according to the provider. */
export async function running(life: Life): Promise<SubscriptionObject[]> {
  const all = await listObjects(life.world.database, 'subscription', { customer: life.customer, limit: 100 });
  return (all as SubscriptionObject[]).filter(
    ({ status }) => status !== 'canceled' && status !== 'incomplete_expired',
  );
}

/** The plan of a subscription. */
export function planOf(subscription: SubscriptionObject): Plan | undefined {
  return SPECIFIED_PLANS.find((plan) => plan.priceId === subscription.items.data[0]?.price.id);
}

/** A card with this behaviour. */
export function cardOf(behaviour: CardBehaviour) {
  return { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2060, behaviour };
}
