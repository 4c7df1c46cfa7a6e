import { describe, expect, test } from 'vitest';
import { Catalogue, type Plan } from '../../../kernel/contract/plans.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { runsOutAt } from './billing-overview.server.ts';
import type { OwnSubscription } from './own-subscription.server.ts';
import { targetPlan } from './plan-change.server.ts';

const plans = new Catalogue();
const planOf = (price: string): Plan => plans.find(price) as Plan;
const held = (status: string): OwnSubscription => ({
  id: 'sub_1',
  plan: planOf('price_documents_basic'),
  status,
});

describe('the plans to which a subscription can change', () => {
  test.each(['active', 'trialing'])('is another one of its line while it is %s', (status) => {
    expect(targetPlan(plans, held(status), 'price_documents_pro')).toBe(planOf('price_documents_pro'));
  });

  test.each([
    ['active', 'price_of_another', 400, 'unknown_price'],
    ['active', 'price_documents_basic', 400, 'same_plan'],
    ['active', 'price_courses_essential', 400, 'other_line'],
    ['past_due', 'price_documents_pro', 409, 'past_due'],
    ['unpaid', 'price_documents_pro', 409, 'past_due'],
    ['canceled', 'price_documents_pro', 409, 'past_due'],
  ])('of one that is %s is not %s: %i %s', (status, price, code, name) => {
    const change = () => targetPlan(plans, held(status), price);
    expect(change).toThrow(ServiceError);
    expect(change).toThrow(expect.objectContaining({ status: code, code: name }));
  });
});

describe('when the credits run out at the present pace', () => {
  const DAY = 86_400;
  const pace = { used: 10, left: 10, start: 0, end: 30 * DAY, now: 10 * DAY };

  test('is as far ahead as the pace says', () => {
    expect(runsOutAt(pace)).toBe(20 * DAY);
  });

  test.each([
    ['they last until the end', { left: 20 }],
    ['nothing was used', { used: 0 }],
    ['none is left', { left: 0 }],
    ['it is the first day', { now: DAY - 1 }],
    ['the period is over', { now: 30 * DAY }],
    ['no period is known', { end: null }],
  ])('is not predicted when %s', (_, other) => {
    expect(runsOutAt({ ...pace, ...other })).toBeNull();
  });
});
