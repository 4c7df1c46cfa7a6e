import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Router } from 'wouter';
import { PRO } from '../../../../tests/support/customers/pro-subscription.ts';
import type { Subscription } from '../subscription/subscription-read.web.ts';
import { PlanCard, PlanCards } from './plan-card.web.tsx';

/** The text of the card. */
const shown = (subscription: Subscription | null, credits: number): string =>
  renderToStaticMarkup(
    <Router ssrPath="/dashboard">{createElement(PlanCard, { subscription, credits })}</Router>,
  )
    .replace(/<[^>]+>/g, '')
    .replace(/\s+/g, ' ');

test('the plan card names what helps: another card after a failed payment, more credits, or a plan', () => {
  expect(shown({ ...PRO, subscription_status: 'past_due' }, 3)).toMatch(
    /^Payment Due.*The last payment did not go through\.Update card$/,
  );
  expect(shown(PRO, 0)).toContain('Get more credits');
  expect(shown(null, 0)).toContain('See the plans');
  expect(shown(PRO, 40)).not.toMatch(/Update card|Get more credits|See the plans/);
});

test('figures are separate from their units, and one credit is singular', () => {
  expect(shown({ ...PRO, used: 60 }, 40)).toContain('60 of 100 documents');
  expect(shown(PRO, 1)).toContain('1 credit left.');
  expect(shown(null, 1)).toContain('1 credit');
  expect(shown(null, 1)).not.toContain('1 credits');
});

test('with a plan of each line both are shown, and course uploads are counted apart from documents', () => {
  const essential = { ...PRO, tier: 'essential', price_id: 'price_courses_essential', used: 1 };
  const allowances = { plans: [essential, { ...PRO, used: 4 }], storage_limit_bytes: 1, picture_bytes: 0 };
  const cards = renderToStaticMarkup(
    <Router ssrPath="/dashboard">{createElement(PlanCards, { allowances, credits: 96 })}</Router>,
  ).replace(/<[^>]+>/g, '');
  expect(cards).toContain('Pro Plan4 of 100 documents96 credits left.');
  expect(cards).toContain('Essential Plan1 of 1 upload0 uploads left.');
});
