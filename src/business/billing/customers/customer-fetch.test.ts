import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createCustomer } from '../../../../tests/support/customers/uploading-customer.ts';
import {
  type StripeAnswers,
  StripeRefusal,
  type StripeRoutes,
  startStripeAnswers,
  stripeList,
} from '../../../../tests/support/servers/stripe-answers.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { Catalogue, type Plan } from '../../../kernel/contract/plans.ts';
import { createOutboundHttp } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import { openPayments, type Payments } from '../payments.server.ts';
import { syncPrices } from '../price-sync.server.ts';
import { fetchInvoicePdf } from '../subscription/invoice-download.server.ts';
import { changePlan } from '../subscription/plan-change.server.ts';
import { lapseDueCredits } from './credit-expiry.server.ts';
import { fetchCustomer, grantOf } from './customer-fetch.server.ts';
import { reconcileAtNight, reconcileCustomers } from './customer-reconciliation.server.ts';
import { endDeletedCustomers } from './customer-removal.server.ts';

const lines: string[] = [];
let saidAtStart = '';
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    settings: { LOG_LEVEL: 'info', SITE_URL: 'https://shop.example', TEST_PAYMENTS: 'true' },
    logTo: { write: (line: string) => void lines.push(line) },
  });
  saidAtStart = lines.join('');
});
afterAll(() => app.close());
beforeEach(() => {
  lines.length = 0;
});

async function stripe(routes: StripeRoutes): Promise<StripeAnswers> {
  const answers = await startStripeAnswers(app.resources, routes);
  onTestFinished(() => answers.close());
  return answers;
}

const customer = (id: string) => ({
  id,
  object: 'customer',
  livemode: false,
  balance: 0,
  invoice_settings: { default_payment_method: null },
});
const plans = new Catalogue();
const BASIC = plans.find('price_documents_basic') as Plan;
const PRO = plans.find('price_documents_pro') as Plan;
const SECONDS = 1_800_000_000;
const subscription = (more: object) => ({
  id: 'sub_1',
  object: 'subscription',
  livemode: false,
  status: 'active',
  cancel_at_period_end: false,
  created: SECONDS,
  default_payment_method: null,
  schedule: null,
  items: {
    data: [
      {
        id: 'si_1',
        price: { id: BASIC.priceId },
        current_period_start: SECONDS,
        current_period_end: SECONDS + 30 * 86_400,
      },
    ],
  },
  ...more,
});
const FAULT = new StripeRefusal(500, { type: 'api_error', message: 'Stripe is not well' });

test('a customer of another shop on the account gets no row here, and one that cannot be read is reported', async () => {
  const { payments } = await stripe({
    'GET /v1/customers': stripeList([customer('cus_well'), customer('cus_sick')]),
    'GET /v1/customers/cus_well': customer('cus_well'),
    'GET /v1/customers/cus_sick': FAULT,
    'GET /v1/subscriptions': stripeList([
      subscription({ items: { data: [{ id: 'si_1', price: { id: 'price_of_a_boat' } }] } }),
    ]),
    'GET /v1/invoices': stripeList([
      {
        id: 'in_boat',
        livemode: false,
        status: 'paid',
        parent: null,
        metadata: {},
        lines: {
          data: [
            {
              parent: { subscription_item_details: { proration: false } },
              pricing: { price_details: { price: 'price_of_a_boat' } },
              period: { start: SECONDS, end: SECONDS },
              amount: 100,
            },
          ],
        },
      },
    ]),
  });
  expect(await reconcileCustomers(app.resources, payments)).toEqual({
    customers: 2,
    subscriptions: 0,
    grants: 0,
    refunds: 0,
    underway: 0,
    failed: 1,
    balances: 0,
  });
  expect(lines.join()).toContain('a customer could not be reconciled');
  expect(lines.join()).toContain('cus_sick');
  expect(lines.join()).toContain('a subscription to a price that we do not sell is ignored');
  const rows = await app.resources.database.many('select 1 from private.payment_customers');
  expect(rows).toEqual([]);
});

test('a difference while an event of the customer still waits is early, and no drift', async () => {
  const { database } = app.resources;
  const { payments } = await stripe({
    'GET /v1/customers': stripeList([customer('cus_early')]),
    'GET /v1/customers/cus_early': customer('cus_early'),
    'GET /v1/subscriptions': stripeList([subscription({ id: 'sub_early' })]),
  });
  await database.run(
    "insert into private.payment_events (id, type, customer_id) values ('evt_early', 'invoice.paid', 'cus_early')",
  );
  expect(await reconcileCustomers(app.resources, payments)).toMatchObject({ underway: 1, subscriptions: 0 });
  await database.run("update private.payment_events set handled_at = now() where id = 'evt_early'");
  await database.run("update public.subscriptions set status = 'canceled'");
  expect(await reconcileCustomers(app.resources, payments)).toMatchObject({ underway: 0, subscriptions: 1 });
});

