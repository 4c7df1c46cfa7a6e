import { describe, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import { Catalogue, type Plan, SPECIFIED_PLANS } from '../../../kernel/contract/plans.ts';
import type { BilledInvoice, BilledSubscription } from './billing-management.contract.ts';
import {
  billingAnswer,
  cardWords,
  changeVerb,
  invoiceWords,
  moneyWords,
  statusSummary,
  vatWords,
} from './billing-words.web.ts';

const pro: BilledSubscription = {
  plan: {
    price_id: 'price_documents_pro',
    name: 'Pro Plan',
    line: 'documents',
    currency: 'GBP',
    amount_pence: 4900,
  },
  subscription: {
    id: 'sub_1',
    status: 'active',
    current_period_start: '2026-11-21T12:00:00Z',
    current_period_end: '2026-12-21T12:00:00Z',
    cancel_at_period_end: false,
  },
  next_payment: { date: '2026-12-21T12:00:00Z', amount_pence: 4900 },
  payment_method: { brand: 'visa', last4: '4242' },
  usage: { used: 0, included: 100, left: 100, resets_at: null, pace_runs_out_at: null },
  can: { upgrade: [], downgrade: [], cancel: true, resume: false, change_card: true },
  pending_change: null,
};

describe('the state of a subscription, in one sentence', () => {
  test.each([
    ['active', 'Your Pro Plan is active and renews by itself. You can change or cancel it at any time.'],
    ['trialing', 'You are trying the Pro Plan. It costs nothing until 21 December 2026.'],
    ['past_due', 'The plan can be changed as soon as this payment is made.'],
    ['unpaid', 'The plan can be changed as soon as this payment is made.'],
    ['incomplete', 'The first payment has not been confirmed. Update your card to finish it.'],
    ['canceled', 'Your Pro Plan has ended. Choose a plan below to go on.'],
    ['incomplete_expired', 'Your Pro Plan has ended. Choose a plan below to go on.'],
  ])('%s', (status, words) => {
    claims('Your … has ended.');
    expect(statusSummary({ ...pro, subscription: { ...pro.subscription, status } })).toBe(words);
  });

  test('cancelled at the end of the period', () => {
    const subscription = { ...pro.subscription, cancel_at_period_end: true };
    expect(statusSummary({ ...pro, subscription })).toBe(
      'Your Pro Plan stays active until 21 December 2026 and does not renew.',
    );
  });
});

test('a plan whose account is deleted before its next payment says what happens instead', () => {
  claims(
    'Your … ends with your account on …, and is not charged again.',
    'Your account is to be deleted on …: nothing is charged after that day.',
  );
  const before = '2026-12-20T08:00:00Z';
  expect(statusSummary(pro, before)).toBe(
    'Your Pro Plan ends with your account on 20 December 2026, and is not charged again.',
  );
  expect(billingAnswer([pro], before)).toBe(
    'You have the Pro Plan. Your account is to be deleted on 20 December 2026: nothing is charged after that day.',
  );
  // Paid once more until then.
  const later = '2026-12-28T08:00:00Z';
  expect(statusSummary(pro, later)).toContain('renews by itself');
  expect(billingAnswer([pro], later)).toBe(
    'You have the Pro Plan. £49 a month. Next payment: £49 on 21 December 2026. Your account is to be deleted on 28 December 2026: nothing is charged after that day.',
  );
  // Cancelled before: the plan ends first.
  const ending: BilledSubscription = {
    ...pro,
    subscription: { ...pro.subscription, cancel_at_period_end: true },
    next_payment: null,
  };
  expect(statusSummary(ending, later)).toContain('does not renew');
  expect(billingAnswer([ending], later)).toContain('The Pro Plan ends on 21 December 2026.');
});

test('what a user has, what it costs and when it is paid next is one answer, for one plan and for two', () => {
  claims('…… a month.', 'Next payment: … on ….', 'The … ends on ….');
  const course: BilledSubscription = {
    ...pro,
    plan: {
      price_id: 'price_c',
      name: 'Essential Plan',
      line: 'courses',
      currency: 'GBP',
      amount_pence: 24_900,
    },
    next_payment: { date: '2026-12-09T12:00:00Z', amount_pence: 24_900 },
  };
  expect(billingAnswer([])).toBeUndefined();
  expect(billingAnswer([pro])).toBe(
    'You have the Pro Plan. £49 a month. Next payment: £49 on 21 December 2026.',
  );
  expect(billingAnswer([pro, course])).toBe(
    'You have the Pro Plan and the Essential Plan. Together £298 a month. Next payment: £249 on 9 December 2026.',
  );
  // Bought before the agency changed its currency, and after.
  expect(billingAnswer([pro, { ...course, plan: { ...course.plan, currency: 'EUR' } }])).toBe(
    'You have the Pro Plan and the Essential Plan. Together £49 and €249 a month. Next payment: €249 on 9 December 2026.',
  );
  const ending = { ...pro.subscription, cancel_at_period_end: true };
  expect(billingAnswer([{ ...pro, subscription: ending, next_payment: null }])).toBe(
    'You have the Pro Plan. The Pro Plan ends on 21 December 2026.',
  );
  expect(billingAnswer([{ ...pro, subscription: { ...ending, status: 'canceled' } }])).toBeUndefined();
});

describe('the state of an invoice', () => {
  const invoice: BilledInvoice = {
    id: 'in_1',
    number: 'NL-1',
    date: '2026-11-21T12:00:00Z',
    currency: 'gbp',
    amount_pence: 4900,
    refunded_pence: 0,
    vat_pence: null,
    reverse_charge: false,
    status: 'paid',
    pdf_url: null,
  };

  test.each<[Partial<BilledInvoice>, string]>([
    [{}, ''],
    [{ vat_pence: 817 }, 'with £8.17 VAT'],
    [{ vat_pence: 817, currency: 'jpy' }, 'with ¥817 VAT'],
    [{ vat_pence: 0 }, 'no VAT'],
    [{ vat_pence: 0, reverse_charge: true }, 'reverse charge'],
  ])('the VAT in it: %o', (changes, words) => {
    expect(vatWords({ ...invoice, ...changes })).toBe(words);
  });

  test.each<[Partial<BilledInvoice>, string]>([
    [{}, 'Paid'],
    [{ status: 'open' }, 'Due'],
    [{ status: 'uncollectible' }, 'Unpaid'],
    [{ status: 'void' }, 'Void'],
    [{ status: 'draft' }, 'Draft'],
    [{ refunded_pence: 4900 }, 'Refunded'],
    [{ refunded_pence: 1050 }, '£10.50 refunded'],
  ])('%j reads %s', (changes, word) => {
    expect(invoiceWords({ ...invoice, ...changes }).word).toBe(word);
  });
});

test('money has a true minus sign, cards have a brand', () => {
  expect(moneyWords(-3430, 'gbp')).toBe('−£34.30');
  expect(cardWords(pro.payment_method)).toBe('Visa ending in 4242');
  expect(cardWords(null)).toBe('None');
});

test('a plan that costs more is an upgrade only when it gives more', () => {
  const sold = SPECIFIED_PLANS.filter(({ tier }) => tier === 'pro' || tier === 'premium');
  const [held, premium] = sold as [Plan, Plan];
  const can = { ...pro.can, upgrade: [premium.priceId] };
  expect(changeVerb(new Catalogue(sold), { ...pro, can }, premium)).toBe('Upgrade');
  const same = { ...premium, limits: held.limits };
  expect(changeVerb(new Catalogue([held, same]), { ...pro, can }, same)).toBe('Change');
});
