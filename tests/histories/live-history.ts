import { randomUUID } from 'node:crypto';
import { completeCheckout } from '../../packages/stripe-emulator/src/ledger/checkout-completion.ts';
import {
  changeCard,
  endSubscription,
} from '../../packages/stripe-emulator/src/ledger/subscription-cycles.ts';
import type { CardBehaviour } from '../../packages/stripe-emulator/src/ledger/test-cards.ts';
import type { SubscriptionObject } from '../../packages/stripe-emulator/src/object-shapes.ts';
import { lockObject } from '../../packages/stripe-emulator/src/provider-store.ts';
import { linkPurchase } from '../../src/business/billing/checkout/customer-link.server.ts';
import { syncCustomersOf } from '../../src/business/billing/customers/subscription-sync.server.ts';
import { hashSecret } from '../../src/business/billing/known-secret.server.ts';
import { ownSubscription } from '../../src/business/billing/subscription/own-subscription.server.ts';
import { setCancellation } from '../../src/business/billing/subscription/plan-cancel.server.ts';
import {
  changePlan,
  previewChange,
  targetPlan,
} from '../../src/business/billing/subscription/plan-change.server.ts';
import { Catalogue, type Plan } from '../../src/kernel/contract/plans.ts';
import { deliver } from './deliver-webhooks.ts';
import { atProvider, cardOf, type Life, ours, planOf, running } from './life.ts';
import { dispute, refund, replay, spend } from './money-and-credits.ts';
import { asHistory, type World } from './open-world.ts';
import type { Random } from './random.ts';

const CATALOGUE = new Catalogue();

const DAY = 24 * 3600;
const SECRET = 'the browser of the buyer';

const BEHAVIOURS: readonly CardBehaviour[] = [
  'succeeds',
  'succeeds',
  'fails_later',
  'authentication',
  'disputed',
];

/** Possible steps; a step that is listed more often is more likely. */
const STEPS: readonly ((life: Life) => Promise<unknown>)[] = [
  ...Array.from({ length: 4 }, () => advance),
  ...Array.from({ length: 3 }, () => spend),
  ...Array.from({ length: 2 }, () => changeOfPlan),
  cancelOrResume,
  cancelOrResume,
  newCard,
  refund,
  dispute,
  buyAnother,
  end,
  replay,
];

/**
 * Simulates one history: a purchase, then steps with webhooks and kills in between, until all work is done.
 */
export async function live(world: World, name: string, random: Random): Promise<Life> {
  const now = Math.floor(Date.now() / 1000) - random.below(300 * DAY);
  const turn = { history: name, now };
  return asHistory(turn, async () => {
    const clock = await world.stripe.testHelpers.testClocks.create({ frozen_time: now });
    const customer = await world.stripe.customers.create({
      test_clock: clock.id,
      email: `${name}@example.com`,
    });
    const user = randomUUID();
    await world.database.run(
      'insert into auth.users (id, email, email_confirmed_at) values ($1, $2, now())',
      [user, `${name}@example.com`],
    );
    const life: Life = {
      world,
      random,
      name,
      customer: customer.id,
      clock: clock.id,
      user,
      turn,
      unlinked: [],
      kills: 0,
    };
    await buy(life, random.pick(CATALOGUE.sold));
    for (let steps = 1 + random.below(7); steps > 0; steps -= 1) {
      await deliver(life, 'some');
      await link(life, 0.3);
      // In half of the cases, the step happens while earlier events are being processed.
      const meanwhile = random.chance(0.5) ? deliver(life, 'some') : undefined;
      await Promise.all([meanwhile, random.pick(STEPS)(life)]);
    }
    await link(life, 1);
    // The last step happens while everything before it is being processed, so that a slow worker may write
    // what it read earlier.
    await Promise.all([deliver(life, 'most'), random.pick(STEPS)(life)]);
    await deliver(life, 'all');
    return life;
  });
}

