import type Stripe from 'stripe';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { BillingPortalReply } from '../checkout/checkout-start.contract.ts';
import { ownAddressOf } from '../checkout/checkout-start.server.ts';
import type { Payments } from '../payments.server.ts';
import type { OpenBillingPortalRequest } from './billing-management.contract.ts';
import { ownSubscription } from './own-subscription.server.ts';
import { targetPlan } from './plan-change.server.ts';

type FlowData = NonNullable<Stripe.BillingPortal.SessionCreateParams['flow_data']>;

const portalBody = z.object({
  return_url: z.string().max(2000),
  flow: z
    .enum([
      'payment_method_update',
      'subscription_cancel',
      'subscription_update',
      'subscription_update_confirm',
    ])
    .optional(),
  subscription_id: z.string().max(255).optional(),
  price_id: z.string().max(255).optional(),
});

/**
 * `POST /functions/v1/billing-portal`, and `open-billing-portal` with the `flow` to open: the provider's page
 * on which a customer changes card and plan, cancels and resumes. 404 `no_customer` for a user who never
 * bought anything.
 */
export function mountBillingPortal(http: HttpContext, resources: Resources, payments: Payments): void {
  for (const name of ['billing-portal', 'open-billing-portal']) {
    declareFunction(http, {
      name,
      callers: 'users',
      body: portalBody,
      limit: { count: 30, seconds: 300 },
      async handle({ caller, body }): Promise<BillingPortalReply> {
        const returnUrl = ownAddressOf(resources, body.return_url);
        const customer = await customerOf(caller.userId, body.subscription_id);
        const { subscription_id: id, price_id: price, flow } = body;
        const request = {
          return_url: returnUrl,
          ...(flow === undefined ? {} : { flow }),
          ...(id === undefined ? {} : { subscription_id: id }),
          ...(price === undefined ? {} : { price_id: price }),
        };
        const flowData = await flowOf(request, caller.userId);
        const session = await payments.stripe.billingPortal.sessions
          .create({
            customer,
            return_url: returnUrl,
            ...(flowData === undefined ? {} : { flow_data: flowData }),
          })
          .catch(refused);
        return { url: session.url };
      },
    });
  }

  /**
   * The provider's customer whose page it is: that of the named subscription, since a plan that was bought before signing in
   * may be that of another customer than the one that names the account.
   */
  async function customerOf(userId: string | undefined, id: string | undefined): Promise<string> {
    const row = await resources.database.maybe(
      'select customer_id from public.customers where user_id = $1',
      [userId],
    );
    if (row?.customer_id == null) {
      throw new ServiceError(404, 'no_customer', 'There is no payment account yet: choose a plan first.');
    }
    if (id === undefined) return row.customer_id;
    const held = await ownSubscription(resources, userId, id);
    const { customer } = await payments.stripe.subscriptions.retrieve(held.id).catch(refused);
    return typeof customer === 'string' ? customer : customer.id;
  }

  async function flowOf(
    request: OpenBillingPortalRequest,
    userId: string | undefined,
  ): Promise<FlowData | undefined> {
    const { flow, return_url } = request;
    if (flow === undefined) return undefined;
    const after = { after_completion: { type: 'redirect', redirect: { return_url } } } as const;
    if (flow === 'payment_method_update') return { type: flow, ...after };
    const held = await ownSubscription(resources, userId, request.subscription_id);
    const subscription = held.id;
    if (flow !== 'subscription_update_confirm') return { type: flow, [flow]: { subscription }, ...after };
    const plan = targetPlan(resources.site.plans, held, request.price_id ?? '');
    await payments.prices.refresh();
    const { items } = await payments.stripe.subscriptions.retrieve(subscription);
    const item = { id: items.data[0]?.id ?? '', price: payments.prices.toProvider(plan), quantity: 1 };
    return { type: flow, subscription_update_confirm: { subscription, items: [item] }, ...after };
  }
}

function refused(error: unknown): never {
  throw new ServiceError(502, 'portal_failed', 'Unable to open the billing page. Please try again later.', {
    cause: error,
  });
}
