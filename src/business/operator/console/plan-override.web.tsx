import { useRef } from 'react';
import { PLANS } from '../../contract/plans.ts';
import { Button } from '../../web/parts/button.tsx';
import type { CustomerAccount } from './operator.contract.ts';
import { shortTime } from './tell-time.web.ts';
import { useOperatorAction } from './use-operator-action.web.ts';

/** The plan that automations are told in place of the paid one: who, why, until when; every change is audited. */
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
      className="desk-note"
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
          {PLANS.map((plan) => (
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
