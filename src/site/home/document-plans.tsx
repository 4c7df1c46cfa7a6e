import { formatMoney } from '@northline/vat/money';
import { PurchaseTerms } from '../../business/billing/checkout/purchase-terms.web.tsx';
import { BUSINESS_TIER } from '../../kernel/contract/plans.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { site, words } from '../../ui/brand.ts';
import { Marks } from '../../ui/parts/marks.tsx';
import { EnquireLink, type OpenEnquiry } from './enquire-link.tsx';
import { PlanButton } from './plan-button.tsx';

/** Document Analysis Solutions: three plans that differ at a glance, and the Business Tier. */
export function DocumentPlans({ openEnquiry, held }: { openEnquiry: OpenEnquiry; held: readonly string[] }) {
  return (
    <section className="stop" id="documents" aria-labelledby="documents-title" data-near="">
      <h2 id="documents-title">{words('documents.heading')}</h2>
      <p className="intro">{words('documents.intro')}</p>
      <p className="after-intro">
        <a href={PAGES.sampleReport.path}>Open a whole report on a sample document</a>
      </p>
      <ul className="fares">
        {site.plans.documents.map((plan) => (
          <li key={plan.tier} className={plan.mostPopular ? 'fare on' : 'fare'}>
            <h3>
              {plan.name}
              {plan.mostPopular ? <span className="pop">Most Popular</span> : null}
            </h3>
            <p className="price">
              {formatMoney(plan.pricePence, plan.currency)}
              <small> a month</small>
            </p>
            <div className="fare-marks">
              <Marks
                documents={plan.limits.creditsPerMonth}
                label={`${plan.limits.creditsPerMonth} documents a month, one mark for five`}
              />
            </div>
            <p className="fare-for">{plan.description}</p>
            <ul>
              {plan.features.map((feature) => (
                <li key={feature}>{feature}</li>
              ))}
            </ul>
            <PlanButton plan={plan} look={plan.mostPopular ? 'signal' : 'ink'} held={held} />
          </li>
        ))}
      </ul>
      <p className="price-note">{site.priceNote}</p>
      <PurchaseTerms />
      <div className="tier">
        <div>
          <h3>{BUSINESS_TIER.name}</h3>
          <p>{BUSINESS_TIER.description}</p>
        </div>
        <strong>{BUSINESS_TIER.price}</strong>
        <EnquireLink service="Business Tier" open={openEnquiry}>
          Ask for a quote
        </EnquireLink>
      </div>
    </section>
  );
}
