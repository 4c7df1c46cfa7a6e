import { useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form } from '../../../ui/parts/form.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { useSubmission } from '../site/submission.web.ts';

const NO_AUTHENTICATOR = 'This account has no authenticator. Use a recovery code.';

/** Called when the session is at the second level. */
interface SecondFactorProps {
  readonly onConfirmed?: () => void | Promise<void>;
}

/** A panel of its own page that asks for the second factor. */
export function SecondFactorForm(props: SecondFactorProps) {
  return (
    <section className="panel pad factor" aria-labelledby="factor-title">
      <h1 id="factor-title" tabIndex={-1}>
        Confirm that it is you
      </h1>
      <SecondFactorQuestion {...props} />
    </section>
  );
}

/** Asks for the code of the authenticator or a recovery code. */
export function SecondFactorQuestion({ onConfirmed }: SecondFactorProps) {
  const [byRecovery, setByRecovery] = useState(false);
  const { busy, error, run } = useSubmission(() => {});
  const confirm = (code: string): Promise<void> =>
    run(async () => {
      await (byRecovery ? verifyRecoveryCode(code) : verifyAuthenticator(code));
      await onConfirmed?.();
    });
  return (
    <>
      <p className="meta">
        {byRecovery
          ? 'Enter one of the recovery codes that you kept. Each works once.'
          : 'This account has a second factor. Enter the code that your authenticator shows.'}
      </p>
      <Form key={String(byRecovery)} onSubmit={({ code = '' }) => confirm(code)}>
        {byRecovery ? (
          <Field
            label="Recovery code"
            name="code"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
            maxLength={40}
            missing="Enter one of your recovery codes"
            error={error}
          />
        ) : (
          <Field
            label="Code of your authenticator"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            maxLength={10}
            missing="Enter the six digits that your authenticator shows."
            error={error}
          />
        )}
        {/* For screen readers, because the focus stays in the field. */}
        <p className="hidden-text" role="alert">
          {error}
        </p>
        <div className="form-foot">
          <Button look="signal" type="submit" busy={busy}>
            {busy ? 'Checking...' : 'Continue'}
          </Button>
          <button type="button" className="text-btn" onClick={() => setByRecovery(!byRecovery)}>
            {byRecovery ? 'Use the authenticator' : 'Use a recovery code'}
          </button>
        </div>
      </Form>
    </>
  );
}

async function verifyAuthenticator(code: string): Promise<void> {
  const { auth } = await supabase();
  const { data, error: unlisted } = await auth.mfa.listFactors();
  if (unlisted !== null) throw unlisted;
  const factor = data.totp[0];
  if (factor === undefined) throw new Error(NO_AUTHENTICATOR);
  const { error } = await auth.mfa.challengeAndVerify({ factorId: factor.id, code: code.replace(/\s/g, '') });
  if (error !== null) throw error;
}

async function verifyRecoveryCode(code: string): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.mfa.recoveryCodes.verify({ code });
  if (error !== null) throw error;
}
