import { useRef } from 'react';
import { site } from '../../../ui/brand.ts';
import { Button } from '../../../ui/parts/button.tsx';
import type { CustomerAccount } from '../console.contract.ts';
import { useOperatorAction } from '../parts/operator-action.web.ts';
import { shortTime } from '../parts/time-words.web.ts';

/** The plan that automations see instead of the paid one: who set it, why and until when. Every change is audited. */
export function PlanOverride({
  userId,
  override,
}: {
  userId: string;
  override: CustomerAccount['override'];
}) {
  const { busy, act } = useOperatorAction();
  const form = useRef<HTMLFormElement>(null);
  if (override !== null) {
    return (
      <div className="suspicion">
        <p>
          <b>{override.plan}</b> {override.until === null ? '' : `until ${shortTime(override.until)} `}
          by {override.set_by}: {override.reason}
        </p>
        <Button
          small
          look="quiet"
          busy={busy}
          onClick={() => void act({ do: 'customer.end_override', id: userId }, 'The paid plan counts again.')}
        >
          End it
        </Button>
      </div>
    );
  }
  return (
    <form
      ref={form}
      className="console-note"
      onSubmit={(event) => {
        event.preventDefault();
        const values = new FormData(event.currentTarget);
        const day = String(values.get('until') ?? '');
        void act(
          {
            do: 'customer.override',
            id: userId,
            plan: String(values.get('plan')),
            reason: String(values.get('reason')).trim(),
            until: day === '' ? null : new Date(`${day}T23:59:59`).toISOString(),
          },
          'The plan is given.',
        );
      }}
    >
      <div className="field">
        <label htmlFor="override-plan">Plan</label>
        <select id="override-plan" name="plan">
          {site.plans.sold.map((plan) => (
            <option key={plan.name}>{plan.name}</option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor="override-reason">Why</label>
        <input id="override-reason" name="reason" required maxLength={200} autoComplete="off" />
      </div>
      <div className="field">
        <label htmlFor="override-until">
          Until <span className="optional">(optional)</span>
        </label>
        <input id="override-until" name="until" type="date" />
      </div>
      <Button small look="quiet" type="submit" busy={busy}>
        Give this plan
      </Button>
    </form>
  );
}
