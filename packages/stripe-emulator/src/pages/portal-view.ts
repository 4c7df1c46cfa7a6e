import { formatMoney } from '@northline/vat/money';
import type { InvoiceObject } from '../ledger/invoice-building.ts';
import { phaseAt } from '../ledger/schedule-changes.ts';
import type { CardErrors, CardForm } from '../ledger/test-cards.ts';
import { findPrice, itemOf, type PriceSource, type SubscriptionObject } from '../object-shapes.ts';
import { findObject, listObjects, lockObject, type ProviderObject } from '../provider-store.ts';
import { cardFields, testCards } from './card-fields.ts';
import { type Html, html } from './page-frame.ts';

const STATUS_WORDS: Record<string, string> = {
  active: 'Active',
  trialing: 'Trial',
  past_due: 'Payment due',
  unpaid: 'Not paid',
  incomplete: 'Not complete',
  canceled: 'Cancelled',
};
const INVOICE_WORDS: Record<string, string> = { paid: 'Paid', open: 'Open', void: 'Void' };

/** A session of the portal. */
export interface PortalSession extends ProviderObject {
  readonly return_url: string;
  readonly flow: {
    type: string;
    after_completion?: { redirect?: { return_url: string } };
    subscription_update_confirm?: { items: { price: string }[] };
  } | null;
}

interface SubscriptionView {
  readonly subscription: SubscriptionObject;
  readonly card: string | undefined;
  /** The next plan, where it changes at the end of the period. */
  readonly next: string | undefined;
  readonly choices: readonly ProviderObject[];
}

/** Everything that the portal shows. */
export interface PortalView {
  readonly session: PortalSession;
  readonly email: string | undefined;
  readonly subscriptions: readonly SubscriptionView[];
  readonly invoices: readonly InvoiceObject[];
  readonly token: string;
}

/** The result of the form that was sent. */
export interface Notes {
  readonly done?: string;
  readonly problem?: string;
  readonly entered?: Partial<CardForm>;
  readonly errors?: CardErrors;
  /** The bank asks the cardholder to confirm. */
  readonly confirm?: { subscription: string; price: string; name: string };
}

/** Reads a session and everything that it shows; undefined where there is none. */
export async function readPortalView(from: PriceSource, id: string): Promise<PortalView | undefined> {
  const { queries } = from;
  const locked = await lockObject(queries, 'billing_portal.session', id);
  if (locked === undefined) return undefined;
  const customer = String(locked.data.customer);
  const owner = await findObject(queries, 'customer', customer);
  const all = await listObjects(queries, 'subscription', { customer, limit: 100 });
  const running = all.filter(({ status }) => status !== 'canceled' && status !== 'incomplete_expired');
  const subscriptions: SubscriptionView[] = [];
  for (const subscription of running)
    subscriptions.push(await viewOf(from, subscription as SubscriptionObject));
  return {
    session: locked.data as PortalSession,
    email: typeof owner?.email === 'string' ? owner.email : undefined,
    subscriptions,
    invoices: (await listObjects(queries, 'invoice', { customer, limit: 24 })) as InvoiceObject[],
    token: String(locked.hidden.form_token),
  };
}

async function viewOf(from: PriceSource, subscription: SubscriptionObject): Promise<SubscriptionView> {
  const { queries } = from;
  const item = itemOf(subscription);
  const method = await findObject(queries, 'payment_method', subscription.default_payment_method ?? '');
  const card = method?.card as { brand: string; last4: string } | undefined;
  const schedule = await findObject(queries, 'subscription_schedule', subscription.schedule ?? '');
  const phase = schedule === undefined ? undefined : phaseAt(schedule, item.current_period_end);
  const next = phase === undefined ? undefined : await findPrice(from, phase.price);
  return {
    subscription,
    card:
      card === undefined
        ? undefined
        : `${card.brand === 'visa' ? 'Visa' : card.brand} ending in ${card.last4}`,
    next: next === undefined || next.id === item.price.id ? undefined : String(next.nickname),
    choices: await offeredPrices(from, subscription),
  };
}

/** The prices that a subscription can be changed to: the other plans of its product line in its currency. */
export async function offeredPrices(
  from: PriceSource,
  subscription: SubscriptionObject,
): Promise<readonly ProviderObject[]> {
  const { price: current } = itemOf(subscription);
  const { queries, catalogue } = from;
  const line = catalogue.find(String(current.lookup_key))?.line;
  const offered: ProviderObject[] = [];
  for (const plan of catalogue.sold().filter((other) => other.line === line)) {
    const [named] = await listObjects(queries, 'price', { matching: { lookup_key: plan.priceId }, limit: 1 });
    const price = named ?? (await findPrice(from, plan.priceId));
    if (
      price !== undefined &&
      price.active === true &&
      price.currency === current.currency &&
      price.id !== current.id
    )
      offered.push(price);
  }
  return offered;
}

