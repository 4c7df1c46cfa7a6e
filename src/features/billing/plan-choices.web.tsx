import { formatPence } from '../../contract/formats.ts';
import { BUSINESS_TIER, COURSE_PLANS, DOCUMENT_PLANS, type Plan } from '../../contract/plans.ts';
import { PAGES } from '../../contract/routes.ts';
import { ButtonLink } from '../../web/parts/button.tsx';
import { CheckoutButton } from './checkout-button.web.tsx';

interface PlanChoicesProps {
  /** The price that the user pays for now. */
  readonly currentPriceId: string | undefined;
}

/** All subscription plans, with 'Current Plan' on the user's (`spec/site.md §2`). */
export function PlanChoices(props: PlanChoicesProps) {
  return (
    <>
      <PlanLine title="Document Analysis" plans={DOCUMENT_PLANS} {...props} />
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
      <PlanLine title="Course Creation" plans={COURSE_PLANS} {...props} />
    </>
  );
}

function PlanLine({
  title,
  plans,
  currentPriceId,
}: PlanChoicesProps & { title: string; plans: readonly Plan[] }) {
  const id = `plans-${plans[0]?.line}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul className="choices">
        {plans.map((plan) => {
          const isCurrent = plan.priceId === currentPriceId;
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
                {formatPence(plan.pricePence)}
                <small> a month</small>
              </p>
              <ul>
                {plan.features.map((feature) => (
                  <li key={feature}>{feature}</li>
                ))}
              </ul>
              {!isCurrent && <CheckoutButton plan={plan} look="quiet" small />}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
