import type { Subscription } from '../../../src/business/billing/subscription/subscription-read.web.ts';

/**
 * A subscription to the documents plan Pro as its page gets it: paid, nothing used; the test says what is
 * different.
 */
export const PRO: Subscription = {
  tier: 'pro',
  subscription_status: 'active',
  price_id: 'price_documents_pro',
  current_period_start: 1_793_491_200,
  current_period_end: 1_796_083_200,
  cancel_at_period_end: false,
  used: 0,
  video_minutes_used: 0,
};
