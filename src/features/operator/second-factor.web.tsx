import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../web/parts/button.tsx';
import { Field } from '../../web/parts/field.tsx';
import { Form } from '../../web/parts/form.tsx';
import { supabase } from '../../web/session/client.ts';

const WRONG = 'That code is not right, or it was used already. Enter the newest one.';
const NO_AUTHENTICATOR = 'Please sign in again with your second factor.';

/** Asks an operator for the code of the authenticator; the desk opens once it is right. */
export function SecondFactor() {
  const queries = useQueryClient();
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const confirm = async (code: string): Promise<void> => {
    setBusy(true);
    try {
      const { auth } = await supabase();
      const { data, error: unlisted } = await auth.mfa.listFactors();
      if (unlisted !== null) throw unlisted;
      const factor = data.totp[0];
      if (factor === undefined) return setFault(NO_AUTHENTICATOR);
      const { error } = await auth.mfa.challengeAndVerify({ factorId: factor.id, code });
      if (error !== null) return setFault(error.code === 'mfa_verification_failed' ? WRONG : error.message);
      await queries.invalidateQueries({ queryKey: ['operator'] });
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="panel pad factor">
      <h1>Confirm that it is you</h1>
      <Form onSubmit={({ code = '' }) => (busy ? undefined : confirm(code))}>
        <Field
          label="Code of your authenticator"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          maxLength={10}
          missing="Enter the six digits that your authenticator shows."
          error={fault}
          onInput={() => setFault(undefined)}
        />
        {/* Said aloud as well: the field keeps the focus. */}
        <p className="hidden-text" role="alert">
          {fault}
        </p>
        <Button look="signal" type="submit" busy={busy}>
          {busy ? 'Opening...' : 'Open the desk'}
        </Button>
      </Form>
    </div>
  );
}
