import { Button } from '../../../ui/parts/button.tsx';
import type { BilledSubscription } from '../subscription/billing-management.contract.ts';
import type { BillingPortal } from '../subscription/billing-portal.web.ts';
import { cardWords, dateWords, moneyWords } from '../subscription/billing-words.web.ts';

/** Shown above everything while a payment is due: what failed, what follows, and what to do. */
export function PaymentDue({ billed, portal }: { billed: BilledSubscription; portal: BillingPortal }) {
  const { plan, subscription, next_payment, payment_method } = billed;
  const isPastDue = subscription.status === 'past_due';
  const id = `due-${plan.line}`;
  return (
    <section className="panel due" role="alert" aria-labelledby={id}>
      <div>
        <h2 id={id}>{isPastDue ? 'Payment Due' : 'Payment not made'}</h2>
        <p>
          {moneyWords(next_payment?.amount_pence ?? plan.amount_pence, plan.currency)} for your {plan.name}{' '}
          could not be taken{payment_method === null ? '' : ` from ${cardWords(payment_method)}`}.{' '}
          {isPastDue && next_payment !== null && Date.parse(next_payment.date) > Date.now()
            ? `It is tried again on ${dateWords(next_payment.date)}. `
            : ''}
          Update your card to keep your plan.
        </p>
      </div>
      <Button
        look="signal"
        busy={portal.busy}
        onClick={() => portal.open({ flow: 'payment_method_update', subscription_id: subscription.id })}
      >
        Update card
      </Button>
    </section>
  );
}
