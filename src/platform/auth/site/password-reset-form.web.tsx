import { PAGES } from '../../contract/routes.ts';
import { Button } from '../../web/parts/button.tsx';
import { EmailField } from '../../web/parts/email-field.tsx';
import { Form, type FormValues } from '../../web/parts/form.tsx';
import { FormError } from '../../web/parts/form-error.tsx';
import { supabase } from '../../web/session/client.ts';
import { useSubmission } from './use-submission.web.ts';

interface ResetFormProps {
  readonly onBusy: (busy: boolean) => void;
  readonly onSent: () => void;
  readonly onReturn: () => void;
}

/** 'Reset Your Password': asks for the mail whose link leads back to /login (`spec/site.md §7`). */
export function ResetForm({ onBusy, onSent, onReturn }: ResetFormProps) {
  const { busy, error, run } = useSubmission(onBusy);
  const submit = ({ email = '' }: FormValues): Promise<void> =>
    run(async () => {
      const client = await supabase();
      const { error: refusal } = await client.auth.resetPasswordForEmail(email, {
        redirectTo: `${location.origin}${PAGES.login.path}`,
      });
      if (refusal !== null) throw refusal;
      onSent();
    });
  return (
    <Form onSubmit={submit}>
      {error !== undefined && <FormError>{error}</FormError>}
      <EmailField autoComplete="username" />
      <div className="form-foot">
        <Button type="submit" look="signal" busy={busy}>
          {busy ? 'Sending...' : 'Send reset link'}
        </Button>
        <button type="button" className="text-btn" onClick={onReturn}>
          Return to login
        </button>
      </div>
    </Form>
  );
}
