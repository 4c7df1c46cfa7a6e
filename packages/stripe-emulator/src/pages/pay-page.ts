import { formatMoney } from '@northline/vat/money';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { completeCheckout, type PendingPayment } from '../ledger/checkout-completion.ts';
import type { BilledParty } from '../ledger/customer-vat.ts';
import { type CardErrors, type CardForm, DECLINES, readCard } from '../ledger/test-cards.ts';
import { providerNow } from '../provider-clock.ts';
import type { PageHost } from '../provider-host.ts';
import {
  changeAt,
  EMULATOR_PATH,
  findObject,
  listObjects,
  lockObject,
  type ProviderObject,
  replaceObject,
} from '../provider-store.ts';
import { cardFields, cardFormOf, testCards } from './card-fields.ts';
import { type Frame, frameOf, type Html, html, readForm, sendNotice, sendPage } from './page-frame.ts';
import { type PartyErrors, partyFields, readParty } from './party-fields.ts';

const NOT_CONFIRMED = 'The payment was not confirmed with your bank. Please try again or use another card.';

/** What the handlers of one checkout page share. */
interface PayPage {
  readonly host: PageHost;
  readonly frame: Frame;
}

/** The card form that is shown again, and the reason. */
interface CardPageState {
  readonly entered?: Partial<CardForm>;
  readonly errors?: CardErrors;
  readonly party?: BilledParty;
  readonly partyErrors?: PartyErrors;
  readonly reason?: string;
  readonly status?: number;
}

type SessionRequest = FastifyRequest<{ Params: { session: string } }>;

/**
 * The card page of a checkout session, with plain forms: GET shows it, POST pays. The address contains 256
 * random bits and no cookie is used, so that no other site can send these forms.
 */
export function servePayPage(scope: FastifyInstance, host: PageHost): void {
  const page: PayPage = {
    host,
    frame: frameOf(host.seller),
  };
  const serve = (
    method: 'GET' | 'POST',
    path: string,
    answer: (
      page: PayPage,
      reply: FastifyReply,
      session: ProviderObject,
      body: unknown,
    ) => Promise<FastifyReply>,
  ): void => {
    scope.route({
      method,
      url: path,
      handler: async (request, reply) => {
        const open = await openSession(page, reply, (request as SessionRequest).params.session);
        return open === undefined ? reply : answer(page, reply, open, request.body);
      },
    });
  };
  serve('GET', '/pay/:session', (_page, reply, session) => showCardPage(page, reply, session, {}));
  serve('POST', '/pay/:session', takeCard);
  serve('GET', '/pay/:session/confirm', showConfirmation);
  serve('POST', '/pay/:session/confirm', takeConfirmation);
}

async function takeCard(
  page: PayPage,
  reply: FastifyReply,
  session: ProviderObject,
  body: unknown,
): Promise<FastifyReply> {
  const { database } = page.host;
  const known = await knownEmail(page, session);
  const form = readForm(body);
  const entered = { ...cardFormOf(form), ...(known === undefined ? {} : { email: known }) };
  const outcome = readCard(entered, new Date((await providerNow(database)) * 1000));
  const { party, errors: partyErrors } = isTaxed(session) ? readParty(form) : NO_PARTY;
  const again = { entered, ...(party && { party }) };
  if ('errors' in outcome || Object.keys(partyErrors).length > 0) {
    const errors = 'errors' in outcome ? outcome.errors : {};
    return showCardPage(page, reply, session, { ...again, errors, partyErrors, status: 422 });
  }
  const { behaviour } = outcome.card;
  const decline = behaviour === 'fails_later' ? undefined : DECLINES[behaviour];
  if (decline !== undefined) {
    const reason = `${decline.message} Please try another card.`;
    return showCardPage(page, reply, session, { ...again, reason, status: 402 });
  }
  const { email, name } = entered;
  const payment: PendingPayment = { card: outcome.card, email, name, ...(party && { party }) };
  if (behaviour === 'authentication' || behaviour === 'always_authentication') {
    await setPendingPayment(page, session.id, payment);
    return reply.redirect(`${EMULATOR_PATH}/pay/${session.id}/confirm`, 303);
  }
  return pay(page, reply, session.id, payment);
}

async function showConfirmation(
  page: PayPage,
  reply: FastifyReply,
  session: ProviderObject,
): Promise<FastifyReply> {
  const { frame } = page;
  if ((await pendingPayment(page, session.id)) === undefined) {
    return reply.redirect(`${EMULATOR_PATH}/pay/${session.id}`, 303);
  }
  return sendPage(reply, {
    ...frame,
    title: 'Confirm the payment',
    board: board(page, session),
    formTargets: targetsOf(session),
    main: html`<h1>Confirm with your bank</h1>
<p>Your bank asks you to confirm this payment of <strong>${price(session)}</strong>. This page stands in for the bank.</p>
<form method="post" action="${EMULATOR_PATH}/pay/${session.id}/confirm" class="actions">
<button class="button signal" name="answer" value="complete">Complete</button>
<button class="button quiet" name="answer" value="fail">Fail</button>
</form>`,
  });
}

