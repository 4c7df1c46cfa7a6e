import type { FastifyInstance, FastifyReply } from 'fastify';
import { formatPence } from '../../../contract/formats.ts';
import { findPlan, type Plan } from '../../../contract/plans.ts';
import type { Resources } from '../../../resources/resources.ts';
import { cardFields, cardFormOf, testCards } from './card-fields.server.ts';
import { completeCheckout, type PendingPayment } from './complete-checkout.server.ts';
import { type Html, html, readForm, sendNotice, sendPage } from './frame-page.server.ts';
import { providerNow } from './keep-clock.server.ts';
import {
  changeAt,
  findObject,
  lockObject,
  type ProviderObject,
  replaceObject,
} from './provider-store.server.ts';
import { type CardErrors, type CardForm, DECLINES, readCard } from './test-cards.server.ts';

const NOT_CONFIRMED = 'The payment was not confirmed with your bank. Please try again or use another card.';

/**
 * The card page of a checkout session, as plain forms: GET shows it, POST pays. The address
 * holds 256 random bits and no cookie is used, so no other site can send these forms.
 */
export function servePayPage(scope: FastifyInstance, resources: Resources, base: string): void {
  const { database, settings } = resources;
  const frame = { brand: settings.BRAND, assets: `${base}/assets` };
  type Params = { Params: { session: string } };

  scope.get<Params>('/pay/:session', async (request, reply) => {
    const open = await openSession(reply, request.params.session);
    return open === undefined ? reply : showCardPage(reply, open, {}, {}, undefined);
  });

  scope.post<Params>('/pay/:session', async (request, reply) => {
    const open = await openSession(reply, request.params.session);
    if (open === undefined) return reply;
    const form = readForm(request.body);
    const known = await knownEmail(open);
    const entered = { ...cardFormOf(form), ...(known === undefined ? {} : { email: known }) };
    const outcome = readCard(entered, new Date((await providerNow(database)) * 1000));
    if ('errors' in outcome)
      return showCardPage(reply.code(422), open, entered, outcome.errors, undefined, 422);
    const { behaviour } = outcome.card;
    const decline = behaviour === 'fails_later' ? undefined : DECLINES[behaviour];
    if (decline !== undefined)
      return showCardPage(reply, open, entered, {}, `${decline.message} Please try another card.`, 402);
    const payment: PendingPayment = { card: outcome.card, email: entered.email, name: entered.name };
    if (behaviour === 'authentication' || behaviour === 'always_authentication') {
      await keepPending(open.id, payment);
      return reply.redirect(`${base}/pay/${open.id}/confirm`, 303);
    }
    return pay(reply, open.id, payment);
  });

  scope.get<Params>('/pay/:session/confirm', async (request, reply) => {
    const open = await openSession(reply, request.params.session);
    if (open === undefined) return reply;
    if ((await pendingOf(open.id)) === undefined) return reply.redirect(`${base}/pay/${open.id}`, 303);
    return sendPage(reply, {
      ...frame,
      title: 'Confirm the payment',
      board: board(open),
      formTargets: targetsOf(open),
      main: html`<h1>Confirm with your bank</h1>
<p>Your bank asks you to confirm this payment of <strong>${price(open)}</strong>. This page stands in for the bank.</p>
<form method="post" action="${base}/pay/${open.id}/confirm" class="actions">
<button class="button signal" name="answer" value="complete">Complete</button>
<button class="button quiet" name="answer" value="fail">Fail</button>
</form>`,
    });
  });

  scope.post<Params>('/pay/:session/confirm', async (request, reply) => {
    const open = await openSession(reply, request.params.session);
    if (open === undefined) return reply;
    const payment = await pendingOf(open.id);
    if (payment === undefined) return reply.redirect(`${base}/pay/${open.id}`, 303);
    if (readForm(request.body).get('answer') === 'complete') return pay(reply, open.id, payment);
    await keepPending(open.id, undefined);
    return showCardPage(reply, open, { email: payment.email, name: payment.name }, {}, NOT_CONFIRMED, 402);
  });

  async function openSession(reply: FastifyReply, id: string): Promise<ProviderObject | undefined> {
    const session = await findObject(database, 'checkout.session', id);
    if (session === undefined) {
      sendNotice(reply, frame, {
        status: 404,
        title: 'Page not found',
        text: 'There is no payment at this address. Please start again from the site.',
      });
      return undefined;
    }
    if (session.status === 'complete') {
      const to = String(session.success_url).replaceAll('{CHECKOUT_SESSION_ID}', session.id);
      reply.redirect(to, 303);
      return undefined;
    }
    if (session.status !== 'open' || Number(session.expires_at) <= (await providerNow(database))) {
      sendNotice(reply, frame, {
        status: 410,
        title: 'This page has expired',
        text: 'Nothing was charged. Please choose a plan again.',
        back: String(session.cancel_url),
      });
      return undefined;
    }
    return session;
  }

  async function pay(reply: FastifyReply, id: string, payment: PendingPayment): Promise<FastifyReply> {
    const to = await database.transaction(async (queries) =>
      completeCheckout(changeAt(resources, queries, await providerNow(queries)), id, payment),
    );
    if (to !== undefined) return reply.redirect(to, 303);
    await openSession(reply, id);
    return reply;
  }

  async function showCardPage(
    reply: FastifyReply,
    session: ProviderObject,
    entered: Partial<CardForm>,
    errors: CardErrors,
    reason: string | undefined,
    status = 200,
  ): Promise<FastifyReply> {
    const fixedEmail = await knownEmail(session);
    const summary = Object.keys(errors).length > 0 ? 'Please check the fields marked below.' : reason;
    return sendPage(reply, {
      ...frame,
      status,
      title: summary === undefined ? 'Pay by card' : 'Not paid yet',
      board: board(session),
      formTargets: targetsOf(session),
      main: html`<h1>Pay by card</h1>
${summary === undefined ? undefined : html`<p class="alert" role="alert">${summary}</p>`}
<form method="post" action="${base}/pay/${session.id}" novalidate>
${cardFields(entered, errors, { fixedEmail })}
<p class="actions"><button class="button signal">Subscribe</button>
<a class="button quiet" href="${String(session.cancel_url)}">Cancel</a></p>
</form>
<p class="small">You will be charged ${price(session)} now and each month until you cancel.</p>
${testCards()}`,
    });
  }

  /** A customer whom the site named pays under the address that it gave. */
  async function knownEmail(session: ProviderObject): Promise<string | undefined> {
    if (typeof session.customer !== 'string') return undefined;
    const customer = await findObject(database, 'customer', session.customer);
    return typeof customer?.email === 'string' ? customer.email : undefined;
  }

  async function keepPending(id: string, payment: PendingPayment | undefined): Promise<void> {
    await database.transaction(async (queries) => {
      const locked = await lockObject(queries, 'checkout.session', id);
      if (locked?.data.status !== 'open') return;
      const { pending: _before, ...hidden } = locked.hidden;
      await replaceObject(
        queries,
        locked.data,
        payment === undefined ? hidden : { ...hidden, pending: payment },
      );
    });
  }

  async function pendingOf(id: string): Promise<PendingPayment | undefined> {
    const row = await database.maybe<{ pending: PendingPayment | null }>(
      "select hidden -> 'pending' as pending from private.provider_objects where id = $1",
      [id],
    );
    return row?.pending ?? undefined;
  }
}

function planOf(session: ProviderObject): Plan | undefined {
  return findPlan(String((session.metadata as Record<string, string>).price_id));
}

function price(session: ProviderObject): string {
  return formatPence(Number(session.amount_total));
}

function board(session: ProviderObject): Html {
  const plan = planOf(session);
  const features = (plan?.features ?? []).map((feature) => html`<li>${feature}</li>`);
  return html`<p class="board-kicker">Subscribe to</p>
<h2>${plan?.name ?? 'Subscription'}</h2>
<p class="amount"><span class="figure">${price(session)}</span> per month</p>
<ul class="stops">${features}</ul>
<p class="board-note">Billed monthly. Cancel at any time from your dashboard.</p>`;
}

function targetsOf(session: ProviderObject): string[] {
  return [String(session.success_url), String(session.cancel_url)].map((url) => new URL(url).origin);
}
