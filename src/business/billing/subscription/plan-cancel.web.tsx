import { Button } from '../../../ui/parts/button.tsx';
import { QuestionDialog } from '../../../ui/parts/question-dialog.tsx';
import { useBillingChange } from './billing-change.web.ts';
import { BILLING_FUNCTIONS, type BilledSubscription } from './billing-management.contract.ts';
import { dateWords } from './billing-words.web.ts';

interface CancelPlanProps {
  readonly userId: string;
  readonly billed: BilledSubscription;
  readonly onClose: () => void;
}

/** Asks before a plan is cancelled at the end of its period, and says what the user keeps. */
export function CancelPlan({ userId, billed: { plan, subscription }, onClose }: CancelPlanProps) {
  const end = dateWords(subscription.current_period_end);
  const { busy, refusal, change } = useBillingChange(userId);
  const cancel = async (): Promise<void> => {
    const done = await change(
      BILLING_FUNCTIONS.cancel,
      { subscription_id: subscription.id },
      `Your ${plan.name} ends on ${end}`,
    );
    if (done) onClose();
  };
  return (
    <QuestionDialog
      heading={`Cancel ${plan.name}?`}
      busy={busy}
      onClose={onClose}
      keep="Keep plan"
      act={
        <Button look="danger" busy={busy} onClick={() => void cancel()}>
          {busy ? 'Cancelling...' : 'Cancel plan'}
        </Button>
      }
    >
      <p>
        It stays active until <b>{end}</b>, with all that you have paid for, and is not renewed. Your files
        and reports stay yours, and until that day you can resume the plan with one press.
      </p>
      {refusal !== undefined && (
        <p className="fault" role="alert">
          {refusal.message}
        </p>
      )}
    </QuestionDialog>
  );
}
