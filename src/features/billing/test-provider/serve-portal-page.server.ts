import type { FastifyInstance, FastifyReply } from 'fastify';
import { formatPence } from '../../../contract/formats.ts';
import type { Queries } from '../../../resources/database/database.ts';
import type { Resources } from '../../../resources/resources.ts';
import { itemOf, type SubscriptionObject } from './build-objects.server.ts';
import { cardFields, cardFormOf, testCards } from './card-fields.server.ts';
import { type Html, html, readForm, sendNotice, sendPage } from './frame-page.server.ts';
import {
  findObject,
  listObjects,
  lockObject,
  nowSeconds,
  type ProviderObject,
  providerId,
  replaceObject,
} from './provider-store.server.ts';
import { changeCard, updateSubscription } from './run-subscriptions.server.ts';
import { type CardErrors, type CardForm, readCard } from './test-cards.server.ts';

const PORTAL_SECONDS = 3600;
const STALE = 'This page was out of date, so nothing was changed. Please try again.';
const DECLINED = 'Your card was declined. Your old card is kept.';
const STATUS_WORDS: Record<string, string> = {
  active: 'Active',
  trialing: 'Trial',
  past_due: 'Payment due',
  canceled: 'Cancelled',
};

interface View {
  readonly session: ProviderObject;
  readonly email: string | undefined;
  readonly subscriptions: readonly SubscriptionObject[];
  readonly card: string | undefined;
  readonly token: string;
}

interface Notes {
  readonly done?: string;
  readonly problem?: string;
  readonly entered?: Partial<CardForm>;
  readonly errors?: CardErrors;
}

/**
 * The billing portal: cancel at the period's end, resume, change the card, as plain forms.
 * The address is the key (256 random bits, one hour) and each form carries a token that
 * works once, so a form sent twice or from an old page changes nothing.
 */
export function servePortalPage(scope: FastifyInstance, resources: Resources, base: string): void {
  const { database, jobs, settings } = resources;
  const frame = { brand: settings.BRAND, assets: `${base}/assets` };
  type Params = { Params: { session: string } };

  scope.get<Params>('/portal/:session', async (request, reply) => {
    const view = await database.transaction((queries) => viewOf(queries, request.params.session));
    return view === undefined ? notFound(reply) : show(reply, view, {});
  });

  scope.post<Params>('/portal/:session', async (request, reply) => {
    const form = readForm(request.body);
    const outcome = await database.transaction(async (queries) => {
      const notes = await act(queries, request.params.session, form);
      const view = await viewOf(queries, request.params.session);
      return view === undefined || notes === undefined ? undefined : { view, notes };
    });
    return outcome === undefined ? notFound(reply) : show(reply, outcome.view, outcome.notes);
  });

  function notFound(reply: FastifyReply): FastifyReply {
    return sendNotice(reply, frame, {
      status: 404,
      title: 'This page has expired',
      text: 'Please open your billing page again from the dashboard.',
    });
  }

  async function act(queries: Queries, id: string, form: Map<string, string>): Promise<Notes | undefined> {
    const locked = await lockObject(queries, 'billing_portal.session', id);
    if (locked === undefined || isOver(locked.data)) return undefined;
    if (form.get('token') !== locked.hidden.form_token) return { problem: STALE };
    await replaceObject(queries, locked.data, { ...locked.hidden, form_token: providerId('form') });
    const change = { queries, jobs, now: nowSeconds() };
    const found = await lockObject(queries, 'subscription', form.get('subscription') ?? '');
    const subscription = found?.data as SubscriptionObject | undefined;
    if (
      subscription === undefined ||
      subscription.customer !== locked.data.customer ||
      subscription.status === 'canceled'
    ) {
      return { problem: STALE };
    }
    switch (form.get('action')) {
      case 'cancel':
        await updateSubscription(change, subscription, {
          cancel_at_period_end: true,
          canceled_at: change.now,
        });
        return { done: 'Your subscription ends with the period that you have paid for.' };
      case 'resume':
        await updateSubscription(change, subscription, { cancel_at_period_end: false, canceled_at: null });
        return { done: 'Your subscription goes on.' };
      case 'card': {
        const entered = cardFormOf(form);
        const outcome = readCard(entered, new Date());
        if ('errors' in outcome)
          return { entered, errors: outcome.errors, problem: 'Please check the fields marked below.' };
        if (outcome.card.behaviour === 'declined') return { entered, problem: DECLINED };
        await changeCard(change, subscription, outcome.card, entered.email);
        return { done: 'Your new card is saved.' };
      }
      default:
        return { problem: STALE };
    }
  }

  function show(reply: FastifyReply, view: View, notes: Notes): FastifyReply {
    const action = `${base}/portal/${view.session.id}`;
    return sendPage(reply, {
      ...frame,
      status: notes.problem === undefined ? 200 : 422,
      title: 'Your subscription',
      formTargets: [new URL(String(view.session.return_url)).origin],
      board: html`<p class="board-kicker">Billing of</p><h2>${view.email ?? 'your account'}</h2>
<p><a class="button quiet" href="${String(view.session.return_url)}">Return to ${settings.BRAND}</a></p>`,
      main: html`<h1>Your subscription</h1>
${notes.problem === undefined ? undefined : html`<p class="alert" role="alert">${notes.problem}</p>`}
${notes.done === undefined ? undefined : html`<p class="note" role="status">${notes.done}</p>`}
${view.subscriptions.length === 0 ? html`<p>There is no subscription that runs.</p>` : undefined}
${view.subscriptions.map((subscription, index) => panel(subscription, view, index === 0 ? notes : {}, action))}`,
    });
  }
}

