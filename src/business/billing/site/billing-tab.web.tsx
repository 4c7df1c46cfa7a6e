import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import type { Plan } from '../../../kernel/contract/plans.ts';
import { site } from '../../../ui/brand.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';
import { customerQuery } from '../customers/customer-read.web.ts';
import { useBillingChange } from '../subscription/billing-change.web.ts';
import {
  BILLING_FUNCTIONS,
  type BilledSubscription,
  type BillingOverview,
} from '../subscription/billing-management.contract.ts';
import { usePortal } from '../subscription/billing-portal.web.ts';
import { billingQuery, subscriptionsOf } from '../subscription/billing-read.web.ts';
import { billingAnswer } from '../subscription/billing-words.web.ts';
import { CancelPlan } from '../subscription/plan-cancel.web.tsx';
import { ChangePlan } from '../subscription/plan-change.web.tsx';
import { allowancesQuery, isHeld } from '../subscription/subscription-read.web.ts';
import { BillingDetailsForm } from './billing-details.web.tsx';
import { CreditHistory } from './credit-history.web.tsx';
import { CreditShop } from './credit-shop.web.tsx';
import { InvoiceList } from './invoice-list.web.tsx';
import { PaymentDue } from './payment-due.web.tsx';
import { PlanChoices } from './plan-choices.web.tsx';
import { PlanSummary } from './plan-summary.web.tsx';

type Asking =
  | { readonly about: 'cancel'; readonly id: string }
  | { readonly about: 'change'; readonly id: string; readonly target: Plan };

const owes = ({ subscription: { status } }: BilledSubscription): boolean =>
  status === 'past_due' || status === 'unpaid';

/**
 * The Billing tab (docs/specification/site.md §2): what the user pays, when and how, how much of it is used,
 * and every change in at most two steps.
 *
 * @param deletionDue when the account will be deleted, if that is planned, ISO 8601
 */
export function BillingTab({ userId, deletionDue }: { userId: string; deletionDue?: string | undefined }) {
  const { data, isError, isFetching, refetch } = useQuery(billingQuery(userId));
  const place = usePlace(userId);
  const [asking, setAsking] = useState<Asking>();
  const portal = usePortal();
  const resumption = useBillingChange(userId);
  const subscriptions = data === undefined ? [] : subscriptionsOf(data);
  const asked = subscriptions.find(({ subscription }) => subscription.id === asking?.id);
  const close = (): void => setAsking(undefined);
  const [showsPlans, setShowsPlans] = useState(false);
  const holds =
    data === undefined
      ? place?.holds === true
      : subscriptions.some(({ subscription }) => isHeld(subscription.status));
  useWantedPlan(data, setAsking);
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Billing</h1>
          {holds && <p className="billing-answer">{billingAnswer(subscriptions, deletionDue)}</p>}
        </div>
      </div>
      <div className="billing">
        {subscriptions.filter(owes).map((billed) => (
          <PaymentDue key={billed.subscription.id} billed={billed} portal={portal} />
        ))}
        {data === undefined ? (
          <Waiting failed={isError} busy={isFetching} place={place} retry={() => void refetch()} />
        ) : (
          <>
            {subscriptions.length === 0 && <NoPlan left={data.usage.left} />}
            {subscriptions.map((billed) => (
              <PlanSummary
                key={billed.subscription.id}
                billed={billed}
                deletionDue={deletionDue}
                portal={portal}
                resuming={resumption.busy}
                onPlans={() => setShowsPlans(true)}
                onCancel={() => setAsking({ about: 'cancel', id: billed.subscription.id })}
                onResume={() => void resume(billed)}
              />
            ))}
          </>
        )}
        {(data !== undefined || isError || place !== undefined) && (
          <Fold folds={holds} open={showsPlans} onOpen={setShowsPlans}>
            <PlanChoices
              subscriptions={subscriptions}
              known={data !== undefined}
              onChange={(billed, target) =>
                setAsking({ about: 'change', id: billed.subscription.id, target })
              }
            />
          </Fold>
        )}
        {/* Below the parts that are shown at once, which must not move when this arrives. */}
        {data !== undefined && (
          <>
            {(subscriptions.length > 0 || data.invoices.length > 0) && (
              <InvoiceList invoices={data.invoices} portal={portal} />
            )}
            <BillingDetailsForm userId={userId} />
            <CreditShop />
            <CreditHistory userId={userId} />
          </>
        )}
      </div>
      {asking?.about === 'cancel' && asked !== undefined && (
        <CancelPlan userId={userId} billed={asked} onClose={close} />
      )}
      {asking?.about === 'change' && asked !== undefined && (
        <ChangePlan userId={userId} billed={asked} target={asking.target} portal={portal} onClose={close} />
      )}
    </>
  );

  async function resume({ plan, subscription }: BilledSubscription): Promise<void> {
    const body = { subscription_id: subscription.id };
    const done = await resumption.change(BILLING_FUNCTIONS.resume, body, `Your ${plan.name} goes on`);
    if (!done) toast.error(`Your ${plan.name} could not be resumed. Please try again.`);
  }
}

