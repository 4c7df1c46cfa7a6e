import { z } from 'zod';
import { readCreditPacks } from '../../../kernel/config/credit-packs.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import {
  type CreditPack,
  type CreditPacks,
  type CreditPurchase,
  PACK_FIELD,
  packName,
} from '../credit-purchase.contract.ts';
import { type Payments, taxFields } from '../payments.server.ts';
import {
  ownAddressOf,
  pageOf,
  providerCustomerOf,
  requireStaying,
  withSessionId,
} from './checkout-start.server.ts';

/**
 * Mounts `credit-packs` and `buy-credits`: packs of credits in the setting CREDIT_PACKS, which are bought
 * once. The payment creates an invoice at the provider, from which the credits are granted like those of a
 * plan (decision 0360).
 */
export function mountCreditPurchase(http: HttpContext, resources: Resources, payments: Payments): void {
  const packsSold = () => readCreditPacks(resources.settings.CREDIT_PACKS) ?? [];
  declareFunction(http, {
    name: 'credit-packs',
    callers: 'users',
    body: z.object({}).nullish(),
    limit: { count: 300, seconds: 300 },
    handle: async (): Promise<CreditPacks> => ({
      packs: packsSold(),
      currency: resources.site.currency,
    }),
  });
  declareFunction(http, {
    name: 'buy-credits',
    callers: 'users',
    body: z.object({
      credits: z.int().min(1).max(100_000),
      success_url: z.string().max(2000),
      cancel_url: z.string().max(2000),
    }),
    limit: { count: 30, seconds: 300 },
    async handle({ caller, body }) {
      const pack = packsSold().find(({ credits }) => credits === body.credits);
      if (pack === undefined)
        throw new ServiceError(400, 'unknown_pack', 'This number of credits is not sold here.');
      const request = {
        ...body,
        success_url: ownAddressOf(resources, body.success_url),
        cancel_url: ownAddressOf(resources, body.cancel_url),
      };
      try {
        return await openPurchase({ resources, payments, pack, request }, caller.userId ?? '');
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        throw new ServiceError(502, 'checkout_failed', MESSAGES.checkout.failed, { cause: error });
      }
    },
  });
}

interface Purchase {
  readonly resources: Resources;
  readonly payments: Payments;
  readonly pack: CreditPack;
  readonly request: CreditPurchase;
}

async function openPurchase(
  { resources, payments, pack, request }: Purchase,
  userId: string,
): Promise<{ url: string; session_id: string }> {
  await requireStaying(resources.database, userId);
  const customer = await providerCustomerOf(resources, payments, userId);
  const name = packName(pack.credits);
  const session = await payments.stripe.checkout.sessions.create({
    mode: 'payment',
    customer,
    client_reference_id: userId,
    line_items: [
      {
        price_data: {
          currency: resources.site.currency.toLowerCase(),
          unit_amount: pack.amount_pence,
          product_data: { name },
          ...(payments.taxed && { tax_behavior: 'inclusive' }),
        },
        quantity: 1,
      },
    ],
    invoice_creation: {
      enabled: true,
      invoice_data: { description: name, metadata: { [PACK_FIELD]: String(pack.credits) } },
    },
    metadata: { name },
    ...taxFields(payments, customer),
    success_url: withSessionId(request.success_url),
    cancel_url: request.cancel_url,
  });
  const url = pageOf(session);
  await resources.database.run(
    'insert into private.checkouts (session_id, started_by, price_id, customer_id) values ($1, $2, $3, $4)',
    [session.id, userId, `credits_${pack.credits}`, customer],
  );
  return { url, session_id: session.id };
}