async function buy(life: Life, plan: Plan): Promise<void> {
  const { world, random, user } = life;
  const visitor = random.chance(0.4);
  const trial = random.chance(0.15) ? { trial_period_days: 7 } : {};
  const session = await world.stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: life.customer,
    line_items: [{ price: plan.priceId, quantity: 1 }],
    success_url: 'http://127.0.0.1:1/success',
    cancel_url: 'http://127.0.0.1:1/cancel',
    subscription_data: trial,
  });
  await world.database.run(
    'insert into private.checkouts (session_id, price_id, started_by, secret_hash) values ($1, $2, $3, $4)',
    [session.id, plan.priceId, visitor ? null : user, visitor ? hashSecret(SECRET) : null],
  );
  const card = cardOf(random.pick(BEHAVIOURS));
  await atProvider(life, (change) =>
    completeCheckout(change, session.id, { card, email: `${life.name}@example.com`, name: 'A Person' }),
  );
  if (visitor) life.unlinked.push(session.id);
}

async function buyAnother(life: Life): Promise<void> {
  const held = await running(life);
  const lines = new Set(held.map((subscription) => planOf(subscription)?.line ?? 'documents'));
  const free = [CATALOGUE.documents, CATALOGUE.courses].filter(
    ([plan]) => plan !== undefined && !lines.has(plan.line),
  );
  if (free.length > 0) await buy(life, life.random.pick(life.random.pick(free)));
}

async function link(life: Life, chance: number): Promise<void> {
  while (life.unlinked.length > 0 && life.random.chance(chance)) {
    const sessionId = life.unlinked[0] ?? '';
    const claim = { sessionId, userId: life.user, secret: SECRET };
    let refused: string | undefined = 'killed';
    await ours(life, async ({ resources, payments }) => {
      refused = await linkPurchase(resources, payments, claim);
    });
    // The browser asks again until it gets a reply.
    if (refused === undefined) life.unlinked.shift();
    else if (refused !== 'killed') throw new Error(`link was refused: ${refused}`);
  }
}

async function advance(life: Life): Promise<void> {
  const days = life.random.pick([1, 4, 6, 9, 20, 32, 32, 45, 95]);
  life.turn.now += days * DAY;
  await life.world.stripe.testHelpers.testClocks.advance(life.clock, { frozen_time: life.turn.now });
}

async function cancelOrResume(life: Life): Promise<void> {
  const cancel = life.random.chance(0.6);
  await ours(life, async ({ resources, payments }) => {
    const held = await ownSubscription(resources, life.user, undefined);
    await setCancellation(payments, held, cancel);
    await syncCustomersOf(resources, payments, life.user);
  }).catch(unlessOutdated);
}

async function changeOfPlan(life: Life): Promise<void> {
  const wanted = life.random.pick(CATALOGUE.sold).priceId;
  await ours(life, async ({ resources, payments }) => {
    const held = await ownSubscription(resources, life.user, undefined);
    const plan = targetPlan(resources.site.plans, held, wanted);
    const { proration_date: date } = await previewChange(payments, held, plan);
    await changePlan(payments, held, plan, date);
    await syncCustomersOf(resources, payments, life.user);
  }).catch(unlessOutdated);
}

/** Our knowledge was out of date, e.g. it had been cancelled at the provider. */
function unlessOutdated(error: unknown): void {
  if ((error as { type?: string }).type !== 'StripeInvalidRequestError') throw error;
}

async function newCard(life: Life): Promise<void> {
  const [subscription] = await running(life);
  if (subscription === undefined) return;
  const card = cardOf(life.random.pick(BEHAVIOURS));
  await atProvider(life, async (change) => {
    const locked = await lockObject(change.queries, 'subscription', subscription.id);
    await changeCard(change, locked?.data as SubscriptionObject, card, null);
  });
}

async function end(life: Life): Promise<void> {
  const [subscription] = await running(life);
  if (subscription === undefined) return;
  await atProvider(life, async (change) => {
    const locked = await lockObject(change.queries, 'subscription', subscription.id);
    await endSubscription(change, locked?.data as SubscriptionObject);
  });
}