interface FoldProps {
  readonly folds: boolean;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly children: ReactNode;
}

/** All plans: folded for a user who has one. */
function Fold({ folds, open, onOpen, children }: FoldProps) {
  if (!folds) return children;
  return (
    <details
      className="panel all-plans"
      open={open}
      onToggle={({ currentTarget }) => onOpen(currentTarget.open)}
    >
      <summary>All plans</summary>
      <div className="billing">{children}</div>
    </details>
  );
}

/**
 * A plan that a subscriber of the same product line chose on another page: `?plan=` opens the change to it,
 * once.
 */
function useWantedPlan(data: BillingOverview | undefined, ask: (asking: Asking) => void): void {
  useEffect(() => {
    const target = site.plans.find(new URLSearchParams(location.search).get('plan') ?? '');
    if (data === undefined || target === undefined) return;
    history.replaceState(history.state, '', location.pathname);
    const held = subscriptionsOf(data).find(({ can }) =>
      [...can.upgrade, ...can.downgrade].includes(target.priceId),
    );
    if (held !== undefined) ask({ about: 'change', id: held.subscription.id, target });
  }, [data, ask]);
}

/**
 * What the space above the plans shows: the plan of a user who has one, or the remaining credits of a user
 * without a plan.
 */
type Place = { readonly holds: true } | { readonly holds: false; readonly left: number };

/**
 * Decides that space by the rows that the dashboard reads anyway, which arrive long before the overview from
 * the payment provider. Undefined until they arrive, because the plans below would move.
 */
function usePlace(userId: string): Place | undefined {
  const allowances = useQuery(allowancesQuery(userId));
  const customer = useQuery(customerQuery(userId));
  if (!allowances.isFetched || !customer.isFetched) return undefined;
  return allowances.data?.plans.length === 0
    ? { holds: false, left: customer.data?.credits ?? 0 }
    : { holds: true };
}

interface WaitingProps {
  readonly failed: boolean;
  readonly busy: boolean;
  readonly place: Place | undefined;
  readonly retry: () => void;
}

function Waiting({ failed, busy, place, retry }: WaitingProps) {
  if (!failed) {
    if (place?.holds === false) return <NoPlan left={place.left} waiting />;
    return (
      <section className="panel current-plan" aria-busy="true" aria-label="Current Plan">
        <div className="current-plan-facts">
          <h2>Current Plan</h2>
          <div className="ghost-line" />
        </div>
        <div className="current-plan-use">
          <div className="ghost-line" />
        </div>
      </section>
    );
  }
  return (
    <div className="panel empty" role="alert">
      <b>Billing could not be loaded</b>
      <p className="meta">Nothing has changed about your plan.</p>
      <Button small look="quiet" busy={busy} onClick={retry}>
        Try again
      </Button>
    </div>
  );
}

/** One sentence; the buttons are on the plans below. Until it is certain, the space is kept empty. */
function NoPlan({ left, waiting = false }: { left: number; waiting?: boolean }) {
  return (
    <section className="panel empty no-plan" aria-labelledby="no-plan" aria-busy={waiting || undefined}>
      <EmptyMark wide />
      <h2 id="no-plan">
        Current Plan{' '}
        <span className="badge" data-status="none">
          No Active Plan
        </span>
      </h2>
      <p className="meta">
        {left > 0
          ? `You have ${left} ${left === 1 ? 'credit' : 'credits'} left. Choose a plan below for more.`
          : 'Choose a plan below to upload documents.'}
      </p>
    </section>
  );
}
