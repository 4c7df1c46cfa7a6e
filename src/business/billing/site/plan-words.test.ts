import { describe, expect, test } from 'vitest';
import { PRO } from '../../../../tests/support/customers/pro-subscription.ts';
import { Catalogue } from '../../../kernel/contract/plans.ts';
import { currentPlan, planWords } from '../subscription/subscription-read.web.ts';

const plans = new Catalogue();

describe('the words of the plan badge (docs/specification/site.md §4)', () => {
  test.each([
    ['active', 'Pro Plan'],
    ['trialing', 'Pro Plan'],
    ['past_due', 'Payment Due'],
    ['canceled', 'Inactive'],
    ['unpaid', 'Inactive'],
    [null, 'No Active Plan'],
  ])('%s reads %s', (status, words) => {
    expect(planWords(plans, { ...PRO, subscription_status: status })).toBe(words);
  });

  test('no subscription reads No Active Plan', () => {
    expect(planWords(plans, null)).toBe('No Active Plan');
  });

  test('only a subscription in force gives its plan, by price or else by tier', () => {
    expect(currentPlan(plans, PRO)?.name).toBe('Pro Plan');
    expect(currentPlan(plans, { ...PRO, price_id: 'price_1PxUnknown' })?.name).toBe('Pro Plan');
    expect(currentPlan(plans, { ...PRO, subscription_status: 'past_due' })).toBeUndefined();
  });
});