test('all processes together run the nightly round once a night, and the log has its result', async () => {
  const { database } = app.resources;
  const { payments } = await stripe({ 'GET /v1/customers/cus_early': FAULT });
  const forgotten = () =>
    database.run(
      `insert into private.installation (key, value) values ('billing reconciled at', (now() - interval '41 hours')::text)
       on conflict (key) do update set value = excluded.value`,
    );
  await forgotten();
  const both = await Promise.all([
    reconcileAtNight(app.resources, payments),
    reconcileAtNight(app.resources, payments),
  ]);
  expect(both.filter((outcome) => outcome !== undefined)).toMatchObject([{ failed: 1 }]);
  expect(lines.join()).toContain('billing had drifted');
  const well = await stripe({});
  await forgotten();
  expect(await reconcileAtNight(app.resources, well.payments)).toMatchObject({ failed: 0 });
  expect(lines.join()).toContain('billing equals the provider');
});

test('the round expires credits whose time is over, and leaves the others', async () => {
  const { database } = app.resources;
  const { payments } = await stripe({});
  const [over, runs] = [await createCustomer(app, 5), await createCustomer(app, 5)];
  const validFor = (id: string, seconds: number) =>
    database.run(
      `update private.credit_grants set valid_until = to_timestamp($2)
       where customer_row = (select id from public.customers where user_id = $1)`,
      [id, SECONDS + seconds],
    );
  await validFor(over.id, 0);
  await validFor(runs.id, 1);
  await lapseDueCredits(app.resources, { ...payments, now: async () => SECONDS });
  const { rows } = await database.one(
    'select array_agg(credits order by credits)::int[] as rows from public.customers where user_id in ($1, $2)',
    [over.id, runs.id],
  );
  expect(rows).toEqual([0, 5]);
});

test('an invoice that gives no credits is no grant', () => {
  expect(grantOf([])).toBeUndefined();
  const change = { proration: true, start: SECONDS, end: SECONDS };
  // A refund for a more expensive plan gives no negative credits.
  expect(grantOf([{ ...change, plan: PRO, amount: -4900 }])).toBeUndefined();
  expect(grantOf([{ ...change, plan: PRO, amount: PRO.pricePence }])).toMatchObject({
    credits: PRO.limits.creditsPerMonth,
  });
});

test('a deleted account leaves no open checkout at Stripe, even when one of them has just ended', async () => {
  const answers = await stripe({
    'GET /v1/checkout/sessions': stripeList([{ id: 'cs_gone' }, { id: 'cs_open' }]),
    'POST /v1/checkout/sessions/cs_open/expire': { id: 'cs_open', status: 'expired' },
    'GET /v1/subscriptions': stripeList([subscription({ id: 'sub_gone' })]),
  });
  const { database } = app.resources;
  await database.run("insert into private.customers_to_end (customer_id) values ('cus_gone')");
  await endDeletedCustomers(app.resources, answers.payments);
  expect(answers.asked.filter((what) => !what.startsWith('GET'))).toEqual([
    'POST /v1/checkout/sessions/cs_gone/expire',
    'POST /v1/checkout/sessions/cs_open/expire',
    'DELETE /v1/subscriptions/sub_gone',
  ]);
  const left = await database.many('select 1 from private.customers_to_end where done_at is null');
  expect(left).toEqual([]);
});

test('in a new Stripe account the first sync creates product and price, which are known from then on', async () => {
  const product = PRO.priceId.replace('price_', 'prod_');
  const answers = await stripe({
    'POST /v1/products': { id: product },
    'POST /v1/prices': { id: 'price_1New' },
  });
  const { payments } = answers;
  expect(await syncPrices(app.resources, payments, [PRO])).toEqual([
    {
      price_id: PRO.priceId,
      provider_price: 'price_1New',
      amount_pence: PRO.pricePence,
      currency: 'GBP',
      product: 'made',
      price: 'made',
    },
  ]);
  expect(answers.asked).toContain(`GET /v1/products/${product}`);
  expect(payments.prices.fromProvider('price_1New')).toEqual(PRO);
  expect(payments.prices.toProvider(PRO)).toBe('price_1New');
});

test('a stored price of a plan that no longer exists belongs to no plan', async () => {
  const { payments } = await stripe({});
  await app.resources.database.run(
    "insert into private.payment_prices (provider_price, price_id, amount, livemode, currency) values ('price_1Old', 'price_of_before', 100, false, 'gbp')",
  );
  await payments.prices.refresh(true);
  expect(payments.prices.fromProvider('price_1Old')).toBeUndefined();
  expect(payments.prices.fromProvider(BASIC.priceId)).toEqual(BASIC);
});

