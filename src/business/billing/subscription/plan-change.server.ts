import Stripe from 'stripe';
import type { Catalogue, Plan } from '../../../kernel/contract/plans.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { otherCurrency, type Payments } from '../payments.server.ts';
import type { PlanChangePreview } from './billing-management.contract.ts';
import type { OwnSubscription } from './own-subscription.server.ts';

/** How long a preview is valid; later the amount may differ. */
const PREVIEW_SECONDS = 30 * 60;

/**
 * The plan to change a subscription to.
 *
 * @throws ServiceError 400 `unknown_price`, `same_plan`, `other_line`, `other_currency`; 409 `past_due`
 */
export function targetPlan(plans: Catalogue, held: OwnSubscription, priceId: string): Plan {
  const plan = plans.findSold(priceId);
  if (plan === undefined) throw new ServiceError(400, 'unknown_price', 'This plan is not sold here.');
  if (plan === held.plan) throw new ServiceError(400, 'same_plan', 'You have this plan already.');
  if (plan.line !== held.plan.line) {
    throw new ServiceError(
      400,
      'other_line',
      'This plan is of another kind: you can buy it in addition to yours.',
    );
  }
  if (plan.currency !== held.plan.currency) throw otherCurrency(held.plan, plan);
  if (!['active', 'trialing'].includes(held.status)) {
    throw new ServiceError(409, 'past_due', 'A payment is due: please change your card first.');
  }
  return plan;
}

/** The cost of a change now and from the next payment on, as the provider calculates it. */
export async function previewChange(
  payments: Payments,
  held: OwnSubscription,
  plan: Plan,
): Promise<PlanChangePreview> {
  const { stripe, prices } = payments;
  const subscription = await stripe.subscriptions.retrieve(held.id);
  const item = itemOf(subscription);
  const date = await payments.now();
  const common = {
    currency: plan.currency,
    next_amount_pence: plan.pricePence,
    next_date: new Date(item.current_period_end * 1000).toISOString(),
    proration_date: date,
  };
  if (plan.pricePence < held.plan.pricePence) {
    return { ...common, direction: 'downgrade', amount_due_now_pence: 0, lines: [] };
  }
  const invoice = await stripe.invoices.createPreview({
    subscription: held.id,
    subscription_details: {
      items: [{ id: item.id, price: prices.toProvider(plan) }],
      proration_behavior: 'always_invoice',
      proration_date: date,
    },
  });
  return {
    ...common,
    direction: 'upgrade',
    amount_due_now_pence: invoice.amount_due,
    lines: invoice.lines.data.map((line) => ({
      description: line.description ?? '',
      amount_pence: line.amount,
    })),
  };
}

/**
 * Changes the plan: to a more expensive one at once for the previewed difference, to a cheaper one when the
 * paid period ends. An earlier pending change is dropped. May be repeated.
 *
 * @throws ServiceError 402 `card_declined` or `authentication_required`, 409 `preview_expired`
 */
export async function changePlan(
  payments: Payments,
  held: OwnSubscription,
  plan: Plan,
  prorationDate: number,
): Promise<void> {
  const { stripe, prices } = payments;
  const age = (await payments.now()) - prorationDate;
  if (age < -60 || age > PREVIEW_SECONDS) {
    throw new ServiceError(409, 'preview_expired', 'The price may have changed: please look at it again.');
  }
  const subscription = await withoutSchedule(payments, await stripe.subscriptions.retrieve(held.id));
  const item = itemOf(subscription);
  if (plan.pricePence < held.plan.pricePence) {
    await scheduleDowngrade(payments, subscription, plan);
    return;
  }
  await stripe.subscriptions
    .update(held.id, {
      items: [{ id: item.id, price: prices.toProvider(plan) }],
      proration_behavior: 'always_invoice',
      proration_date: prorationDate,
      payment_behavior: 'error_if_incomplete',
      // A customer who pays more wants to stay.
      cancel_at_period_end: false,
      metadata: { price_id: plan.priceId },
    })
    .catch(asCardError);
}

async function scheduleDowngrade(
  payments: Payments,
  subscription: Stripe.Subscription,
  plan: Plan,
): Promise<void> {
  const { stripe, prices } = payments;
  const item = itemOf(subscription);
  if (subscription.cancel_at_period_end)
    await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false });
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
  await stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: 'release',
    phases: [
      {
        start_date: item.current_period_start,
        end_date: item.current_period_end,
        items: [{ price: item.price.id, quantity: 1 }],
      },
      {
        items: [{ price: prices.toProvider(plan), quantity: 1 }],
        duration: { interval: 'month', interval_count: 1 },
        proration_behavior: 'none',
      },
    ],
  });
}

/** The subscription, after its pending change of plan has been dropped. */
export async function withoutSchedule(
  { stripe }: Payments,
  subscription: Stripe.Subscription,
): Promise<Stripe.Subscription> {
  const { schedule } = subscription;
  if (schedule === null || schedule === undefined) return subscription;
  await stripe.subscriptionSchedules.release(typeof schedule === 'string' ? schedule : schedule.id);
  return stripe.subscriptions.retrieve(subscription.id);
}

function itemOf(subscription: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = subscription.items.data;
  if (item === undefined) throw new Error(`the subscription ${subscription.id} has no item`);
  return item;
}

/** The error for a refused card: the plan was not changed. */
function asCardError(error: unknown): never {
  if (!(error instanceof Stripe.errors.StripeCardError)) throw error;
  const asks =
    error.code === 'authentication_required' || error.code === 'subscription_payment_intent_requires_action';
  throw new ServiceError(
    402,
    asks ? 'authentication_required' : 'card_declined',
    asks
      ? 'Your bank wants to confirm this payment: please finish it on the payment page.'
      : `${error.message} Your plan is not changed.`,
    { cause: error },
  );
}
