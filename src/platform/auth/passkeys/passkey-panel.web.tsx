import type { PasskeyListItem } from '@supabase/supabase-js';
import { Button } from '../../../ui/parts/button.tsx';
import { canUsePasskeys, isAtNumber, useSignInWays } from '../providers/sign-in-settings.web.ts';
import { useSubmission } from '../site/submission.web.ts';
import { type Passkeys, usePasskeys } from './passkey-actions.web.ts';
import { PasskeyRow } from './passkey-row.web.tsx';

/**
 * Where a person adds, names and removes passkeys. Shows nothing when the operator has not enabled passkeys.
 */
export function PasskeyPanel() {
  const offered = useSignInWays()?.passkeys;
  return (
    <section className="panel pad" aria-labelledby="passkeys">
      <h2 id="passkeys" tabIndex={-1}>
        Passkeys
      </h2>
      <p className="meta">
        Sign in with your fingerprint, face or screen lock. A passkey stays on your devices: there is nothing
        to remember, and nothing that could be stolen from us.
      </p>
      {offered === true && <PasskeyList />}
      {offered === false && <p className="meta">{obstacle()}</p>}
    </section>
  );
}

function obstacle(): string {
  if (canUsePasskeys()) return 'Passkeys are switched off at the moment.';
  return isAtNumber()
    ? 'A passkey belongs to a name, and the address of this page is a number. Open it at its domain, or on your own machine at localhost.'
    : 'This browser cannot use passkeys.';
}

function PasskeyList() {
  const passkeys = usePasskeys();
  const { query } = passkeys;
  const { busy, error, run } = useSubmission(() => {});
  return (
    <>
      {query.isError && (
        <p className="fault" role="alert">
          Your passkeys could not be read.{' '}
          <button type="button" className="text-btn" onClick={() => void query.refetch()}>
            Try again
          </button>
        </p>
      )}
      {query.data !== undefined && <Rows rows={query.data} passkeys={passkeys} run={run} />}
      {error !== undefined && (
        <p className="fault" role="alert">
          {error}
        </p>
      )}
      <Button
        look={query.data?.length === 0 ? 'signal' : 'quiet'}
        busy={busy}
        onClick={() => void run(passkeys.add)}
      >
        {busy ? 'Waiting for your device...' : 'Add a passkey'}
      </Button>
    </>
  );
}

interface RowsProps {
  readonly rows: readonly PasskeyListItem[];
  readonly passkeys: Passkeys;
  readonly run: (work: () => Promise<void>) => Promise<void>;
}

function Rows({ rows, passkeys, run }: RowsProps) {
  if (rows.length === 0) return <p className="passkey-none">No passkey yet.</p>;
  return (
    <ul className="passkeys">
      {rows.map((row) => (
        <PasskeyRow
          key={row.id}
          passkey={row}
          onRename={(name) => run(() => passkeys.rename(row.id, name))}
          onRemove={async () => {
            await run(() => passkeys.remove(row.id));
            // The button that had the focus was in the removed row.
            document.getElementById('passkeys')?.focus();
          }}
        />
      ))}
    </ul>
  );
}
