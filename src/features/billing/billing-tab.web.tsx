import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { formatDate } from '../../contract/dates.ts';
import { Button } from '../../web/parts/button.tsx';
import { billingPortalAddress } from './open-billing-portal.web.ts';
import { PlanChoices } from './plan-choices.web.tsx';
import { customerQuery } from './read-customer.web.ts';
import {
  isValidStatus,
  planOf,
  planWords,
  type Subscription,
  subscriptionQuery,
} from './read-subscription.web.ts';

/** The Billing tab (`spec/site.md §2`): the plan, how it is paid, and all plans. */
export function BillingTab({ userId }: { userId: string }) {
  const subscription = useQuery(subscriptionQuery(userId));
  const customer = useQuery(customerQuery(userId));
  const current = subscription.data;
  return (
    <>
      <div className="lead-in">
        <h1 tabIndex={-1}>Billing</h1>
      </div>
      <div className="billing">
        {subscription.isError || customer.isError ? (
          <div className="panel empty" role="alert">
            <b>Billing could not be loaded</b>
            <Button
              small
              look="quiet"
              onClick={() => {
                void subscription.refetch();
                void customer.refetch();
              }}
            >
              Try again
            </Button>
          </div>
        ) : (
          <CurrentPlan
            subscription={current}
            credits={customer.data?.credits ?? 0}
            hasCustomer={hasCustomer(customer.data)}
          />
        )}
        <PlanChoices
          currentPriceId={
            current && isValidStatus(current.subscription_status)
              ? (current.price_id ?? undefined)
              : undefined
          }
        />
      </div>
    </>
  );
}

const hasCustomer = (customer: { customer_id: string | null } | null | undefined): boolean =>
  typeof customer?.customer_id === 'string';

interface CurrentPlanProps {
  readonly subscription: Subscription | null | undefined;
  readonly credits: number;
  readonly hasCustomer: boolean;
}

function CurrentPlan({ subscription, credits, hasCustomer }: CurrentPlanProps) {
  const known = subscription !== undefined;
  const status = subscription?.subscription_status;
  return (
    <section className="panel pad current" aria-labelledby="current-plan" aria-busy={!known}>
      <div className="current-head">
        <h2 id="current-plan">Current Plan</h2>
        {known && (
          <span
            className="badge"
            data-status={isValidStatus(status) ? 'active' : status === 'past_due' ? 'due' : 'none'}
          >
            {planWords(subscription)}
          </span>
        )}
      </div>
      <dl className="facts wide">
        <div>
          <dt>Payment method</dt>
          <dd>{known ? paymentMethod(subscription) : '–'}</dd>
        </div>
        <div>
          <dt>{subscription?.cancel_at_period_end === true ? 'Ends on' : 'Next billing date'}</dt>
          <dd>{known ? nextDate(subscription) : '–'}</dd>
        </div>
        <div>
          <dt>Credits</dt>
          <dd className="num">{known ? credits : '–'}</dd>
        </div>
      </dl>
      {known && <p className="meta">{note(subscription)}</p>}
      {hasCustomer && <ManageBilling />}
    </section>
  );
}

function paymentMethod(subscription: Subscription | null): string {
  const last4 = subscription?.payment_method_last4;
  if (!last4) return 'None';
  const brand = subscription?.payment_method_brand ?? 'card';
  return `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ending in ${last4}`;
}

function nextDate(subscription: Subscription | null): string {
  const end = subscription?.current_period_end;
  if (!end || !isValidStatus(subscription?.subscription_status)) return 'None';
  return formatDate(new Date(end * 1000));
}

/** One sentence on where the subscription stands. */
function note(subscription: Subscription | null): string {
  const status = subscription?.subscription_status;
  if (subscription === null || !status) return 'Choose a plan below to upload documents.';
  if (status === 'past_due')
    return 'The last payment did not go through. Update your card to keep your plan.';
  if (!isValidStatus(status)) return 'Your plan has ended. Choose a plan below to go on.';
  const name = planOf(subscription)?.name ?? 'plan';
  if (subscription.cancel_at_period_end === true)
    return `Your ${name} stays active until then and does not renew.`;
  return `Your ${name} is active and renews by itself. You can change or cancel it at any time.`;
}

function ManageBilling() {
  const [busy, setBusy] = useState(false);
  const opening = useRef(false);
  const open = async (): Promise<void> => {
    if (opening.current) return;
    opening.current = true;
    setBusy(true);
    try {
      location.assign(await billingPortalAddress());
    } catch (error) {
      toast.error(error instanceof Error ? error.message : String(error));
    } finally {
      opening.current = false;
      setBusy(false);
    }
  };
  return (
    <Button small busy={busy} onClick={() => void open()}>
      Manage billing
    </Button>
  );
}
