import { useId } from 'react';
import { Link } from 'wouter';
import { formatDate } from '../../../kernel/contract/dates.ts';
import { type Plan, uploadsLeft } from '../../../kernel/contract/plans.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { site } from '../../../ui/brand.ts';
import { unitWords } from '../subscription/billing-words.web.ts';
import {
  type Allowances,
  currentPlan,
  planWords,
  type Subscription,
  shownSubscriptions,
} from '../subscription/subscription-read.web.ts';

interface PlanCardsProps {
  /** Undefined until they are known. */
  readonly allowances: Allowances | undefined;
  readonly credits: number | undefined;
  /** True when the first card's link is the main next step of the page. */
  readonly isNext?: boolean;
}

/** A card for each plan that the user holds, or one for a user without a plan. */
export function PlanCards({ allowances, credits, isNext = false }: PlanCardsProps) {
  const shown = allowances === undefined ? [] : shownSubscriptions(site.plans, allowances);
  if (shown.length === 0)
    return (
      <PlanCard
        subscription={allowances === undefined ? undefined : null}
        credits={credits}
        isNext={isNext}
      />
    );
  return shown.map((subscription, place) => (
    <PlanCard
      key={subscription.price_id}
      subscription={subscription}
      credits={credits}
      isNext={isNext && place === 0}
    />
  ));
}

interface PlanCardProps {
  /** Null without a subscription; undefined until it is known. */
  readonly subscription: Subscription | null | undefined;
  readonly credits: number | undefined;
  /** True when its link is the main next step of the page. */
  readonly isNext?: boolean;
}

/** The allowance of the plan, one mark for each document, and the credits that are left. */
export function PlanCard({ subscription, credits, isNext = false }: PlanCardProps) {
  const id = useId();
  if (subscription === undefined) {
    return (
      <section className="panel pad plan-card" aria-busy="true" aria-label="Your plan">
        <div className="ghost-line" />
      </section>
    );
  }
  const plan = currentPlan(site.plans, subscription);
  const left =
    plan?.line === 'courses' ? uploadsLeft(plan, subscription?.used ?? 0, credits ?? 0) : (credits ?? 0);
  return (
    <section className="panel pad plan-card" aria-labelledby={id}>
      <h2 id={id}>{planWords(site.plans, subscription)}</h2>
      {plan === undefined || subscription === null ? (
        <p className="big num">
          {left}
          <small> {left === 1 ? 'credit' : 'credits'}</small>
        </p>
      ) : (
        <Allowance plan={plan} used={subscription.used} />
      )}
      <p className="meta">
        {plan !== undefined && `${left} ${leftWords(plan, left)} left. `}
        {renewal(subscription, plan)}
      </p>
      <NextStep subscription={subscription} plan={plan} left={left} isNext={isNext} />
    </section>
  );
}

/** What the user can do about a failed payment or missing credits. */
function NextStep({
  subscription,
  plan,
  left,
  isNext,
}: {
  subscription: Subscription | null;
  plan: Plan | undefined;
  left: number;
  isNext: boolean;
}) {
  const words = nextWords(subscription, plan, left);
  if (words === undefined) return null;
  return (
    <Link className={isNext ? 'btn signal small' : 'btn quiet small'} href={PAGES.billing.path}>
      {words}
    </Link>
  );
}

function nextWords(
  subscription: Subscription | null,
  plan: Plan | undefined,
  left: number,
): string | undefined {
  if (subscription?.subscription_status === 'past_due') return 'Update card';
  if (plan === undefined) return 'See the plans';
  return left === 0 ? 'Get more credits' : undefined;
}

function leftWords({ line }: Plan, left: number): string {
  if (line === 'courses') return unitWords(line, left);
  return left === 1 ? 'credit' : 'credits';
}

function Allowance({ plan, used }: { plan: Plan; used: number }) {
  const total = plan.limits.creditsPerMonth;
  // Above a hundred, one mark stands for five, as on the plans of the home page.
  const unit = total > 100 ? 5 : 1;
  const lit = Math.ceil(used / unit);
  return (
    <>
      <p className="big num">
        {used}
        <small>
          {' '}
          of {total} {unitWords(plan.line, total)}
        </small>
      </p>
      <div className="sheets20" aria-hidden="true">
        {Array.from({ length: Math.ceil(total / unit) }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the marks are alike and never move
          <i key={index} className={index < lit ? 'on' : undefined} />
        ))}
      </div>
    </>
  );
}

function renewal(subscription: Subscription | null, plan: Plan | undefined): string {
  if (subscription?.subscription_status === 'past_due') return 'The last payment did not go through.';
  const end = subscription?.current_period_end;
  if (plan === undefined || end === null || end === undefined) return 'Each upload takes one credit.';
  const day = formatDate(new Date(end * 1000));
  return subscription?.cancel_at_period_end === true ? `Ends ${day}.` : `Renews ${day}.`;
}
