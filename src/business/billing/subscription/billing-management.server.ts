import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { syncCustomersOf } from '../customers/subscription-sync.server.ts';
import type { Payments } from '../payments.server.ts';
import type { BillingOverview } from './billing-management.contract.ts';
import { readOverview } from './billing-overview.server.ts';
import { ownSubscription } from './own-subscription.server.ts';
import { setCancellation } from './plan-cancel.server.ts';
import { changePlan, previewChange, targetPlan } from './plan-change.server.ts';

const LIMIT = { count: 60, seconds: 300 };
const subscriptionId = z.string().max(255).optional();
const priceId = z.string().max(255);

/**
 * The functions of the Billing tab (`manage-billing.contract.ts`). Each change is made at the provider and
 * read back from it. The reply is the resulting overview, so that the page never has to wait for a webhook.
 */
export function mountManageBilling(http: HttpContext, resources: Resources, payments: Payments): void {
  const overview = async (userId: string | undefined): Promise<BillingOverview> =>
    readOverview(resources, userId ?? '', await payments.now());

  declareFunction(http, {
    name: 'billing-overview',
    callers: 'users',
    body: z.object({}).nullish(),
    limit: { count: 300, seconds: 300 },
    handle: ({ caller }) => overview(caller.userId),
  });

  declareFunction(http, {
    name: 'preview-plan-change',
    callers: 'users',
    body: z.object({ price_id: priceId, subscription_id: subscriptionId }),
    limit: LIMIT,
    async handle({ caller, body }) {
      const held = await ownSubscription(resources, caller.userId, body.subscription_id);
      const plan = targetPlan(resources.site.plans, held, body.price_id);
      await payments.prices.refresh();
      return atProvider(() => previewChange(payments, held, plan));
    },
  });

  declareFunction(http, {
    name: 'change-plan',
    callers: 'users',
    body: z.object({
      price_id: priceId,
      subscription_id: subscriptionId,
      proration_date: z.int().min(0).max(1e11),
    }),
    limit: LIMIT,
    async handle({ caller, body }) {
      const held = await ownSubscription(resources, caller.userId, body.subscription_id);
      const plan = targetPlan(resources.site.plans, held, body.price_id);
      await payments.prices.refresh();
      try {
        await atProvider(() => changePlan(payments, held, plan, body.proration_date));
      } finally {
        await syncCustomersOf(resources, payments, caller.userId);
      }
      return overview(caller.userId);
    },
  });

  for (const cancel of [true, false]) {
    declareFunction(http, {
      name: cancel ? 'cancel-subscription' : 'resume-subscription',
      callers: 'users',
      body: z.object({ subscription_id: subscriptionId }).nullish(),
      limit: LIMIT,
      async handle({ caller, body }) {
        const held = await ownSubscription(resources, caller.userId, body?.subscription_id);
        try {
          await atProvider(() => setCancellation(payments, held, cancel));
        } finally {
          await syncCustomersOf(resources, payments, caller.userId);
        }
        return overview(caller.userId);
      },
    });
  }
}

/** Turns a temporary failure of the provider into a 502 with one sentence. */
async function atProvider<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError(
      502,
      'provider_failed',
      'The payment provider did not answer. Nothing was changed; please try again later.',
      { cause: error },
    );
  }
}
