import { useEffect, useState } from 'react';
import { CheckoutButton } from '../../business/billing/checkout/checkout-button.web.tsx';
import type { Plan } from '../../kernel/contract/plans.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { ButtonLink } from '../../ui/parts/button.tsx';
import { readStoredSession } from '../../ui/session/stored-session.ts';

interface PlanButtonProps {
  readonly plan: Plan;
  readonly look: 'ink' | 'signal' | 'quiet';
  readonly small?: boolean;
  /** Price ids of the plans that the visitor has. */
  readonly held: readonly string[];
}

/** Buys a plan. For a plan that the visitor has, it says so and leads to the Billing tab. */
export function PlanButton({ plan, look, small = false, held }: PlanButtonProps) {
  if (!held.includes(plan.priceId)) return <CheckoutButton plan={plan} look={look} small={small} />;
  return (
    <ButtonLink look={look} small={small} href={PAGES.billing.path}>
      Current Plan
    </ButtonLink>
  );
}

/** Price ids of the signed-in user's current plans; empty for visitors, and while they are not known. */
export function useHeldPrices(): readonly string[] {
  const [held, setHeld] = useState<readonly string[]>([]);
  useEffect(() => {
    if (readStoredSession() === undefined) return;
    // Without an answer the buttons stay: the plans are checked again when one is pressed.
    import('../../business/billing/subscription/plans-held.web.ts')
      .then(({ readHeldPrices }) => readHeldPrices())
      .then(setHeld, () => undefined);
  }, []);
  return held;
}