/** The dark side of the page. */
export function portalBoard(view: PortalView, brand: string): Html {
  return html`<p class="board-kicker">Billing of</p><h2 class="address">${view.email ?? 'your account'}</h2>
<p><a class="button quiet" href="${view.session.return_url}">Return to ${brand}</a></p>`;
}

/** The page itself: one panel for each subscription, then the invoices. */
export function portalMain(view: PortalView, notes: Notes, action: string): Html {
  return html`<h1>Your subscription</h1>
${notes.problem === undefined ? undefined : html`<p class="alert" role="alert">${notes.problem}</p>`}
${notes.done === undefined ? undefined : html`<p class="note" role="status">${notes.done}</p>`}
${notes.confirm === undefined ? undefined : bankQuestion(view, notes.confirm, action)}
${view.subscriptions.length === 0 ? html`<p>There is no subscription that runs.</p>` : undefined}
${view.subscriptions.map((entry, index) => panel(entry, view, index === 0 ? notes : {}, action))}
${view.invoices.length === 0 ? undefined : invoiceList(view.invoices)}`;
}

function bankQuestion(view: PortalView, asked: NonNullable<Notes['confirm']>, action: string): Html {
  return html`<section class="panel"><h2>Confirm with your bank</h2>
<p>Your bank asks you to confirm the payment for the ${asked.name}. This page stands in for the bank.</p>
<form method="post" action="${action}" class="actions">
${hiddenFields(view, asked.subscription)}<input type="hidden" name="action" value="plan"><input type="hidden" name="price" value="${asked.price}">
<button class="button signal" name="answer" value="complete">Complete</button>
<button class="button quiet" name="answer" value="fail">Fail</button>
</form></section>`;
}

function hiddenFields(view: PortalView, subscription: string): Html {
  return html`<input type="hidden" name="token" value="${view.token}"><input type="hidden" name="subscription" value="${subscription}">`;
}

function panel(entry: SubscriptionView, view: PortalView, notes: Notes, action: string): Html {
  const { subscription } = entry;
  const item = itemOf(subscription);
  const ends = subscription.cancel_at_period_end;
  const flow = view.session.flow?.type;
  const hidden = hiddenFields(view, subscription.id);
  const cardOpen =
    flow === 'payment_method_update' || notes.errors !== undefined || notes.entered !== undefined;
  return html`<section class="panel">
<h2>${String(item.price.nickname)}</h2>
<dl class="facts">
<dt>Status</dt><dd>${STATUS_WORDS[subscription.status] ?? subscription.status}</dd>
<dt>Price</dt><dd>${priceWords(item.price)} per month</dd>
<dt>${ends ? 'Ends on' : 'Next payment'}</dt><dd>${day(item.current_period_end)}</dd>
${entry.next === undefined ? undefined : html`<dt>From then on</dt><dd>${entry.next}</dd>`}
<dt>Card</dt><dd>${entry.card ?? 'none'}</dd>
</dl>
<form method="post" action="${action}">${hidden}
${
  ends || entry.next !== undefined
    ? html`<button class="button signal" name="action" value="resume">${ends ? 'Resume the subscription' : 'Keep the plan as it is'}</button>`
    : html`<button class="button quiet" name="action" value="cancel">Cancel at the end of the period</button>`
}
</form>
<details${cardOpen ? html` open` : undefined}><summary>Change the card</summary>
<form method="post" action="${action}" novalidate>${hidden}
${cardFields(notes.entered ?? {}, notes.errors ?? {}, { fixedEmail: view.email })}
<p class="actions"><button class="button" name="action" value="card">Save the card</button></p>
</form>
${testCards()}
</details>
<details${flow?.startsWith('subscription_update') ? html` open` : undefined}><summary>Change the plan</summary>
${choicesOf(entry, view).map(
  (
    price,
  ) => html`<form method="post" action="${action}">${hidden}<input type="hidden" name="price" value="${price.id}">
<p class="actions"><button class="button" name="action" value="plan">${String(price.nickname)}, ${priceWords(price)} per month</button></p></form>`,
)}
</details>
</section>`;
}

const priceWords = ({ unit_amount: amount, currency }: ProviderObject): string =>
  formatMoney(Number(amount), String(currency));

/** All choices, or the one that the site asks the customer to confirm. */
function choicesOf(entry: SubscriptionView, view: PortalView): readonly ProviderObject[] {
  const asked = view.session.flow?.subscription_update_confirm?.items[0]?.price;
  return asked === undefined ? entry.choices : entry.choices.filter(({ id }) => id === asked);
}

function invoiceList(invoices: readonly InvoiceObject[]): Html {
  return html`<section class="panel"><h2>Invoices</h2><ul class="stops">
${invoices.map(
  (invoice) =>
    html`<li><a href="${new URL(String(invoice.invoice_pdf)).pathname}">${String(invoice.number)}</a>, ${day(Number(invoice.created))}, ${formatMoney(invoice.total, invoice.currency)}, ${INVOICE_WORDS[invoice.status] ?? invoice.status}</li>`,
)}
</ul></section>`;
}

function day(seconds: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' }).format(
    seconds * 1000,
  );
}
