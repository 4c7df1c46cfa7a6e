import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { EmailField } from '../../../ui/parts/email-field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { useSubmission } from './submission.web.ts';

interface ResetFormProps {
  readonly onBusy: (busy: boolean) => void;
  /** The address typed in the login form. */
  readonly email: string;
  readonly onSent: (email: string) => void;
  readonly onReturn: () => void;
}

/**
 * 'Reset Your Password': requests the mail whose link leads back to /login (docs/specification/site.md §7).
 */
export function ResetForm({ email: typed, onBusy, onSent, onReturn }: ResetFormProps) {
  const { busy, error, run } = useSubmission(onBusy);
  const submit = ({ email = '' }: FormValues): Promise<void> =>
    run(async () => {
      const client = await supabase();
      const { error: refusal } = await client.auth.resetPasswordForEmail(email, {
        redirectTo: `${location.origin}${PAGES.login.path}`,
      });
      if (refusal !== null) throw refusal;
      onSent(email);
    });
  return (
    <Form onSubmit={submit}>
      {error !== undefined && <FormError>{error}</FormError>}
      <EmailField autoComplete="username" defaultValue={typed} />
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
