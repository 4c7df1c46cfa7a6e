import { randomUUID } from 'node:crypto';
import { COURSE_PLANS, DOCUMENT_PLANS, PLANS, type Plan } from '../../src/contract/plans.ts';
import { ServiceError } from '../../src/contract/service-error.ts';
import {
  changePlan,
  previewChange,
  setCancellation,
  targetPlan,
} from '../../src/features/billing/change-plan.server.ts';
import { hashSecret } from '../../src/features/billing/hash-secret.server.ts';
import { linkPurchase } from '../../src/features/billing/link-customer.server.ts';
import { ownSubscription } from '../../src/features/billing/own-subscription.server.ts';
import { syncCustomer } from '../../src/features/billing/sync-customer.server.ts';
import type { SubscriptionObject } from '../../src/features/billing/test-provider/build-objects.server.ts';
import { completeCheckout } from '../../src/features/billing/test-provider/complete-checkout.server.ts';
import {
  closeDispute,
  openDispute,
  refundCharge,
} from '../../src/features/billing/test-provider/dispute-charges.server.ts';
import {
  type Change,
  changeAt,
  listObjects,
  lockObject,
  type ProviderObject,
} from '../../src/features/billing/test-provider/provider-store.server.ts';
import {
  changeCard,
  endSubscription,
} from '../../src/features/billing/test-provider/run-subscriptions.server.ts';
import type { CardBehaviour } from '../../src/features/billing/test-provider/test-cards.server.ts';
import { isCrash, killedAfter } from './crash-plan.ts';
import { deliver } from './deliver-webhooks.ts';
import { asHistory, type World } from './open-world.ts';
import type { Random } from './random.ts';

const DAY = 24 * 3600;
const SECRET = 'the browser of the buyer';

/** A customer whose life is lived. */
export interface Life {
  readonly world: World;
  readonly random: Random;
  /** Names the history in what goes wrong, and owns its jobs. */
  readonly name: string;
  readonly customer: string;
  readonly clock: string;
  readonly user: string;
  readonly turn: { readonly history: string; now: number };
  /** Checkouts of a visitor that are to be linked. */
  readonly unlinked: string[];
  /** Work of ours that was killed. */
  kills: number;
}

const BEHAVIOURS: readonly CardBehaviour[] = [
  'succeeds',
  'succeeds',
  'fails_later',
  'authentication',
  'disputed',
];

/** What may happen, the likelier the more often it is named. */
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

/** Lives one history: a purchase, then steps, webhooks and kills among them, until all is worked. */
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
    await buy(life, random.pick(PLANS));
    for (let steps = 1 + random.below(7); steps > 0; steps -= 1) {
      await deliver(life, { all: false });
      await link(life, 0.3);
      // Half of what happens, happens while earlier events are being worked.
      const meanwhile = random.chance(0.5) ? deliver(life, { all: false }) : undefined;
      await random.pick(STEPS)(life);
      await meanwhile;
    }
    await link(life, 1);
    // The last thing happens while all that came before is being worked, so that a slow worker may
    // come to write what it read before it.
    const last = deliver(life, { all: true });
    await random.pick(STEPS)(life);
    await last;
    await deliver(life, { all: true });
    return life;
  });
}

/** Work of ours that a kill may reach; it is not done again by whoever asked. */
async function ours(
  life: Life,
  work: (process: World['processes'][number]) => Promise<unknown>,
): Promise<void> {
  const process = life.random.pick(life.world.processes);
  const steps = life.random.chance(0.5) ? 1 + life.random.below(40) : Number.MAX_SAFE_INTEGER;
  try {
    await killedAfter(steps, () => work(process));
  } catch (error) {
    // A refusal is an answer like any other; the SDK wraps what its connection throws.
    if (error instanceof ServiceError) return;
    if (!isCrash(error)) throw error;
    life.kills += 1;
  }
}

function atProvider<T>(life: Life, work: (change: Change) => Promise<T>): Promise<T> {
  const { provider } = life.world;
  return provider.database.transaction((queries) => work(changeAt(provider, queries, life.turn.now)));
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
  const free = [DOCUMENT_PLANS, COURSE_PLANS].filter(([plan]) => plan !== undefined && !lines.has(plan.line));
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
    // The browser asks again until it is told.
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
    const held = await ownSubscription(resources.database, life.user, undefined);
    await setCancellation(payments, held, cancel);
    await syncCustomer(resources, payments, held.customer);
  }).catch(unlessOutdated);
}

