import { formatMoney } from '@northline/vat/money';
import { BUSINESS_TIER, type Plan } from '../../../kernel/contract/plans.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { site } from '../../../ui/brand.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { CheckoutButton } from '../checkout/checkout-button.web.tsx';
import { PurchaseTerms } from '../checkout/purchase-terms.web.tsx';
import type { BilledSubscription } from '../subscription/billing-management.contract.ts';
import { changeVerb, dateWords } from '../subscription/billing-words.web.ts';
import { isHeld, isValidStatus } from '../subscription/subscription-read.web.ts';

interface PlanChoicesProps {
  readonly subscriptions: readonly BilledSubscription[];
  /** True once the available plans are known; before that, none is offered. */
  readonly known: boolean;
  readonly onChange: (billed: BilledSubscription, target: Plan) => void;
}

/** All subscription plans, with 'Current Plan' on the user's (docs/specification/site.md §2). */
export function PlanChoices(props: PlanChoicesProps) {
  return (
    <>
      <PlanLine title="Document Analysis" plans={site.plans.documents} {...props} />
      <div className="panel tier">
        <div>
          <h3>{BUSINESS_TIER.name}</h3>
          <p className="meta">{BUSINESS_TIER.description}</p>
        </div>
        <b>{BUSINESS_TIER.price}</b>
        <ButtonLink
          look="quiet"
          href={`${PAGES.enquire.path}?service=${encodeURIComponent(BUSINESS_TIER.name)}`}
        >
          Ask about {BUSINESS_TIER.name}
        </ButtonLink>
      </div>
      <PlanLine title="Course Creation" plans={site.plans.courses} {...props} />
      <p className="meta price-note">{site.priceNote}</p>
      <PurchaseTerms />
    </>
  );
}

function PlanLine({
  title,
  plans,
  subscriptions,
  known,
  onChange,
}: PlanChoicesProps & { title: string; plans: readonly Plan[] }) {
  const id = `plans-${plans[0]?.line}`;
  const held = subscriptions.find(
    (billed) => billed.plan.line === plans[0]?.line && isHeld(billed.subscription.status),
  );
  const isFirst = subscriptions.every(({ subscription }) => !isHeld(subscription.status));
  if (plans.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
      <ul className="choices">
        {plans.map((plan) => {
          const isCurrent = held?.plan.price_id === plan.priceId;
          return (
            <li
              key={plan.priceId}
              className="panel choice"
              data-line={plan.line}
              data-current={isCurrent || undefined}
            >
              <h3>
                {plan.name}
                {isCurrent && <span className="badge">Current Plan</span>}
                {!isCurrent && plan.mostPopular && <span className="badge popular">Most Popular</span>}
              </h3>
              <p className="big num">
                {formatMoney(plan.pricePence, plan.currency)}
                <small> a month</small>
              </p>
              <ul>
                {plan.features.map((feature) => (
                  <li key={feature}>{feature}</li>
                ))}
              </ul>
              {held !== undefined ? (
                <HeldAction held={held} plan={plan} onChange={onChange} />
              ) : (
                known && (
                  <CheckoutButton
                    plan={plan}
                    look={isFirst && plan.line === 'documents' && plan.mostPopular ? 'signal' : 'quiet'}
                    small
                  />
                )
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The actions of a user with a plan of this line for one of the line's plans. */
function HeldAction({
  held,
  plan,
  onChange,
}: {
  held: BilledSubscription;
  plan: Plan;
  onChange: PlanChoicesProps['onChange'];
}) {
  const { can, pending_change, subscription } = held;
  const name = plan.name.replace(/ Plan$/, '');
  const isUpgrade = can.upgrade.includes(plan.priceId);
  if (pending_change?.plan.price_id === plan.priceId) {
    return <p className="meta choice-foot">Starts on {dateWords(pending_change.date)}</p>;
  }
  if (held.plan.price_id === plan.priceId) {
    const verb = subscription.cancel_at_period_end || pending_change !== null ? 'Ends' : 'Renews';
    return (
      <p className="meta choice-foot">
        {isValidStatus(subscription.status)
          ? `${verb} on ${dateWords(subscription.current_period_end)}`
          : 'Waiting for a payment'}
      </p>
    );
  }
  if (!isUpgrade && !can.downgrade.includes(plan.priceId)) return null;
  return (
    <Button small look="quiet" onClick={() => onChange(held, plan)}>
      {changeVerb(site.plans, held, plan)} to {name}
    </Button>
  );
}