async function takeConfirmation(
  page: PayPage,
  reply: FastifyReply,
  session: ProviderObject,
  body: unknown,
): Promise<FastifyReply> {
  const payment = await pendingPayment(page, session.id);
  if (payment === undefined) return reply.redirect(`${EMULATOR_PATH}/pay/${session.id}`, 303);
  if (readForm(body).get('answer') === 'complete') return pay(page, reply, session.id, payment);
  await setPendingPayment(page, session.id, undefined);
  const { email, name, party } = payment;
  const entered = { email, name };
  return showCardPage(page, reply, session, {
    entered,
    ...(party && { party }),
    reason: NOT_CONFIRMED,
    status: 402,
  });
}

/** The session while it can be paid; otherwise undefined, and an answer has been sent. */
async function openSession(
  { host, frame }: PayPage,
  reply: FastifyReply,
  id: string,
): Promise<ProviderObject | undefined> {
  const session = await findObject(host.database, 'checkout.session', id);
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
  if (session.status !== 'open' || Number(session.expires_at) <= (await providerNow(host.database))) {
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

async function pay(
  page: PayPage,
  reply: FastifyReply,
  id: string,
  payment: PendingPayment,
): Promise<FastifyReply> {
  const { host } = page;
  const to = await host.database.transaction(async (queries) =>
    completeCheckout(changeAt(host, queries, await providerNow(queries)), id, payment),
  );
  if (to !== undefined) return reply.redirect(to, 303);
  // The session was paid or has expired meanwhile; its page shows the result.
  await openSession(page, reply, id);
  return reply;
}

async function showCardPage(
  page: PayPage,
  reply: FastifyReply,
  session: ProviderObject,
  { entered = {}, errors = {}, party, partyErrors = {}, reason, status = 200 }: CardPageState,
): Promise<FastifyReply> {
  const fixedEmail = await knownEmail(page, session);
  const isWrong = Object.keys(errors).length + Object.keys(partyErrors).length > 0;
  const billed = isTaxed(session)
    ? partyFields(party ?? (await knownParty(page, session)), partyErrors)
    : undefined;
  const summary = isWrong ? 'Please check the fields marked below.' : reason;
  return sendPage(reply, {
    ...page.frame,
    status,
    title: summary === undefined ? 'Pay by card' : 'Not paid yet',
    board: board(page, session),
    formTargets: targetsOf(session),
    main: html`<h1>Pay by card</h1>
${summary === undefined ? undefined : html`<p class="alert" role="alert">${summary}</p>`}
<form method="post" action="${EMULATOR_PATH}/pay/${session.id}" novalidate>
${cardFields(entered, errors, { fixedEmail })}
${billed}
<p class="actions"><button class="button signal">${isOnce(session) ? 'Pay' : 'Subscribe'}</button>
<a class="button quiet" href="${String(session.cancel_url)}">Cancel</a></p>
</form>
<p class="small">You will be charged ${price(session)} now${isOnce(session) ? ', once' : ' and each month until you cancel'}.${billed === undefined ? undefined : ' VAT is included where it is due.'}</p>
${testCards()}`,
  });
}

/** The e-mail address of a customer whom the site named; that customer pays under it. */
async function knownEmail({ host }: PayPage, session: ProviderObject): Promise<string | undefined> {
  if (typeof session.customer !== 'string') return undefined;
  const customer = await findObject(host.database, 'customer', session.customer);
  return typeof customer?.email === 'string' ? customer.email : undefined;
}

/** The customer's stored country and VAT number. */
async function knownParty({ host }: PayPage, session: ProviderObject): Promise<BilledParty> {
  if (typeof session.customer !== 'string') return { country: '', vatNumber: '' };
  const { database } = host;
  const customer = await findObject(database, 'customer', session.customer);
  const [vat] = await listObjects(database, 'tax_id', { customer: session.customer, limit: 1 });
  const { country } = (customer?.address ?? {}) as { country?: string };
  return { country: country ?? '', vatNumber: typeof vat?.value === 'string' ? vat.value : '' };
}

async function setPendingPayment(
  { host }: PayPage,
  id: string,
  payment: PendingPayment | undefined,
): Promise<void> {
  await host.database.transaction(async (queries) => {
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

async function pendingPayment({ host }: PayPage, id: string): Promise<PendingPayment | undefined> {
  const row = await host.database.maybe(
    "select hidden -> 'pending' as pending from private.provider_objects where id = $1",
    [id],
  );
  return (row?.pending as PendingPayment | null | undefined) ?? undefined;
}

function price(session: ProviderObject): string {
  return formatMoney(Number(session.amount_total), String(session.currency));
}

const NO_PARTY = { party: undefined, errors: {} };

/** Whether VAT is calculated for the session. */
const isTaxed = ({ automatic_tax: tax }: ProviderObject): boolean =>
  (tax as { enabled?: boolean } | undefined)?.enabled === true;

/** Whether it is a single sale and not a monthly plan. */
const isOnce = (session: ProviderObject): boolean => session.mode === 'payment';

function board({ host }: PayPage, session: ProviderObject): Html {
  if (isOnce(session)) {
    return html`<p class="board-kicker">Pay once for</p>
<h2>${(session.metadata as Record<string, string>).name ?? 'Your order'}</h2>
<p class="amount"><span class="figure">${price(session)}</span></p>`;
  }
  const plan = host.catalogue.find(String((session.metadata as Record<string, string>).price_id));
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
