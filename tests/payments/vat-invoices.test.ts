import { afterAll, beforeAll, expect, test } from 'vitest';
import { vatOfCustomer } from '../../packages/stripe-emulator/src/ledger/customer-vat.ts';
import { changeAt } from '../../packages/stripe-emulator/src/provider-store.ts';
import { providerHost } from '../../src/business/billing/stripe-emulator.server.ts';
import type {
  BilledInvoice,
  BillingOverview,
} from '../../src/business/billing/subscription/billing-management.contract.ts';
import { MESSAGES } from '../../src/kernel/contract/messages.ts';
import type { Queries } from '../../src/kernel/resources/database/database.ts';
import { claims } from '../support/claims.ts';
import {
  CARDS,
  callFunction,
  insertUser,
  settle,
  startCheckout,
  type TestUser,
} from '../support/customers/plan-purchase.ts';
import { advanceClock, callProvider, providerClient } from '../support/servers/payment-provider.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { wordsOfPdf } from '../support/docs/pdf-words.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    settings: { VAT_COUNTRY: 'DE', VAT_NUMBER: 'DE136695976', VAT_RATES: 'DE=19,FR=20' },
  });
});
afterAll(() => app?.close());

/** Fills in the card page, for somebody in a country. */
async function pay(address: string, country: string, vatNumber = '', email = 'a@b.example') {
  const reply = await fetch(address, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({
      email,
      number: CARDS.succeeds,
      expiry: '12/34',
      cvc: '123',
      name: 'A Buyer',
      country,
      vatNumber,
    }),
  });
  return { to: reply.headers.get('location'), status: reply.status, page: await reply.text() };
}

async function buy(user: TestUser, country: string, vatNumber = ''): Promise<BilledInvoice> {
  const { body } = await startCheckout(app, user.token, 'price_documents_pro');
  expect((await pay(body.url ?? '', country, vatNumber)).to).toContain('/success?session_id=');
  await settle(app);
  const [invoice] = await invoicesOf(user);
  if (invoice === undefined) throw new Error('no invoice');
  return invoice;
}

async function invoicesOf(user: TestUser): Promise<readonly BilledInvoice[]> {
  const { body } = await callFunction(app, 'billing-overview', user.token, {});
  return (body as unknown as BillingOverview).invoices;
}

test('what is paid stays the same wherever who buys is, and the invoice says what of it is VAT, or why there is none', async () => {
  claims('Prices include VAT where it is due.');
  const stripe = providerClient(app);
  for (const [country, number, vat, reason, percent, printed] of [
    [
      ...(['DE', '', 782, 'standard_rated', 19] as const),
      /VAT DE136695976[\s\S]*Net[\s\S]*£41\.18[\s\S]*VAT 19%[\s\S]*£7\.82[\s\S]*Total[\s\S]*£49/,
    ],
    [...(['FR', '', 817, 'standard_rated', 20] as const), /VAT 20%/],
    [
      ...(['AT', 'ATU 13585627', 0, 'reverse_charge', 0] as const),
      /VAT ATU13585627[\s\S]*Reverse charge: the customer accounts for the VAT\./,
    ],
    [
      ...(['US', '', 0, 'not_collecting', 0] as const),
      /No VAT: the place of supply is outside of the country of the seller\./,
    ],
  ] as const) {
    const user = await insertUser(app);
    const billed = await buy(user, country, number);
    expect(billed, country).toMatchObject({
      amount_pence: 4900,
      vat_pence: vat,
      reverse_charge: reason === 'reverse_charge',
    });
    const invoice = await stripe.invoices.retrieve(billed.id);
    expect(invoice, country).toMatchObject({
      total: 4900,
      total_excluding_tax: 4900 - vat,
      automatic_tax: { enabled: true, status: 'complete' },
      total_taxes: [{ amount: vat, tax_behavior: 'inclusive', taxability_reason: reason }],
    });
    const [tax] = invoice.total_taxes ?? [];
    const rate = await stripe.taxRates.retrieve(String(tax?.tax_rate_details?.tax_rate));
    expect([rate.percentage, rate.inclusive], country).toEqual([percent, true]);
    expect(invoice.customer_address?.country).toBe(country);
    const pdf = await fetch(`${app.url}${billed.pdf_url}`, {
      headers: { authorization: `Bearer ${user.token}` },
    });
    expect(await wordsOfPdf(new Uint8Array(await pdf.arrayBuffer())), country).toMatch(printed);
  }
});

