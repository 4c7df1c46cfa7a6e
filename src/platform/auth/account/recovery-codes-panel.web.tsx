import { useQuery } from '@tanstack/react-query';
import { Button } from '../../../ui/parts/button.tsx';
import { useSubmission } from '../site/submission.web.ts';
import { readRemaining, replaceRecoveryCodes } from './recovery-codes.web.ts';

/** Shows how many recovery codes are left; new ones are created by the step that `FactorGate` then shows. */
export function RecoveryCodesPanel() {
  const { busy, error, run } = useSubmission(() => {});
  const { data: left } = useQuery({ queryKey: ['recovery codes'], queryFn: readRemaining });
  if (left === undefined || left === null) return null;
  return (
    <div className="recovery">
      <h3>Recovery codes</h3>
      <p className="meta">
        {left === 1 ? '1 recovery code left.' : `${left} recovery codes left.`} New ones replace all of them.
      </p>
      {error !== undefined && (
        <p className="fault" role="alert">
          {error}
        </p>
      )}
      <Button small look="quiet" busy={busy} onClick={() => void run(replaceRecoveryCodes)}>
        Make new recovery codes
      </Button>
    </div>
  );
}
