import type { FastifyInstance, FastifyReply } from 'fastify';
import { releaseSchedule, scheduleOf, setPhases } from '../ledger/schedule-changes.ts';
import { changeCard, changePrice, openInvoices, updateSubscription } from '../ledger/subscription-cycles.ts';
import { DECLINES, readCard } from '../ledger/test-cards.ts';
import { itemOf, type SubscriptionObject } from '../object-shapes.ts';
import { atCustomersTime, providerNow } from '../provider-clock.ts';
import type { PageHost } from '../provider-host.ts';
import {
  type Change,
  changeAt,
  EMULATOR_PATH,
  lockObject,
  type ProviderObject,
  providerId,
  replaceObject,
} from '../provider-store.ts';
import type { Queries } from '../queries.ts';
import { cardFormOf } from './card-fields.ts';
import { frameOf, readForm, sendNotice, sendPage } from './page-frame.ts';
import {
  type Notes,
  offeredPrices,
  type PortalView,
  portalBoard,
  portalMain,
  readPortalView,
} from './portal-view.ts';

const PORTAL_SECONDS = 3600;
const STALE = 'This page was out of date, so nothing was changed. Please try again.';

/** Thrown to roll back a change, with the answer to show. */
class Refused extends Error {
  readonly notes: Notes;
  constructor(notes: Notes) {
    super('the change was refused');
    this.notes = notes;
  }
}

/**
 * The billing portal, with plain forms: cancel at the end of the period, resume, change the card or the plan,
 * see the invoices. The address is the key (256 random bits, one hour), and each form has a token that works
 * once, so that a form that is sent twice or from an old page changes nothing.
 */
export function servePortalPage(scope: FastifyInstance, host: PageHost): void {
  const { database, seller, catalogue } = host;
  const frame = frameOf(seller);
  type Params = { Params: { session: string } };

  scope.get<Params>('/portal/:session', async (request, reply) => {
    const view = await viewOf(request.params.session);
    return view === undefined ? notFound(reply) : show(reply, view, {});
  });

  scope.post<Params>('/portal/:session', async (request, reply) => {
    const form = readForm(request.body);
    const { session } = request.params;
    const notes = await database
      .transaction((queries) => act(queries, session, form))
      .catch((error: unknown) => {
        if (error instanceof Refused) return error.notes;
        throw error;
      });
    const view = await viewOf(session);
    if (view === undefined || notes === undefined) return notFound(reply);
    const to = view.session.flow?.after_completion?.redirect?.return_url;
    if (notes.done !== undefined && to !== undefined) return reply.redirect(to, 303);
    return show(reply, view, notes);
  });

  function notFound(reply: FastifyReply): FastifyReply {
    return sendNotice(reply, frame, {
      status: 404,
      title: 'This page has expired',
      text: 'Please open your billing page again from the dashboard.',
    });
  }

  function viewOf(id: string): Promise<PortalView | undefined> {
    return database.transaction(async (queries) => {
      const view = await readPortalView({ queries, catalogue }, id);
      return view === undefined || (await isOver(queries, view.session)) ? undefined : view;
    });
  }

  async function act(queries: Queries, id: string, form: Map<string, string>): Promise<Notes | undefined> {
    const locked = await lockObject(queries, 'billing_portal.session', id);
    if (locked === undefined || (await isOver(queries, locked.data))) return undefined;
    if (form.get('token') !== locked.hidden.form_token) return { problem: STALE };
    await replaceObject(queries, locked.data, { ...locked.hidden, form_token: providerId('form') });
    const found = await lockObject(queries, 'subscription', form.get('subscription') ?? '');
    const subscription = found?.data as SubscriptionObject | undefined;
    if (
      subscription === undefined ||
      subscription.customer !== locked.data.customer ||
      subscription.status === 'canceled'
    ) {
      return { problem: STALE };
    }
    const general = changeAt(host, queries, await providerNow(queries));
    return apply(await atCustomersTime(general, subscription.customer), subscription, form);
  }

  function show(reply: FastifyReply, view: PortalView, notes: Notes): FastifyReply {
    return sendPage(reply, {
      ...frame,
      status: notes.problem === undefined ? 200 : 422,
      title: 'Your subscription',
      formTargets: [new URL(view.session.return_url).origin],
      board: portalBoard(view, seller.brand),
      main: portalMain(view, notes, `${EMULATOR_PATH}/portal/${view.session.id}`),
    });
  }
}