test('where the agency accounts for VAT the pages with prices say that it is in them', async () => {
  expect(await (await fetch(app.url)).text()).toContain(MESSAGES.checkout.vatNote);
});

test('a renewal is reckoned by where the customer is by then', async () => {
  const user = await insertUser(app);
  await buy(user, 'DE');
  const moved = await callFunction(app, 'save-billing-details', user.token, {
    name: 'Wien GmbH',
    line1: 'Ring 1',
    line2: '',
    city: 'Wien',
    postal_code: '1010',
    country: 'AT',
    vat_number: 'ATU13585627',
  });
  expect(moved.status).toBe(200);
  await advanceClock(app, 32);
  await settle(app);
  expect(await invoicesOf(user)).toMatchObject([
    { amount_pence: 4900, vat_pence: 0, reverse_charge: true },
    { amount_pence: 4900, vat_pence: 782, reverse_charge: false },
  ]);
});

test('the card page wants a country, and a VAT number that is right and of that country', async () => {
  const user = await insertUser(app);
  const { body } = await startCheckout(app, user.token, 'price_documents_basic');
  const page = await (await fetch(body.url ?? '')).text();
  expect(page).toContain('VAT is included where it is due.');
  for (const [country, number, sentence] of [
    ['', '', 'Choose your country.'],
    ['XX', '', 'Choose your country.'],
    ['AT', 'ATU13585628', 'This is no VAT number: check its letters and digits, or leave it empty.'],
    ['FR', 'ATU13585627', 'This VAT number is of another country.'],
  ] as const) {
    const refused = await pay(body.url ?? '', country, number);
    expect([refused.status, refused.page.includes(sentence)], sentence).toEqual([422, true]);
  }
  expect(await invoicesOf(user)).toEqual([]);
});

test('credits that are bought once have their VAT', async () => {
  const user = await insertUser(app);
  const { body } = await callFunction(app, 'buy-credits', user.token, {
    credits: 10,
    success_url: `${app.url}/success`,
    cancel_url: `${app.url}/cancel`,
  });
  expect((await pay(body.url ?? '', 'DE')).to).toContain('/success');
  await settle(app);
  expect(await invoicesOf(user)).toMatchObject([{ amount_pence: 700, vat_pence: 112 }]);
});

test('what the provider would not do is refused in its words', async () => {
  const session = {
    mode: 'subscription',
    'line_items[0][price]': 'price_documents_basic',
    success_url: 'https://a.example/',
    cancel_url: 'https://a.example/',
  };
  for (const [params, sentence] of [
    [{ 'tax_id_collection[enabled]': 'true' }, /together, and with `automatic_tax` only/],
    [{ 'automatic_tax[enabled]': 'true' }, /together, and with `automatic_tax` only/],
  ] as const)
    await expect(
      callProvider(app, 'POST', '/v1/checkout/sessions', { ...session, ...params }),
    ).rejects.toThrow(sentence);
});

test('two who need a rate for the first time at once both have it', async () => {
  const { database } = app.resources;
  const vat = { country: 'IE', rates: new Map([['IE', 23]]) };
  const reckon = (queries: Queries) =>
    vatOfCustomer({ ...changeAt(providerHost(app.resources), queries, 0), vat }, undefined);
  let second: ReturnType<typeof reckon> | undefined;
  const first = await database.transaction(async (queries) => {
    const reckoned = await reckon(queries);
    // Waits for the first transaction, which has not ended.
    second = database.transaction(reckon);
    await expect
      .poll(() =>
        database.many(
          `select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%provider_objects%'`,
        ),
      )
      .toHaveLength(1);
    return reckoned;
  });
  expect(await second).toEqual(first);
  expect((await providerClient(app).taxRates.retrieve('txr_IE_23')).percentage).toBe(23);
});
