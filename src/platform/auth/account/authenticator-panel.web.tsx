import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Button } from '../../../ui/parts/button.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { useSubmission } from '../site/submission.web.ts';
import { AuthenticatorEnrolment, type Enrolment } from './authenticator-enrolment.web.tsx';
import { RecoveryCodesPanel } from './recovery-codes-panel.web.tsx';

const KEY = ['authenticators'];

/**
 * The panel where a person sets up or replaces an authenticator, and gets recovery codes in case it is lost.
 */
export function AuthenticatorPanel() {
  const queries = useQueryClient();
  const [enrolment, setEnrolment] = useState<Enrolment>();
  const { busy, error, run } = useSubmission(() => {});
  const query = useQuery({ queryKey: KEY, queryFn: readAuthenticators });
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: KEY });
  const begin = (): Promise<void> => run(async () => setEnrolment(await beginEnrolment()));
  const remove = (id: string): Promise<void> =>
    run(async () => {
      const { auth } = await supabase();
      const { error: refusal } = await auth.mfa.unenroll({ factorId: id });
      if (refusal !== null) throw refusal;
      toast.success('The authenticator was removed');
      await refresh();
    });
  const authenticators = query.data ?? [];
  return (
    <section className="panel pad" aria-labelledby="second-factor" aria-busy={query.isPending}>
      <h2 id="second-factor" tabIndex={-1}>
        Second factor
      </h2>
      <p className="meta">
        An authenticator app on your phone shows a code that changes every half minute. With one set up, a
        stolen password alone opens nothing: every sign-in asks for the code.
      </p>
      {query.isError && (
        <p className="fault" role="alert">
          Your second factor could not be read.{' '}
          <button type="button" className="text-btn" onClick={() => void query.refetch()}>
            Try again
          </button>
        </p>
      )}
      {authenticators.length > 0 && (
        <ul className="passkeys">
          {authenticators.map(({ id, friendly_name: name }) => (
            <li key={id}>
              <span>{name || 'Authenticator'}</span>
              <Button small look="quiet" busy={busy} onClick={() => void remove(id)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && (
        <p className="fault" role="alert">
          {error}
        </p>
      )}
      {authenticators.length > 0 && <RecoveryCodesPanel />}
      {query.isSuccess && authenticators.length === 0 && enrolment === undefined && (
        <Button look="quiet" busy={busy} onClick={() => void begin()}>
          Set up an authenticator
        </Button>
      )}
      {enrolment !== undefined && (
        <AuthenticatorEnrolment
          enrolment={enrolment}
          onDone={async () => {
            setEnrolment(undefined);
            await refresh();
          }}
          onCancel={() => setEnrolment(undefined)}
        />
      )}
    </section>
  );
}

async function readAuthenticators() {
  const { auth } = await supabase();
  const { data, error } = await auth.mfa.listFactors();
  if (error !== null) throw error;
  return data.totp;
}

/**
 * Starts to set up an authenticator. Earlier unfinished ones are removed, because their secret cannot be
 * shown again.
 */
async function beginEnrolment(): Promise<Enrolment> {
  const { auth } = await supabase();
  const { data: known, error: unlisted } = await auth.mfa.listFactors();
  if (unlisted !== null) throw unlisted;
  for (const { id, status, factor_type: type } of known.all) {
    if (type === 'totp' && status === 'unverified') await auth.mfa.unenroll({ factorId: id });
  }
  const { data, error } = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Authenticator' });
  if (error !== null) throw error;
  return { factorId: data.id, qrCode: data.totp.qr_code, secret: data.totp.secret };
}
