import { spokenText } from '@northline/speech/spoken-text';
import { formatMoney } from '@northline/vat/money';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BillingOverview } from '../../src/business/billing/subscription/billing-management.contract.ts';
import { billingAnswer } from '../../src/business/billing/subscription/billing-words.web.ts';
import type { HomePage } from '../../src/business/console/home.contract.ts';
import type {
  CustomerRecord,
  RefundRequest,
} from '../../src/business/console/records/customer-record.contract.ts';
import type { ContentOverview, FormerNames } from '../../src/business/content/content.contract.ts';
import { sitePlan } from '../../src/business/content/site-plan.contract.ts';
import { SPECIFIED_PLANS } from '../../src/kernel/contract/plans.ts';
import type { SiteContent } from '../../src/kernel/contract/site-content.ts';
import { answerTopic } from '../../src/voice/dialogue/topics/topic-answer.server.ts';
import { claims } from '../support/claims.ts';
import { payWithCard } from '../support/customers/card-payment.ts';
import { askConsole, newOperator, type TestAccount } from '../support/customers/operator-client.ts';
import {
  buyPlan,
  CARDS,
  callFunction,
  insertUser,
  settle,
  startCheckout,
  type TestUser,
} from '../support/customers/plan-purchase.ts';
import { wordsOfPdf } from '../support/docs/pdf-words.ts';
import { advanceClock, providerClient } from '../support/servers/payment-provider.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
let operator: TestAccount;
beforeAll(async () => {
  app = await startTestApp();
  operator = await newOperator(app);
});
afterAll(() => app.close());

async function publish(content: SiteContent): Promise<void> {
  const { version: base } = await askConsole<ContentOverview>('content', operator);
  await askConsole('publish-content', operator, { content, base, note: '' });
}

const priceOf = (line: string, tier: string): string =>
  app.resources.site.plans.sold.find((plan) => plan.line === line && plan.tier === tier)?.priceId ?? '';

const overviewOf = async (user: TestUser): Promise<BillingOverview> =>
  (await callFunction(app, 'billing-overview', user.token, {})).body as unknown as BillingOverview;

async function buy(user: TestUser, line: string, tier: string): Promise<BillingOverview> {
  await buyPlan(app, user.token, priceOf(line, tier), user.email);
  await settle(app);
  return overviewOf(user);
}

/** Buys ten credits. @returns what the provider's page says */
async function buyCredits(user: TestUser): Promise<string> {
  const { body } = await callFunction(app, 'buy-credits', user.token, {
    credits: 10,
    success_url: `${app.url}/success`,
    cancel_url: `${app.url}/cancel`,
  });
  const page = await (await fetch(body.url ?? '')).text();
  await payWithCard(body.url ?? '', CARDS.succeeds, user.email);
  await settle(app);
  return page;
}

