import { currencyWord, formatMoney } from '@northline/vat/money';
import { PurchaseTerms } from '../../business/billing/checkout/purchase-terms.web.tsx';
import { formatStorage } from '../../kernel/contract/formats.ts';
import type { Plan } from '../../kernel/contract/plans.ts';
import { site, words } from '../../ui/brand.ts';
import { Written } from '../../ui/parts/written-text.tsx';
import { PlanButton } from './plan-button.tsx';

const ROWS: readonly { name: string; value: (plan: Plan) => string }[] = [
  { name: 'Uploads a month', value: ({ limits }) => String(limits.creditsPerMonth) },
  {
    name: 'Storage',
    value: ({ limits }) => formatStorage(limits.storageMb),
  },
  {
    name: 'Video length',
    value: ({ limits }) => (limits.videoMinutes === -1 ? 'Unlimited' : `${limits.videoMinutes} minutes`),
  },
];

/** Choose Your Perfect Plan: the course plans as one comparison, three columns also on a phone. */
export function CoursePlans({ held }: { held: readonly string[] }) {
  if (site.plans.courses.length === 0) return null;
  return (
    <section className="stop" id="courses" aria-labelledby="courses-title" data-near="">
      <h2 id="courses-title">{words('courses.heading')}</h2>
      <p className="intro">
        <Written text={site.text('courses.intro')} />
      </p>
      <table className="plan">
        <caption className="hidden-text">
          Course plans, prices in {currencyWord(site.currency)} per month
        </caption>
        <thead>
          <tr>
            <td />
            {site.plans.courses.map((plan) => (
              <th key={plan.tier} scope="col" className={plan.mostPopular ? 'hot' : undefined}>
                {plan.mostPopular ? <span className="pop">Most Popular</span> : null}
                {plan.name.replace(/ Plan$/, '')}
                <span className="plan-word"> Plan</span>
                <span className="price">
                  {formatMoney(plan.pricePence, plan.currency)}
                  <small> a month</small>
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              {site.plans.courses.map((plan) => (
                <td key={plan.tier} className={plan.mostPopular ? 'hot' : undefined}>
                  {row.value(plan)}
                </td>
              ))}
            </tr>
          ))}
          <tr>
            <td />
            {site.plans.courses.map((plan) => (
              <td key={plan.tier} className={plan.mostPopular ? 'hot' : undefined}>
                <PlanButton plan={plan} look={plan.mostPopular ? 'ink' : 'quiet'} small held={held} />
              </td>
            ))}
          </tr>
        </tbody>
      </table>
      <p className="price-note">{site.priceNote}</p>
      <PurchaseTerms />
    </section>
  );
}
