import { useRef } from 'react';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { EmailField } from '../../../ui/parts/email-field.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { useFilledIn } from './known-address.web.ts';
import { NewPassword } from './password-fields.web.tsx';
import { useSubmission } from './submission.web.ts';

interface SignupFormProps {
  /** The address that was paid with or invited; '' without one, or while it is not known. */
  readonly email: string;
  readonly onBusy: (busy: boolean) => void;
  /** Called when the account gets no session until its address is confirmed. */
  readonly onConfirmationSent: (email: string) => void;
  /** May take some time (linking a payment). */
  readonly onSignedUp: () => Promise<void>;
}

/** 'Create Your Account' (docs/specification/site.md §3, §5): name and phone are kept as user metadata. */
export function SignupForm({ email, onBusy, onConfirmationSent, onSignedUp }: SignupFormProps) {
  const { busy, error, aboutPassword, run } = useSubmission(onBusy);
  const pair = useRef<HTMLDivElement>(null);
  useFilledIn(pair, email);
  const submit = (values: FormValues): Promise<void> =>
    run(async () => {
      if (await createAccount(values)) await onSignedUp();
      else onConfirmationSent(values.email ?? '');
    });
  return (
    <Form onSubmit={submit}>
      {error !== undefined && !aboutPassword && <FormError>{error}</FormError>}
      <Field label="Full Name" name="fullName" autoComplete="name" required missing="Enter your full name" />
      <div className="form-pair" ref={pair}>
        <EmailField />
        <Field label="Phone Number" name="phone" type="tel" autoComplete="tel" />
      </div>
      <NewPassword error={aboutPassword ? error : undefined} />
      <div className="form-foot">
        <Button type="submit" look="signal" busy={busy}>
          {busy ? 'Creating account...' : 'Create Account'}
        </Button>
        <p className="field-hint">
          By creating an account you accept our <a href={PAGES.terms.path}>terms</a>. What we keep is in our{' '}
          <a href={PAGES.privacy.path}>privacy notice</a>.
        </p>
      </div>
    </Form>
  );
}

/** @returns whether the account has a session already */
async function createAccount(values: FormValues): Promise<boolean> {
  const { email = '', password = '', fullName = '', phone = '' } = values;
  const client = await supabase();
  const { data, error } = await client.auth.signUp({
    email,
    password,
    options: { data: { full_name: fullName, ...(phone === '' ? {} : { phone }) } },
  });
  if (error !== null) throw error;
  return data.session !== null;
}