async function textOf(address: string, token?: string): Promise<string> {
  const reply = await fetch(new URL(address, app.url), {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  expect(reply.status, address).toBe(200);
  if (reply.headers.get('content-type') === 'application/pdf')
    return wordsOfPdf(new Uint8Array(await reply.arrayBuffer()));
  return (await reply.text()).replaceAll('<!-- -->', '');
}

const moneyIn = async (): Promise<Record<string, number>> => {
  const { days } = await askConsole<HomePage>('home', operator);
  const sums: Record<string, number> = {};
  for (const { paid } of days)
    for (const [currency, amount] of Object.entries(paid)) sums[currency] = (sums[currency] ?? 0) + amount;
  return sums;
};

test('who has a plan keeps it in its currency when the agency sells in another, and no sum adds the two', async () => {
  claims(
    'People who have a plan go on paying for it in …, as they bought it, until it ends.',
    'They cannot change it to a plan in ….',
    'Sums of the console are shown for each currency by itself.',
  );
  const early = await insertUser(app);
  await buy(early, 'documents', 'pro');
  const texts = { 'foot.line': 'From £15, or 15 pounds' };
  const left = await askConsole<FormerNames>('content-names', operator, {
    content: { currency: 'EUR', texts },
  });
  expect(left.found.map(({ name }) => name)).toEqual(['£', 'pounds']);
  const same = await askConsole<FormerNames>('content-names', operator, { content: { texts } });
  expect(same.found).toEqual([]);

  await publish({ currency: 'EUR' });
  expect(app.resources.site.plans.sold.every(({ currency }) => currency === 'EUR')).toBe(true);
  const held = await overviewOf(early);
  expect(held).toMatchObject({
    plan: { price_id: 'price_documents_pro', currency: 'GBP', amount_pence: 4900 },
    next_payment: { amount_pence: 4900 },
    can: { upgrade: [], downgrade: [], cancel: true },
  });
  const premium = priceOf('documents', 'premium');
  expect(await callFunction(app, 'preview-plan-change', early.token, { price_id: premium })).toMatchObject({
    status: 400,
    body: {
      code: 'other_currency',
      error:
        'You pay for your Pro Plan in pounds, and this plan is sold in euros. You can buy it when your Pro Plan has ended.',
    },
  });
  const essential = priceOf('courses', 'essential');
  expect(await startCheckout(app, early.token, essential)).toMatchObject({
    status: 400,
    body: { code: 'other_currency' },
  });
  // The provider has the same rule.
  const stripe = providerClient(app);
  const invoice = await stripe.invoices.retrieve(held.invoices[0]?.id ?? '');
  const price = (await stripe.prices.list({ lookup_keys: [essential] })).data[0]?.id ?? '';
  await expect(
    stripe.subscriptions.create({ customer: String(invoice.customer), items: [{ price }] }),
  ).rejects.toThrow(/cannot combine currencies .* with currency gbp/);
  const subscription = held.subscription?.id ?? '';
  const { items } = await stripe.subscriptions.retrieve(subscription);
  await expect(
    stripe.subscriptions.update(subscription, { items: [{ id: items.data[0]?.id ?? '', price }] }),
  ).rejects.toThrow(/doesn't match the expected currency: `gbp`/);

  // Credits are bought once, so they are sold to her in euros beside her plan in pounds.
  expect(await buyCredits(early)).toContain('€7');
  const late = await insertUser(app);
  const fresh = await buy(late, 'documents', 'basic');
  expect(fresh).toMatchObject({
    plan: { currency: 'EUR', amount_pence: 1500 },
    invoices: [{ currency: 'eur' }],
  });
  expect(fresh.can.upgrade).toHaveLength(2);

  await advanceClock(app, 32);
  await settle(app);
  expect(
    (await overviewOf(early)).invoices.map(({ currency, amount_pence }) => [currency, amount_pence]),
  ).toEqual([
    ['gbp', 4900],
    ['eur', 700],
    ['gbp', 4900],
  ]);
  // The renewals are of next month by the provider's clock, after the days that the console shows.
  expect(await moneyIn()).toEqual({ gbp: 4900, eur: 1500 + 700 });
  const record = await askConsole<CustomerRecord>(`customer?id=${early.id}`, operator);
  expect(record.invoices.map(({ currency }) => currency)).toEqual(['gbp', 'eur', 'gbp']);

  // Once it has ended, she buys what is sold now.
  await callFunction(app, 'cancel-subscription', early.token, {});
  await advanceClock(app, 32);
  await settle(app);
  const again = await buy(early, 'documents', 'premium');
  expect(billingAnswer([again as Parameters<typeof billingAnswer>[0][number]])).toMatch(
    /^You have the Premium Plan\. €129 a month\. Next payment: €129 on /,
  );

  // Pounds again are the plans of before, not further ones.
  await publish({});
  expect(app.resources.site.plans.sold.map(({ priceId }) => priceId)).toEqual(
    SPECIFIED_PLANS.map(({ priceId }) => priceId),
  );
});

describe.each([
  {
    currency: 'EUR',
    times: 1,
    pro: '€49',
    spoken: 'forty-nine euros',
    pack: '€7',
    back: 1000,
    name: 'euros',
  },
  {
    currency: 'JPY',
    times: 2,
    pro: '¥9,800',
    spoken: 'nine thousand eight hundred yen',
    pack: '¥700',
    back: 1000,
    name: 'yen',
  },
])('an agency that sells in $currency', ({ currency, times, pro, spoken, pack, back, name }) => {
  const POUND = /£|\bGBP\b|\bpounds?\b|\bpence\b/i;
  beforeAll(async () => {
    const plans = SPECIFIED_PLANS.map(sitePlan).map((plan) => ({
      ...plan,
      pricePence: plan.pricePence * times,
    }));
    await publish({ currency, ...(times !== 1 && { plans }) });
  });

  test('has no pound on any page, in the catalogue for machines, in its file or in its calls', async () => {
    claims('{currency} stands for the word for your currency.');
    const sitemap = await textOf('/sitemap.xml');
    const pages = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => address);
    expect(pages.length).toBeGreaterThan(8);
    for (const address of [...pages, '/llms.txt', '/login', '/signup', '/dashboard/billing']) {
      const { pathname } = new URL(address, app.url);
      // The sample document is a British tenancy agreement at every agency.
      const page = (await textOf(pathname)).replaceAll('£1,125.00', '');
      expect(POUND.exec(page), pathname).toBeNull();
    }
    const home = await textOf('/');
    expect(home).toContain(pro);
    expect(home).toContain(`prices in ${name} per month`);
    expect(home).toContain(`"price":"${times === 1 ? '49.00' : '9800'}","priceCurrency":"${currency}"`);
    expect(await textOf('/terms')).toContain(`Prices are in ${name} per month.`);
    expect(await textOf('/llms.txt')).toContain(`Pro Plan, ${pro}.`);
    const { data } = await operator.client.auth.getSession();
    const yaml = await textOf('/functions/v1/operator-site.yaml', data.session?.access_token);
    expect(yaml.replace(/^#.*$/gm, '')).not.toMatch(POUND);
    expect(yaml).toContain(`currency: ${currency}`);

    const { site } = app.resources;
    const known = { site, brand: 'Kestrel', contactEmail: 'a@b.example', hours: 'Monday', sentences: [] };
    const said = [
      'how much is the pro plan',
      'what plans do you have',
      'how much are the course plans',
      'what is your cheapest plan',
      'are there hidden fees',
    ].map((words) => answerTopic(words, known, null)?.sentence ?? '');
    expect(said[0]).toContain(pro);
    expect(
      answerTopic(`what do i get for ${times === 1 ? '49' : '9800'} ${name}`, known, null)?.sentence,
    ).toBe(said[0]);
    for (const sentence of said) {
      expect(sentence).not.toBe('');
      expect(spokenText(sentence), sentence).not.toMatch(POUND);
    }
    expect(spokenText(said[0] ?? '').replaceAll('-', ' ')).toContain(spoken.replaceAll('-', ' '));
  });

  test('has none where its customers pay: pages of the provider, invoices and their PDF, credits, refunds, mails', async () => {
    const user = await insertUser(app);
    const billed = await buy(user, 'documents', 'pro');
    expect(billed).toMatchObject({
      plan: { currency, amount_pence: 4900 * times },
      invoices: [{ currency: currency.toLowerCase(), amount_pence: 4900 * times, status: 'paid' }],
    });
    const { body } = await startCheckout(app, (await insertUser(app)).token, priceOf('documents', 'pro'));
    const portal = await callFunction(app, 'billing-portal', user.token, { return_url: app.url });
    const shown = [
      await textOf(body.url ?? ''),
      await textOf(portal.body.url ?? ''),
      await textOf(billed.invoices[0]?.pdf_url ?? '', user.token),
      await buyCredits(user),
    ];
    for (const page of shown) expect(POUND.exec(page)).toBeNull();
    for (const page of shown.slice(0, 3)) expect(page).toContain(pro);
    expect(shown[3]).toContain(pack);
    const packs = await callFunction(app, 'credit-packs', user.token, {});
    expect(packs.body).toMatchObject({ currency });

    const refund: RefundRequest = {
      id: user.id,
      invoice: billed.invoices[0]?.id ?? '',
      amount: back,
      reason: 'Late',
      attempt: crypto.randomUUID(),
    };
    await askConsole('refund', operator, refund);
    await settle(app);
    const after = await overviewOf(user);
    // Both can be of the same second, and then either comes first.
    const [small, large] = after.invoices.toSorted((a, b) => a.amount_pence - b.amount_pence);
    expect([small, large]).toMatchObject([{ amount_pence: 700 }, { refunded_pence: back }]);
    const printed = await textOf(large?.pdf_url ?? '', user.token);
    expect(printed).toContain(formatMoney(-back, currency));
    const record = await askConsole<CustomerRecord>(`customer?id=${user.id}`, operator);
    expect(
      record.invoices
        .map((invoice) => [invoice.currency, invoice.refundable] as const)
        .toSorted(([, one], [, other]) => Number(one) - Number(other)),
    ).toEqual([
      [currency.toLowerCase(), 700],
      [currency.toLowerCase(), 4900 * times - back],
    ]);
    const mails = await app.resources.database.many(
      'select subject, to_jsonb(m)::text as whole from private.mails m',
    );
    for (const { subject, whole } of mails) expect(whole, subject).not.toMatch(POUND);
  });
});

test('a currency that the provider does not charge in, or whose parts prices do not have, is refused with the reason', async () => {
  const refused = async (content: object): Promise<string> => {
    const error = await askConsole('preview-content', operator, { content }).then(
      () => undefined,
      (reason: { details?: unknown }) => reason,
    );
    return JSON.stringify(error);
  };
  expect(await refused({ currency: 'KWD' })).toContain('KWD has thousandths, which prices here do not have.');
  expect(await refused({ currency: 'ISK' })).toContain('counts ISK in hundredths that nobody can pay');
  for (const currency of ['XXX', 'eur', 'DEM', ''])
    expect(await refused({ currency }), currency).toContain(
      'a currency that the payment provider charges in',
    );
  const [plan] = SPECIFIED_PLANS.map(sitePlan);
  const cheap = (currency: string) => refused({ currency, plans: [{ ...plan, pricePence: 99 }] });
  expect(await cheap('JPY')).toContain('at least ¥100');
  expect(await cheap('GBP')).toContain('at least £1');
});
