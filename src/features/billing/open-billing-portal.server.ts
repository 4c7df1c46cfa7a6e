import { z } from 'zod';
import { ServiceError } from '../../contract/service-error.ts';
import type { Door } from '../../http/door.ts';
import type { Resources } from '../../resources/resources.ts';
import { declareFunction } from '../functions/declare-function.server.ts';
import type { Payments } from './open-payments.server.ts';
import type { BillingPortalReply } from './start-checkout.contract.ts';
import { ownAddressOf } from './start-checkout.server.ts';

/**
 * `POST /functions/v1/billing-portal`: the provider's page where a customer changes the card,
 * cancels and resumes. 404 `no_customer` for a user who never bought anything.
 */
export function mountBillingPortal(door: Door, resources: Resources, payments: Payments): void {
  declareFunction(door, {
    name: 'billing-portal',
    callers: 'users',
    body: z.object({ return_url: z.string().max(2000) }),
    limit: { count: 30, seconds: 300 },
    async handle({ caller, body }): Promise<BillingPortalReply> {
      const returnUrl = ownAddressOf(resources, body.return_url);
      const row = await resources.database.maybe<{ customer_id: string | null }>(
        'select customer_id from public.customers where user_id = $1',
        [caller.userId],
      );
      if (row?.customer_id == null) {
        throw new ServiceError(404, 'no_customer', 'There is no payment account yet: choose a plan first.');
      }
      const session = await payments.stripe.billingPortal.sessions
        .create({ customer: row.customer_id, return_url: returnUrl })
        .catch((error: unknown) => {
          throw new ServiceError(
            502,
            'portal_failed',
            'Unable to open the billing page. Please try again later.',
            {
              cause: error,
            },
          );
        });
      return { url: session.url };
    },
  });
}
