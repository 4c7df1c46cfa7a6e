import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { syncCustomer } from '../../billing/customers/subscription-sync.server.ts';
import type { Payments } from '../../billing/payments.server.ts';
import { declareOperatorWork, type OperatorScope, signAsOperator } from '../operator-gate.server.ts';
import { REASON_LENGTH, type RefundRequest } from './customer-record.contract.ts';

const REFUND = z.object({
  id: z.uuid(),
  invoice: z.string().min(1).max(255),
  amount: z.int().min(1),
  reason: z.string().trim().min(1).max(REASON_LENGTH),
  attempt: z.uuid(),
});

/** Refunds in a minute: each one asks the payment provider several times. */
const PER_MINUTE = 20;

/**
 * `POST operator-refund`: gives money of a paid invoice back at the payment provider, then takes over what the provider
 * says. The audit has it first; a process that dies in between leaves the rest to the provider's webhook.
 */
export function serveRefunds(scope: OperatorScope & { readonly payments: Payments }): void {
  const { resources, payments } = scope;
  declareOperatorWork(scope, {
    name: 'refund',
    input: REFUND,
    perMinute: PER_MINUTE,
    async work(caller, given) {
      const customer = await resources.database.transaction(async (queries) => {
        await signAsOperator(queries, caller, {
          action: 'customer.refund',
          subject: given.id,
          details: { invoice: given.invoice, amount: given.amount, reason: given.reason },
        });
        return requireRefundable(queries, given);
      });
      await refund(payments, given, caller.userId ?? caller.role);
      await syncCustomer(resources, payments, customer);
      return { done: true };
    },
  });
}

/** @throws ServiceError 404 for an invoice of another customer, 409 `demo_data` for an invented one, 409 `bad_amount` when less than that can be given back */
async function requireRefundable(queries: Queries, { id, invoice, amount }: RefundRequest): Promise<string> {
  const row = await queries.maybe(
    `select i.customer_id, case when i.status = 'paid' then i.total - i.amount_remaining - i.refunded else 0 end as left /* not null */,
            private.is_demo(i.id) as demo
       from private.payment_invoices i
       join private.payment_customers p on p.customer_id = i.customer_id
       join public.customers c on c.id = p.customer_row
      where i.id = $1 and c.user_id = $2`,
    [invoice, id],
  );
  if (row === undefined) throw new ServiceError(404, 'not_found', 'There is no such invoice.');
  if (row.demo === true) {
    throw new ServiceError(409, 'demo_data', 'This is demo data: nobody paid this invoice.');
  }
  if (amount > row.left) {
    throw new ServiceError(409, 'bad_amount', 'Less than that is left of this invoice to give back.');
  }
  return row.customer_id;
}

/** @throws ServiceError 409 `refund_failed` with the provider's reason */
async function refund({ stripe }: Payments, given: RefundRequest, by: string): Promise<void> {
  try {
    const invoice = await stripe.invoices.retrieve(given.invoice, { expand: ['payments'] });
    const intents = (invoice.payments?.data ?? []).flatMap(({ payment }) => {
      const intent = payment.payment_intent;
      return typeof intent === 'string' ? intent : (intent?.id ?? []);
    });
    const [intent] = intents;
    if (intent === undefined || intents.length > 1) {
      throw new ServiceError(
        409,
        'refund_failed',
        'This invoice was not paid by one card payment. Please refund it at the payment provider.',
      );
    }
    await stripe.refunds.create(
      {
        payment_intent: intent,
        amount: given.amount,
        reason: 'requested_by_customer',
        metadata: { northline_reason: given.reason, northline_operator: by },
      },
      // The same attempt is the same refund, however often its request comes.
      { idempotencyKey: `refund-${given.attempt}` },
    );
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError(
      409,
      'refund_failed',
      `The payment provider refused the refund: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
