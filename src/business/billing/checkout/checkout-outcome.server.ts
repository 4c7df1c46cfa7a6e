import { z } from 'zod';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { Payments } from '../payments.server.ts';
import { fetchPaidSession } from './checkout-fulfilment.server.ts';
import type { CheckoutOutcome } from './checkout-start.contract.ts';

/**
 * `POST /functions/v1/checkout-outcome` `{session_id}`: whether a checkout that was started here is paid.
 * The provider is asked only about sessions that we opened, so invented ones cost it nothing; one that
 * nobody opened and one that is not paid are answered alike.
 */
export function mountCheckoutOutcome(http: HttpContext, { database }: Resources, payments: Payments): void {
  declareFunction(http, {
    name: 'checkout-outcome',
    callers: 'anyone',
    body: z.object({ session_id: z.string().min(1).max(255) }),
    limit: { count: 60, seconds: 300 },
    async handle({ body }): Promise<CheckoutOutcome> {
      const checkout = await database.maybe('select paid_at from private.checkouts where session_id = $1', [
        body.session_id,
      ]);
      if (checkout === undefined) return { paid: false };
      if (checkout.paid_at !== null) return { paid: true };
      // The webhook may not have come yet.
      return { paid: (await fetchPaidSession(payments, body.session_id)) !== undefined };
    },
  });
}