test('a change of plan that fails for another reason than the card does not blame the card', async () => {
  const held = { id: 'sub_1', customer: 'cus_1', plan: BASIC, status: 'active' };
  const change = async (routes: StripeRoutes) => {
    const { payments } = await stripe(routes);
    return changePlan(payments, held, PRO, await payments.now());
  };
  const refused = new StripeRefusal(400, { type: 'invalid_request_error', message: 'No such price' });
  await expect(
    change({ 'GET /v1/subscriptions/sub_1': subscription({}), 'POST /v1/subscriptions/sub_1': refused }),
  ).rejects.toMatchObject({ type: 'StripeInvalidRequestError', statusCode: 400 });
  const card = new StripeRefusal(402, {
    type: 'card_error',
    code: 'card_declined',
    message: 'Your card was declined.',
  });
  await expect(
    change({ 'GET /v1/subscriptions/sub_1': subscription({}), 'POST /v1/subscriptions/sub_1': card }),
  ).rejects.toMatchObject({ status: 402, code: 'card_declined' });
  await expect(
    change({ 'GET /v1/subscriptions/sub_1': subscription({ items: { data: [] } }) }),
  ).rejects.toThrow('the subscription sub_1 has no item');
});

test('Stripe redirects to the PDF of an invoice; other files and circular redirects are refused', async () => {
  const answers = await startPdfServer();
  const outbound = createOutboundHttp([answers.host]);
  const pdfOf = (id: string, payments: Payments) => fetchInvoicePdf({ outbound }, payments, id);
  const { payments } = await stripe(
    Object.fromEntries(
      ['good', 'page', 'round', 'lost'].map((name) => [
        `GET /v1/invoices/in_${name}`,
        { id: `in_${name}`, invoice_pdf: `${answers.address}/${name}` },
      ]),
    ),
  );
  const real = { ...payments, embedded: undefined };
  expect((await pdfOf('in_good', real)).toString()).toBe('%PDF-1.7 an invoice');
  for (const id of ['in_page', 'in_round', 'in_lost', 'in_nobodys'])
    await expect(pdfOf(id, real), id).rejects.toThrow('the provider gave no PDF');
  // Redirects do not lead into the private network either.
  const blocked = fetchInvoicePdf({ outbound: createOutboundHttp([]) }, real, 'in_good');
  await expect(blocked).rejects.toThrow();
  expect(answers.asked).toEqual(['/good', '/files/good', '/page', '/round', '/round', '/round', '/lost']);
});

test('a public site on trial, without a key of Stripe, says at its start that plans cost nothing', () => {
  expect(saidAtStart).toContain(
    'payments are in test mode: plans cost nothing until STRIPE_SECRET_KEY is set',
  );
});

test('with a key of Stripe it is Stripe: its time is ours, live keys take live events, no empty secret signs', async () => {
  const { settings } = app.resources;
  const paymentsOf = (STRIPE_SECRET_KEY: string) =>
    openPayments(
      {
        ...app.resources,
        settings: { ...settings, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET: 'whsec_a, ,whsec_b' },
      },
      undefined,
    );
  const live = paymentsOf('rk_live_1');
  expect(live).toMatchObject({ livemode: true, webhookSecrets: ['whsec_a', 'whsec_b'], embedded: undefined });
  expect(paymentsOf('sk_test_1').livemode).toBe(false);
  const before = Math.floor(Date.now() / 1000);
  const now = await live.now();
  expect(Number.isInteger(now)).toBe(true);
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now() / 1000);
});

test('a customer whom Stripe does not know is skipped, and any other failure is an error', async () => {
  const { payments } = await stripe({ 'GET /v1/customers/cus_sick': FAULT });
  expect(await fetchCustomer(payments, 'cus_nobody', app.resources.log)).toBeUndefined();
  await expect(fetchCustomer(payments, 'cus_sick', app.resources.log)).rejects.toMatchObject({
    statusCode: 500,
  });
});

/** Serves Stripe's pages: a PDF behind a redirect, a page that is no PDF, a redirect to itself. */
async function startPdfServer() {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    const { url = '' } = request;
    asked.push(url);
    if (url === '/good') response.writeHead(302, { location: '/files/good' }).end();
    else if (url === '/files/good') response.writeHead(200).end('%PDF-1.7 an invoice');
    else if (url === '/page') response.writeHead(200).end('<html>please sign in</html>');
    else if (url === '/round') response.writeHead(307, { location: '/round' }).end();
    else response.writeHead(302).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, host, address: `http://${host}` };
}
