import { z } from 'zod';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { isKnownSecret } from '../known-secret.server.ts';
import type { Payments } from '../payments.server.ts';
import { fetchPaidSession } from './checkout-fulfilment.server.ts';
import type { CheckoutOutcome } from './checkout-start.contract.ts';

/**
 * `POST /functions/v1/checkout-outcome` `{session_id, checkout_secret?}`: whether a checkout that was started
 * here is paid. The provider is asked only about sessions that we opened, so invented ids cost it nothing. An
 * unknown session gets the same reply as one that is not paid. A caller with the secret of a purchase without
 * an account also gets the address used for the payment, to fill in the sign-up form.
 */
export function mountCheckoutOutcome(http: HttpContext, { database }: Resources, payments: Payments): void {
  declareFunction(http, {
    name: 'checkout-outcome',
    callers: 'anyone',
    body: z.object({
      session_id: z.string().min(1).max(255),
      checkout_secret: z.string().max(255).optional(),
    }),
    limit: { count: 60, seconds: 300 },
    async handle({ body: { session_id: id, checkout_secret: secret } }): Promise<CheckoutOutcome> {
      const checkout = await database.maybe(
        'select paid_at, email, secret_hash, claim_hash from private.checkouts where session_id = $1',
        [id],
      );
      if (checkout === undefined) return { paid: false };
      // The webhook may not have arrived yet.
      const fetched = checkout.paid_at === null ? await fetchPaidSession(payments, id) : undefined;
      if (checkout.paid_at === null && fetched === undefined) return { paid: false };
      const email = checkout.email ?? fetched?.email ?? null;
      const isOwn =
        secret !== undefined && isKnownSecret(secret, [checkout.secret_hash, checkout.claim_hash]);
      return { paid: true, ...(isOwn && email !== null && { email }) };
    },
  });
}