async function apply(
  change: Change,
  subscription: SubscriptionObject,
  form: Map<string, string>,
): Promise<Notes> {
  switch (form.get('action')) {
    case 'cancel': {
      const free = await withoutSchedule(change, subscription);
      await updateSubscription(change, free, { cancel_at_period_end: true, canceled_at: change.now });
      return { done: 'Your subscription ends with the period that you have paid for.' };
    }
    case 'resume': {
      const free = await withoutSchedule(change, subscription);
      await updateSubscription(change, free, { cancel_at_period_end: false, canceled_at: null });
      return { done: 'Your subscription goes on.' };
    }
    case 'card':
      return saveCard(change, subscription, form);
    case 'plan':
      return changePlan(change, subscription, form);
    default:
      return { problem: STALE };
  }
}

async function saveCard(
  change: Change,
  subscription: SubscriptionObject,
  form: Map<string, string>,
): Promise<Notes> {
  const entered = cardFormOf(form);
  const outcome = readCard(entered, new Date(change.now * 1000));
  if ('errors' in outcome)
    return { entered, errors: outcome.errors, problem: 'Please check the fields marked below.' };
  const { behaviour } = outcome.card;
  const decline = behaviour === 'fails_later' ? undefined : DECLINES[behaviour];
  if (decline !== undefined) return { entered, problem: `${decline.message} Your old card is kept.` };
  await changeCard(change, subscription, outcome.card, entered.email);
  return { done: 'Your new card is saved.' };
}

/**
 * Changes the plan: to a more expensive one at once, charging the difference; to a cheaper one when the paid
 * period ends.
 */
async function changePlan(
  change: Change,
  subscription: SubscriptionObject,
  form: Map<string, string>,
): Promise<Notes> {
  const offered = await offeredPrices(change, subscription);
  const price = offered.find(({ id }) => id === form.get('price'));
  if (price === undefined) return { problem: STALE };
  if (form.get('answer') === 'fail')
    return { problem: 'The payment was not confirmed with your bank. Your plan is not changed.' };
  const name = String(price.nickname);
  if ((await openInvoices(change, subscription)).length > 0)
    return { problem: 'Please change your card first: a payment is due.' };
  const free = await goingOn(change, await withoutSchedule(change, subscription));
  const item = itemOf(free);
  if (Number(price.unit_amount) < Number(item.price.unit_amount)) {
    const schedule = await scheduleOf(change, free);
    const { current_period_start: start_date, current_period_end: end_date } = item;
    await setPhases(change, schedule, [
      { start_date, end_date, items: [{ price: String(item.price.id) }] },
      { items: [{ price: price.id }] },
    ]);
    return { done: `Your plan changes to the ${name} when the period that you have paid for ends.` };
  }
  const confirmed = form.get('answer') === 'complete';
  const { refusal } = await changePrice(change, free, price, {
    proration: 'always_invoice',
    at: change.now,
    confirmed,
  });
  if (refusal?.code === 'authentication_required')
    throw new Refused({ confirm: { subscription: subscription.id, price: price.id, name } });
  if (refusal !== undefined) throw new Refused({ problem: `${refusal.message} Your plan is not changed.` });
  return { done: `You have the ${name} now.` };
}

/** A customer who chooses another plan wants to stay, so a pending cancellation is removed. */
async function goingOn(change: Change, subscription: SubscriptionObject): Promise<SubscriptionObject> {
  return subscription.cancel_at_period_end
    ? updateSubscription(change, subscription, { cancel_at_period_end: false, canceled_at: null })
    : subscription;
}

async function withoutSchedule(
  change: Change,
  subscription: SubscriptionObject,
): Promise<SubscriptionObject> {
  if (subscription.schedule == null) return subscription;
  const schedule = await lockObject(change.queries, 'subscription_schedule', subscription.schedule);
  if (schedule !== undefined) await releaseSchedule(change, schedule.data);
  return { ...subscription, schedule: null };
}

async function isOver(queries: Queries, session: ProviderObject): Promise<boolean> {
  return Number(session.created) + PORTAL_SECONDS <= (await providerNow(queries));
}
