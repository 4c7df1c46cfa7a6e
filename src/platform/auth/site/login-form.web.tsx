import { Button } from '../../web/parts/button.tsx';
import { EmailField } from '../../web/parts/email-field.tsx';
import { Form, type FormValues } from '../../web/parts/form.tsx';
import { FormError } from '../../web/parts/form-error.tsx';
import { supabase } from '../../web/session/client.ts';
import { CurrentPassword } from './password-fields.web.tsx';
import { useSubmission } from './use-submission.web.ts';

interface LoginFormProps {
  /** An error that the address brought with it. */
  readonly linkError: string | undefined;
  readonly onBusy: (busy: boolean) => void;
  readonly onForgot: () => void;
  /** May go on working (linking a payment). */
  readonly onSignedIn: () => Promise<void>;
}

/** 'Welcome Back!': email and password; a failure is told inline, with the way to a new password. */
export function LoginForm({ linkError, onBusy, onForgot, onSignedIn }: LoginFormProps) {
  const { busy, error, run } = useSubmission(onBusy);
  const submit = ({ email = '', password = '' }: FormValues): Promise<void> =>
    run(async () => {
      const client = await supabase();
      const { error: refusal } = await client.auth.signInWithPassword({ email, password });
      if (refusal !== null) throw refusal;
      await onSignedIn();
    });
  const shown = error ?? linkError;
  return (
    <Form onSubmit={submit}>
      {shown !== undefined && (
        <FormError>
          {shown}{' '}
          <button type="button" className="text-btn" onClick={onForgot}>
            Forgot your password
          </button>
        </FormError>
      )}
      <EmailField autoComplete="username" />
      <CurrentPassword />
      <div className="form-foot">
        <Button type="submit" look="signal" busy={busy}>
          {busy ? 'Signing in...' : 'Sign In'}
        </Button>
        {shown === undefined && (
          <button type="button" className="text-btn" data-live="" onClick={onForgot}>
            Forgot your password
          </button>
        )}
      </div>
    </Form>
  );
}
