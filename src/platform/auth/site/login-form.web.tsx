import { type MouseEvent, useRef } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { EmailField } from '../../../ui/parts/email-field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { useFilledIn } from './known-address.web.ts';
import { CurrentPassword } from './password-fields.web.tsx';
import { useSubmission } from './submission.web.ts';

interface LoginFormProps {
  /** An error from the address of the page. */
  readonly linkError: string | undefined;
  /** An address to begin with; '' without one, or while it is not known. */
  readonly email?: string;
  readonly onBusy: (busy: boolean) => void;
  /** Called with the address typed so far. */
  readonly onForgot: (email: string) => void;
  /** May take some time (linking a payment). */
  readonly onSignedIn: () => Promise<void>;
}

/** 'Welcome Back!': email and password; a failure is shown in the form, with a link to reset the password. */
export function LoginForm({ linkError, email = '', onBusy, onForgot, onSignedIn }: LoginFormProps) {
  const { busy, error, run } = useSubmission(onBusy);
  const place = useRef<HTMLDivElement>(null);
  useFilledIn(place, email);
  const submit = ({ email: typed = '', password = '' }: FormValues): Promise<void> =>
    run(async () => {
      const client = await supabase();
      const { error: refusal } = await client.auth.signInWithPassword({ email: typed, password });
      if (refusal !== null) throw refusal;
      await onSignedIn();
    });
  const shown = error ?? linkError;
  return (
    <Form onSubmit={submit}>
      {shown !== undefined && (
        <FormError>
          {shown}{' '}
          <button type="button" className="text-btn" onClick={(event) => onForgot(typedEmail(event))}>
            Forgot your password
          </button>
        </FormError>
      )}
      <div ref={place}>
        <EmailField autoComplete="username" />
      </div>
      <CurrentPassword />
      <div className="form-foot">
        <Button type="submit" look="signal" busy={busy}>
          {busy ? 'Signing in...' : 'Sign In'}
        </Button>
        {shown === undefined && (
          <button
            type="button"
            className="text-btn"
            data-live=""
            onClick={(event) => onForgot(typedEmail(event))}
          >
            Forgot your password
          </button>
        )}
      </div>
    </Form>
  );
}

function typedEmail({ currentTarget }: MouseEvent<HTMLButtonElement>): string {
  const field = currentTarget.form?.elements.namedItem('email');
  return field instanceof HTMLInputElement ? field.value.trim() : '';
}
