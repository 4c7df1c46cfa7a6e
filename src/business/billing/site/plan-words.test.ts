import { describe, expect, test } from 'vitest';
import { currentPlan, planWords, type Subscription } from '../subscription/subscription-read.web.ts';

const pro: Subscription = {
  tier: 'pro',
  subscription_status: 'active',
  price_id: 'price_documents_pro',
  current_period_start: 1_793_491_200,
  current_period_end: 1_796_083_200,
  cancel_at_period_end: false,
  payment_method_brand: 'visa',
  payment_method_last4: '4242',
  course_uploads_used: 0,
  document_pages_used: 0,
  video_minutes_used: 0,
};

describe('the words of the plan badge (docs/specification/site.md §4)', () => {
  test.each([
    ['active', 'Pro Plan'],
    ['trialing', 'Pro Plan'],
    ['past_due', 'Payment Due'],
    ['canceled', 'Inactive'],
    ['unpaid', 'Inactive'],
    [null, 'No Active Plan'],
  ])('%s reads %s', (status, words) => {
    expect(planWords({ ...pro, subscription_status: status })).toBe(words);
  });

  test('no subscription reads No Active Plan', () => {
    expect(planWords(null)).toBe('No Active Plan');
  });

  test('only a subscription in force gives its plan, by price or else by tier', () => {
    expect(currentPlan(pro)?.name).toBe('Pro Plan');
    expect(currentPlan({ ...pro, price_id: 'price_1PxUnknown' })?.name).toBe('Pro Plan');
    expect(currentPlan({ ...pro, subscription_status: 'past_due' })).toBeUndefined();
  });
});
