import { useEffect, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import type { Plan } from '../../../kernel/contract/plans.ts';
import { Button } from '../../../ui/parts/button.tsx';

interface CheckoutButtonProps {
  plan: Plan;
  look?: 'ink' | 'signal' | 'quiet';
  small?: boolean;
}

/** Idle, then processing, then the payment provider's page opens (docs/specification/site.md §4). */
export function CheckoutButton({ plan, look = 'ink', small = false }: CheckoutButtonProps) {
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    // When the visitor comes back by the Back button, the page comes out of the cache in its former state.
    const back = (event: PageTransitionEvent): void => {
      if (event.persisted) setBusy(false);
    };
    addEventListener('pageshow', back);
    return () => removeEventListener('pageshow', back);
  }, []);
  const name = plan.name.replace(/ Plan$/, '');
  return (
    <Button
      look={look}
      small={small}
      busy={busy}
      onClick={async () => {
        setBusy(true);
        // Fetched when somebody buys: most visitors only read.
        const checkout = await import('./checkout-start.web.ts').catch(() => undefined);
        if (checkout === undefined) toast.error(MESSAGES.checkout.unavailable);
        if (!(await checkout?.startCheckout(plan.priceId, plan.mode))) setBusy(false);
      }}
    >
      {busy ? (
        'Processing...'
      ) : (
        <span>
          Choose <span className="choose-name">{name}</span>
        </span>
      )}
    </Button>
  );
}
