import { useQuery } from '@tanstack/react-query';
import type { Plan } from '../../../kernel/contract/plans.ts';
import { site } from '../../../ui/brand.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { QuestionDialog } from '../../../ui/parts/question-dialog.tsx';
import { useBillingChange } from './billing-change.web.ts';
import {
  BILLING_FUNCTIONS,
  type BilledSubscription,
  type PlanChangePreview,
} from './billing-management.contract.ts';
import type { BillingPortal } from './billing-portal.web.ts';
import { callBilling } from './billing-read.web.ts';
import { changeVerb, dateWords, moneyWords } from './billing-words.web.ts';

interface ChangePlanProps {
  readonly userId: string;
  readonly billed: BilledSubscription;
  readonly target: Plan;
  readonly portal: BillingPortal;
  readonly onClose: () => void;
}

/** Shows exactly what another plan costs now and later, and changes the plan after confirmation. */
export function ChangePlan({ userId, billed, target, portal, onClose }: ChangePlanProps) {
  const { plan, subscription } = billed;
  const asked = { price_id: target.priceId, subscription_id: subscription.id };
  const preview = useQuery({
    queryKey: ['plan-change', userId, subscription.id, target.priceId],
    queryFn: () => callBilling<PlanChangePreview>(BILLING_FUNCTIONS.preview, asked),
    // An amount of money is never shown from a cache, and never replaced while somebody reads it.
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const { busy, refusal, change } = useBillingChange(userId);
  const isUpgrade = billed.can.upgrade.includes(target.priceId);
  const verb = changeVerb(site.plans, billed, target);
  const confirm = async ({ proration_date, next_date }: PlanChangePreview): Promise<void> => {
    const said = isUpgrade
      ? `You are on the ${target.name} now`
      : `You change to the ${target.name} on ${dateWords(next_date)}`;
    if (await change(BILLING_FUNCTIONS.change, { ...asked, proration_date }, said)) onClose();
    else void preview.refetch();
  };
  return (
    <QuestionDialog
      heading={`${verb} to ${target.name}?`}
      busy={busy}
      onClose={onClose}
      keep={`Keep ${plan.name}`}
      act={
        preview.data !== undefined && (
          <Button
            look="signal"
            busy={busy || preview.isFetching}
            onClick={() => preview.data && void confirm(preview.data)}
          >
            {busy ? 'Changing...' : confirmWords(preview.data, verb)}
          </Button>
        )
      }
    >
      <Switchover from={plan.name} to={target.name} isUpgrade={isUpgrade} />
      {preview.isPending && (
        <div className="ghost-line preview-ghost" role="status" aria-label="Working out the amount" />
      )}
      {preview.isError && (
        <div role="alert">
          <p className="fault">{preview.error.message}</p>
          <Button small look="quiet" busy={preview.isFetching} onClick={() => void preview.refetch()}>
            Try again
          </Button>
        </div>
      )}
      {preview.data !== undefined && <Preview preview={preview.data} from={plan.name} to={target} />}
      {refusal !== undefined && (
        <div className="refusal" role="alert">
          <p className="fault">{refusal.message}</p>
          {(refusal.code === 'card_declined' || refusal.code === 'past_due') && (
            <Button
              small
              look="quiet"
              busy={portal.busy}
              onClick={() => portal.open({ flow: 'payment_method_update', subscription_id: subscription.id })}
            >
              Update card
            </Button>
          )}
          {refusal.code === 'authentication_required' && (
            <Button
              small
              look="quiet"
              busy={portal.busy}
              onClick={() => portal.open({ flow: 'subscription_update_confirm', ...asked })}
            >
              Confirm with your bank
            </Button>
          )}
        </div>
      )}
    </QuestionDialog>
  );
}

const confirmWords = (
  { direction, amount_due_now_pence, currency, next_date }: PlanChangePreview,
  verb: ReturnType<typeof changeVerb>,
): string => {
  if (direction === 'downgrade') return `Change on ${dateWords(next_date)}`;
  return amount_due_now_pence > 0
    ? `Pay ${moneyWords(amount_due_now_pence, currency)} and ${verb.toLowerCase()}`
    : `${verb} now`;
};

interface PreviewProps {
  readonly preview: PlanChangePreview;
  readonly from: string;
  readonly to: Plan;
}

function Preview({ preview, from, to }: PreviewProps) {
  const { direction, currency, amount_due_now_pence, next_amount_pence, next_date, lines } = preview;
  return (
    <>
      <table className="preview">
        <caption className="hidden-text">What the change costs</caption>
        <tbody>
          {direction === 'upgrade' &&
            lines.map((line) => (
              <tr key={line.description}>
                <th scope="row">{line.description}</th>
                <td className="num">{moneyWords(line.amount_pence, currency)}</td>
              </tr>
            ))}
          <tr className="preview-now">
            <th scope="row">To pay now</th>
            <td className="num">{moneyWords(amount_due_now_pence, currency)}</td>
          </tr>
          <tr>
            <th scope="row">Each month from {dateWords(next_date)}</th>
            <td className="num">{moneyWords(next_amount_pence, currency)}</td>
          </tr>
        </tbody>
      </table>
      <p className="meta">
        {direction === 'upgrade'
          ? `The ${to.name} starts at once with its ${to.limits.creditsPerMonth} ${to.line === 'courses' ? 'uploads' : 'documents'} a month.`
          : `You keep the ${from} until then, and can change your mind up to that day.`}
      </p>
    </>
  );
}

/** One line that crosses over to the other's track: upwards for more, downwards for less. */
function Switchover({ from, to, isUpgrade }: { from: string; to: string; isUpgrade: boolean }) {
  const [start, end] = isUpgrade ? [42, 10] : [10, 42];
  return (
    <div className="switchover" data-up={isUpgrade || undefined} aria-hidden="true">
      <span>{from}</span>
      <svg viewBox="0 0 900 52" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
        <path d={`M0 ${start}H434L466 ${end}H900`} />
      </svg>
      <b>{to}</b>
    </div>
  );
}