function panel(subscription: SubscriptionObject, view: View, notes: Notes, action: string): Html {
  const item = itemOf(subscription);
  const ends = subscription.cancel_at_period_end;
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' }).format(
    item.current_period_end * 1000,
  );
  const hidden = html`<input type="hidden" name="token" value="${view.token}"><input type="hidden" name="subscription" value="${subscription.id}">`;
  return html`<section class="panel">
<h2>${String(item.price.nickname)}</h2>
<dl class="facts">
<dt>Status</dt><dd>${STATUS_WORDS[subscription.status] ?? subscription.status}</dd>
<dt>Price</dt><dd>${formatPence(Number(item.price.unit_amount))} per month</dd>
<dt>${ends ? 'Ends on' : 'Next payment'}</dt><dd>${day}</dd>
<dt>Card</dt><dd>${view.card ?? 'none'}</dd>
</dl>
<form method="post" action="${action}">${hidden}
${
  ends
    ? html`<button class="button signal" name="action" value="resume">Resume the subscription</button>`
    : html`<button class="button quiet" name="action" value="cancel">Cancel at the end of the period</button>`
}
</form>
<details${notes.errors === undefined && notes.entered === undefined ? undefined : html` open`}><summary>Change the card</summary>
<form method="post" action="${action}" novalidate>${hidden}
${cardFields(notes.entered ?? {}, notes.errors ?? {}, { fixedEmail: view.email })}
<p class="actions"><button class="button" name="action" value="card">Save the card</button></p>
</form>
${testCards()}
</details>
</section>`;
}

async function viewOf(queries: Queries, id: string): Promise<View | undefined> {
  const locked = await lockObject(queries, 'billing_portal.session', id);
  if (locked === undefined || isOver(locked.data)) return undefined;
  const customer = String(locked.data.customer);
  const owner = await findObject(queries, 'customer', customer);
  const all = (await listObjects(queries, 'subscription', { customer, limit: 100 })) as SubscriptionObject[];
  const subscriptions = all.filter((subscription) => subscription.status !== 'canceled');
  const method = await findObject(queries, 'payment_method', subscriptions[0]?.default_payment_method ?? '');
  const card = method?.card as { brand: string; last4: string } | undefined;
  return {
    session: locked.data,
    email: typeof owner?.email === 'string' ? owner.email : undefined,
    subscriptions,
    card:
      card === undefined
        ? undefined
        : `${card.brand === 'visa' ? 'Visa' : card.brand} ending in ${card.last4}`,
    token: String(locked.hidden.form_token),
  };
}

function isOver(session: ProviderObject): boolean {
  return Number(session.created) + PORTAL_SECONDS <= nowSeconds();
}
