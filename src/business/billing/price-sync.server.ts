import type Stripe from 'stripe';
import type { Plan } from '../../kernel/contract/plans.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { unlessMissing } from './customers/customer-fetch.server.ts';
import type { Payments } from './payments.server.ts';

/** The result for one plan. */
export interface SyncedPrice {
  readonly price_id: string;
  readonly provider_price: string;
  readonly amount_pence: number;
  readonly currency: string;
  readonly product: 'made' | 'changed' | 'kept';
  readonly price: 'made' | 'kept';
}

/**
 * Makes the provider's products and prices equal to `plans`, and
 * stores which price belongs to which plan. A price is found by its lookup key, our own id. Prices never
 * change, so another amount is a new price that takes over the key; existing subscribers go on paying the old
 * one. May be repeated, and interrupted at any point.
 */
export async function syncPrices(
  resources: Pick<Resources, 'database'>,
  payments: Payments,
  plans: readonly Plan[],
): Promise<SyncedPrice[]> {
  const done: SyncedPrice[] = [];
  for (const plan of plans) done.push(await syncPlan(resources, payments, plan));
  await payments.prices.refresh(true);
  return done;
}

async function syncPlan(
  { database }: Pick<Resources, 'database'>,
  { stripe, livemode }: Payments,
  plan: Plan,
): Promise<SyncedPrice> {
  const { data } = await stripe.prices.list({ lookup_keys: [plan.priceId], active: true, limit: 10 });
  const fitting = data.find((price) => fits(price, plan));
  const product = await syncProduct(stripe, plan, fitting ?? data[0]);
  const price = fitting ?? (await makePrice(stripe, plan, product.id));
  await database.transaction(async (queries) => {
    await queries.run(
      'update private.payment_prices set current = false where price_id = $1 and livemode = $2 and provider_price <> $3',
      [plan.priceId, livemode, price.id],
    );
    await queries.run(
      `insert into private.payment_prices (provider_price, price_id, amount, livemode, currency) values ($1, $2, $3, $4, $5)
       on conflict (provider_price) do update set current = true`,
      [price.id, plan.priceId, plan.pricePence, livemode, plan.currency.toLowerCase()],
    );
  });
  return {
    price_id: plan.priceId,
    provider_price: price.id,
    amount_pence: plan.pricePence,
    currency: plan.currency,
    product: product.done,
    price: fitting === undefined ? 'made' : 'kept',
  };
}

function fits(price: Stripe.Price, plan: Plan): boolean {
  const { recurring } = price;
  return (
    price.unit_amount === plan.pricePence &&
    price.currency === plan.currency.toLowerCase() &&
    recurring?.interval === 'month' &&
    recurring.interval_count === 1
  );
}

async function syncProduct(
  stripe: Stripe,
  plan: Plan,
  price: Stripe.Price | undefined,
): Promise<{ id: string; done: SyncedPrice['product'] }> {
  const id = price === undefined ? plan.priceId.replace('price_', 'prod_') : idOf(price.product);
  const { name, description } = plan;
  const product = await stripe.products.retrieve(id).catch(unlessMissing);
  if (product === undefined || 'deleted' in product) {
    // Two operators at the same time create one product.
    const made = await stripe.products.create(
      { id, name, description, metadata: { price_id: plan.priceId } },
      { idempotencyKey: `product-${id}-${name}` },
    );
    return { id: made.id, done: 'made' };
  }
  if (product.name === name && product.description === description && product.active)
    return { id, done: 'kept' };
  await stripe.products.update(id, { name, description, active: true });
  return { id, done: 'changed' };
}

function makePrice(stripe: Stripe, plan: Plan, product: string): Promise<Stripe.Price> {
  return stripe.prices.create({
    product,
    currency: plan.currency.toLowerCase(),
    unit_amount: plan.pricePence,
    recurring: { interval: 'month' },
    nickname: plan.name,
    tax_behavior: 'inclusive',
    lookup_key: plan.priceId,
    transfer_lookup_key: true,
    metadata: { price_id: plan.priceId },
  });
}

function idOf(value: string | { id: string }): string {
  return typeof value === 'string' ? value : value.id;
}