async function changeOfPlan(life: Life): Promise<void> {
  const wanted = life.random.pick(PLANS).priceId;
  await ours(life, async ({ resources, payments }) => {
    const held = await ownSubscription(resources.database, life.user, undefined);
    const plan = targetPlan(held, wanted);
    const { proration_date: date } = await previewChange(payments, held, plan);
    await changePlan(payments, held, plan, date);
    await syncCustomer(resources, payments, held.customer);
  }).catch(unlessOutdated);
}

/** What we knew was no longer so, e.g. it had been cancelled at the provider. */
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

async function refund(life: Life): Promise<void> {
  const charge = await aCharge(life);
  if (charge === undefined) return;
  const amount = life.random.chance(0.5)
    ? Number(charge.amount)
    : 1 + life.random.below(Number(charge.amount));
  await atProvider(life, (change) => refundCharge(change, charge.id, { amount }));
}

async function dispute(life: Life): Promise<void> {
  const charge = await aCharge(life);
  if (charge === undefined) return;
  const [known] = await listObjects(life.world.database, 'dispute', {
    matching: { charge: charge.id },
    limit: 1,
  });
  await atProvider(life, (change) =>
    known === undefined
      ? openDispute(change, charge.id, {})
      : closeDispute(change, known.id, life.random.pick(['won', 'lost'])),
  );
}

/** Takes credits for uploads, some of which are settled, some come to nothing, some still wait. */
async function spend(life: Life): Promise<void> {
  for (let count = 1 + life.random.below(4); count > 0; count -= 1) {
    const amount = 1 + life.random.below(3);
    await ours(life, ({ resources }) =>
      resources.database.transaction(async (queries) => {
        await queries.many(`select set_config('request.jwt.claims', '{"role":"service_role"}', true)`);
        await queries.many('select public.use_credits($1, $2, $3)', [life.user, amount, 'Document Analysis']);
      }),
    );
  }
  const open = await life.world.database.many<{ id: string }>(
    "select id from public.credit_transactions where user_id = $1 and state = 'reserved' order by created_at, id",
    [life.user],
  );
  for (const { id } of open) {
    const fate = life.random.below(3);
    const text =
      fate === 0
        ? "update public.credit_transactions set state = 'settled', expires_at = null where id = $1"
        : 'select private.return_credit($1)';
    if (fate < 2) await ours(life, ({ resources }) => resources.database.many(text, [id]));
  }
}

/** Old events come again, some under new ids. */
async function replay(life: Life): Promise<void> {
  const events = await life.world.database.many<{ data: ProviderObject }>(
    `select data from private.provider_events where data #>> '{data,object,customer}' = $1
     order by position desc limit 12`,
    [life.customer],
  );
  for (const { data } of events.filter(() => life.random.chance(0.4))) {
    const again = life.random.chance(0.5) ? data : { ...data, id: `${data.id}_${life.random.below(1e6)}` };
    await life.world.database.run(
      `insert into private.history_jobs (history, name, data) values ($1, 'replay', $2)`,
      [life.name, JSON.stringify(again)],
    );
  }
}

async function aCharge(life: Life): Promise<ProviderObject | undefined> {
  const charges = await listObjects(life.world.database, 'charge', { customer: life.customer, limit: 100 });
  return charges.length === 0 ? undefined : life.random.pick(charges);
}

async function running(life: Life): Promise<SubscriptionObject[]> {
  const all = await listObjects(life.world.database, 'subscription', { customer: life.customer, limit: 100 });
  return (all as SubscriptionObject[]).filter(
    ({ status }) => status !== 'canceled' && status !== 'incomplete_expired',
  );
}

function planOf(subscription: SubscriptionObject): Plan | undefined {
  return PLANS.find((plan) => plan.priceId === subscription.items.data[0]?.price.id);
}

function cardOf(behaviour: CardBehaviour) {
  return { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2060, behaviour };
}
