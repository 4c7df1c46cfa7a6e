import { Button } from '../../../ui/parts/button.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { NewPassword } from './password-fields.web.tsx';
import { useSubmission } from './submission.web.ts';

interface ChoosePasswordFormProps {
  readonly onBusy: (busy: boolean) => void;
  readonly onChanged: () => void;
}

/** Sets the password of the session that a recovery link opened. */
export function ChoosePasswordForm({ onBusy, onChanged }: ChoosePasswordFormProps) {
  const { busy, error, aboutPassword, run } = useSubmission(onBusy);
  const submit = ({ password = '' }: FormValues): Promise<void> =>
    run(async () => {
      const client = await supabase();
      const { error: refusal } = await client.auth.updateUser({ password });
      if (refusal !== null) throw refusal;
      onChanged();
    });
  return (
    <Form onSubmit={submit}>
      {error !== undefined && !aboutPassword && <FormError>{error}</FormError>}
      <NewPassword label="New Password" error={aboutPassword ? error : undefined} />
      <div className="form-foot">
        <Button type="submit" look="signal" busy={busy}>
          {busy ? 'Saving...' : 'Save password'}
        </Button>
      </div>
    </Form>
  );
}
