import { Button } from '../../../ui/parts/button.tsx';
import type { BilledPlan, BilledSubscription } from '../subscription/billing-management.contract.ts';
import type { BillingPortal } from '../subscription/billing-portal.web.ts';
import {
  cardWords,
  dateWords,
  endsWithAccount,
  moneyWords,
  statusSummary,
} from '../subscription/billing-words.web.ts';
import { isValidStatus, statusWords } from '../subscription/subscription-read.web.ts';
import { UsageBoard } from './usage-board.web.tsx';

type PendingPlan = NonNullable<BilledSubscription['pending_change']>;

interface PlanSummaryProps {
  readonly billed: BilledSubscription;
  /** When the account will be deleted, if that is planned, ISO 8601. */
  readonly deletionDue: string | undefined;
  readonly portal: BillingPortal;
  /** True while a resumption is under way. */
  readonly resuming: boolean;
  /** Shows the plans that this one can be changed to. */
  readonly onPlans: () => void;
  readonly onCancel: () => void;
  readonly onResume: () => void;
}

/**
 * A plan with its price, dates and actions, and what has been used of it (docs/specification/site.md §2).
 * Drawn like a season pass, whose stub shows the use.
 */
export function PlanSummary(props: PlanSummaryProps) {
  const { billed, deletionDue, portal } = props;
  const { plan, subscription, next_payment, payment_method } = billed;
  const { status } = subscription;
  const id = `current-plan-${plan.line}`;
  const words = statusWords(status, plan.name);
  const tone = isValidStatus(status) ? 'active' : status === 'past_due' ? 'due' : 'none';
  return (
    <section className="panel current-plan" aria-labelledby={`${id} ${id}-badge`}>
      <div className="current-plan-facts">
        <div className="current-head">
          <h2 id={id}>Current Plan</h2>
          <span className="badge" id={`${id}-badge`} data-status={tone}>
            {words}
          </span>
        </div>
        <p className="big num">
          {moneyWords(plan.amount_pence, plan.currency)}
          <small> a month{words === plan.name ? '' : ` for ${plan.name}`}</small>
        </p>
        <dl className="facts">
          <NextPayment billed={billed} deletionDue={deletionDue} />
          <div>
            <dt>Payment method</dt>
            <dd>
              {cardWords(payment_method)}
              {billed.can.change_card && (
                <button
                  type="button"
                  className="text-btn"
                  aria-disabled={portal.busy || undefined}
                  onClick={() =>
                    portal.open({ flow: 'payment_method_update', subscription_id: subscription.id })
                  }
                >
                  Update card
                </button>
              )}
            </dd>
          </div>
        </dl>
        {billed.pending_change === null || endsWithAccount(billed, deletionDue) ? (
          <p className="meta">{statusSummary(billed, deletionDue)}</p>
        ) : (
          <PendingChange plan={plan} change={billed.pending_change} />
        )}
        <PlanActions {...props} owes={status === 'past_due' || next_payment === null} />
      </div>
      <UsageBoard billed={billed} deletionDue={deletionDue} />
    </section>
  );
}

/** The date in the words of the specification, and the amount that will be charged. */
function NextPayment({ billed, deletionDue }: Pick<PlanSummaryProps, 'billed' | 'deletionDue'>) {
  const { subscription, next_payment } = billed;
  if (isValidStatus(subscription.status) && endsWithAccount(billed, deletionDue)) {
    return (
      <div>
        <dt>Ends on</dt>
        <dd>{dateWords(deletionDue)}</dd>
      </div>
    );
  }
  if (subscription.cancel_at_period_end || next_payment === null) {
    const isOver = !isValidStatus(subscription.status);
    return (
      <div>
        <dt>{subscription.cancel_at_period_end && !isOver ? 'Ends on' : 'Next billing date'}</dt>
        <dd>
          {subscription.cancel_at_period_end && !isOver ? dateWords(subscription.current_period_end) : 'None'}
        </dd>
      </div>
    );
  }
  const isDue = subscription.status === 'past_due';
  return (
    <div>
      <dt>{isDue ? 'Tried again on' : 'Next billing date'}</dt>
      <dd>
        {dateWords(next_payment.date)}
        <span className="num"> {moneyWords(next_payment.amount_pence, billed.plan.currency)}</span>
      </dd>
    </div>
  );
}

function PendingChange({ plan, change }: { plan: BilledPlan; change: PendingPlan }) {
  return (
    <p className="pending">
      Changes to <b>{change.plan.name}</b> on {dateWords(change.date)}, then{' '}
      {moneyWords(change.plan.amount_pence, change.plan.currency)} a month. Until then you keep the{' '}
      {plan.name}.
    </p>
  );
}

function PlanActions({
  billed,
  resuming,
  onPlans,
  onCancel,
  onResume,
  owes,
}: PlanSummaryProps & { owes: boolean }) {
  const { can, plan, pending_change, subscription } = billed;
  const changes = can.upgrade.length + can.downgrade.length > 0;
  const ending = subscription.cancel_at_period_end;
  if (!changes && !can.cancel && !can.resume) return null;
  return (
    <div className="current-plan-acts">
      {can.resume && (
        <Button small look={ending ? 'signal' : 'quiet'} busy={resuming} onClick={onResume}>
          {ending || pending_change === null ? `Resume ${plan.name}` : `Keep ${plan.name}`}
        </Button>
      )}
      {changes && !ending && (
        <a className={owes ? 'btn small quiet' : 'btn small'} href={`#plans-${plan.line}`} onClick={onPlans}>
          Change plan
        </a>
      )}
      {can.cancel && (
        <Button small look="quiet" onClick={onCancel}>
          Cancel plan
        </Button>
      )}
    </div>
  );
}
