import { randomUUID } from 'node:crypto';
import type {
  BillingOverview,
  PlanChangePreview,
} from '../../src/business/billing/subscription/billing-management.contract.ts';
import { subscriptionsOf } from '../../src/business/billing/subscription/billing-read.web.ts';
import { isHeld } from '../../src/business/billing/subscription/subscription-read.web.ts';
import type { CustomerRecord } from '../../src/business/console/records/customer-record.contract.ts';
import { newClient } from '../support/customers/auth-client.ts';
import { payWithCard } from '../support/customers/card-payment.ts';
import { askConsole } from '../support/customers/operator-client.ts';
import { CARDS } from '../support/customers/plan-purchase.ts';
import { advanceClock } from '../support/servers/payment-provider.ts';
import type { Step } from './steps.ts';
import { ask, chosen, type Month, type Person, quiet, say } from './world.ts';

const overviewOf = (who: Person): Promise<BillingOverview> => ask(who, 'billing-overview', {});

/** Buys any plan that is sold; every fourth card fails at the next payment. */
export const buyPlan: Step = async (month, who, pick) => {
  const plan = chosen(month.app.resources.site.plans.sold, pick);
  if (plan === undefined) return;
  const running = subscriptionsOf(await overviewOf(who)).filter((one) => isHeld(one.subscription.status));
  const held = running.some((one) => one.plan.line === plan.line);
  const order = {
    ...{ price_id: plan.priceId, mode: plan.mode },
    ...{ success_url: `${month.app.url}/success`, cancel_url: `${month.app.url}/cancel` },
  };
  const session = await say<{ url: string }>(who, 'checkout', order, ['other_currency']);
  if (session === undefined) {
    if (running.some((one) => one.plan.currency !== plan.currency)) return;
    throw new Error(`the ${plan.name} is refused to somebody without a plan in another currency`);
  }
  const { url } = session;
  if (url.includes('/dashboard/billing') !== held)
    throw new Error(`the Billing tab says that a plan is ${held ? '' : 'not '}held, and the checkout not`);
  if (held) return;
  const { redirectedTo } = await payWithCard(
    url,
    pick % 4 === 3 ? CARDS.failsLater : CARDS.succeeds,
    who.email,
  );
  if (!redirectedTo?.includes('/success')) throw new Error('the payment did not lead to the page of success');
  await quiet(month);
};

/** Buys a plan before signing in, and claims it afterwards: the person then has another customer at the provider. */
export const buyAsVisitor: Step = async (month, who, pick) => {
  const plan = chosen(month.app.resources.site.plans.sold, pick);
  const held = subscriptionsOf(await overviewOf(who)).map((one) => one.plan.line);
  if (plan === undefined || held.includes(plan.line)) return;
  const { url, session_id, checkout_secret } = await ask<Record<string, string>>(
    { client: newClient(month.app) },
    'checkout',
    {
      ...{ price_id: plan.priceId, mode: plan.mode },
      ...{ success_url: `${month.app.url}/success`, cancel_url: `${month.app.url}/cancel` },
    },
  );
  await payWithCard(url ?? '', CARDS.succeeds, who.email);
  await ask(who, 'link-customer', { session_id, checkout_secret, user_id: who.id });
  await quiet(month);
};

/** Changes a plan to one that the page offers: what it announced is what it takes. */
export const changePlan: Step = async (month, who, pick) => {
  const held = chosen(subscriptionsOf(await overviewOf(who)), pick);
  const price = chosen([...(held?.can.upgrade ?? []), ...(held?.can.downgrade ?? [])], pick >> 2);
  if (held === undefined || price === undefined) return;
  const about = { subscription_id: held.subscription.id, price_id: price };
  const announced = await ask<PlanChangePreview>(who, 'preview-plan-change', about);
  const { proration_date, amount_due_now_pence: due } = announced;
  const after = await say<BillingOverview>(who, 'change-plan', { ...about, proration_date }, [
    'card_declined',
  ]);
  await quiet(month);
  if (after === undefined) return;
  const now = subscriptionsOf(after).find(({ subscription }) => subscription.id === about.subscription_id);
  const plan = announced.direction === 'upgrade' ? now?.plan : now?.pending_change?.plan;
  if (plan?.price_id !== price) throw new Error(`the change to ${price} is not shown`);
  if (now?.next_payment?.amount_pence !== announced.next_amount_pence)
    throw new Error('the next payment is another one than was announced');
  if (due > 0 && !after.invoices.some((invoice) => invoice.amount_pence === due))
    throw new Error(`${due} pence were announced and not charged`);
};

/** Cancels a plan at the end of its period, or undoes that, as the page offers it. */
export const cancelOrResume: Step = async (month, who, pick) => {
  const held = chosen(subscriptionsOf(await overviewOf(who)), pick);
  if (held === undefined || !(held.can.cancel || held.can.resume)) return;
  const name = held.can.cancel && (pick % 3 > 0 || !held.can.resume) ? 'cancel' : 'resume';
  const { id } = held.subscription;
  const after = await ask<BillingOverview>(who, `${name}-subscription`, { subscription_id: id });
  const now = subscriptionsOf(after).find(({ subscription }) => subscription.id === id);
  if (now?.subscription.cancel_at_period_end !== (name === 'cancel'))
    throw new Error(`after ${name} the reply shows the plan as before`);
  await quiet(month);
};

/** Days pass at the payment provider: plans are renewed, cannot be charged, end, and credits lapse. */
export const letTimePass: Step = async (month, _who, pick) => {
  await advanceClock(month.app, chosen([2, 6, 9, 20, 32, 32, 45], pick) ?? 1);
  await quiet(month);
};

/** The agency gives a part of a payment back. */
export const refund: Step = async (month, who, pick) => {
  const { invoices } = await recordOf(month, who);
  const invoice = chosen(
    invoices.filter(({ refundable }) => refundable > 0),
    pick,
  );
  if (invoice === undefined) return;
  const amount = pick % 2 === 0 ? invoice.refundable : Math.ceil(invoice.refundable / 3);
  const order = { id: who.id, invoice: invoice.id, amount, reason: 'Asked for', attempt: randomUUID() };
  await askConsole('refund', month.operator, order);
  await quiet(month);
  const after = (await recordOf(month, who)).invoices.find(({ id }) => id === invoice.id);
  if (after?.refunded !== invoice.refunded + amount) throw new Error('the refund is not shown');
};

/** The agency gives credits. */
export const giveCredits: Step = async (month, who, pick) => {
  const amount = 1 + (pick % 5);
  await askConsole('act', month.operator, { do: 'customer.credits', id: who.id, amount, reason: 'A gift' });
};

/** What the console shows about a customer. */
export const recordOf = ({ operator }: Month, { id }: Person): Promise<CustomerRecord> =>
  askConsole<CustomerRecord>(`customer?id=${id}`, operator);
