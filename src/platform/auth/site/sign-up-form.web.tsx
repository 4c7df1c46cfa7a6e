import { Button } from '../../web/parts/button.tsx';
import { EmailField } from '../../web/parts/email-field.tsx';
import { Field } from '../../web/parts/field.tsx';
import { Form, type FormValues } from '../../web/parts/form.tsx';
import { FormError } from '../../web/parts/form-error.tsx';
import { supabase } from '../../web/session/client.ts';
import { NewPassword } from './password-fields.web.tsx';
import { useSubmission } from './use-submission.web.ts';

interface SignupFormProps {
  readonly onBusy: (busy: boolean) => void;
  /** An account that has no session until its address is confirmed. */
  readonly onConfirmationSent: () => void;
  /** May go on working (linking a payment). */
  readonly onSignedUp: () => Promise<void>;
}

/** 'Create Your Account' (`spec/site.md §3, §5`): name and phone are kept as user metadata. */
export function SignupForm({ onBusy, onConfirmationSent, onSignedUp }: SignupFormProps) {
  const { busy, error, aboutPassword, run } = useSubmission(onBusy);
  const submit = (values: FormValues): Promise<void> =>
    run(async () => {
      if (await createAccount(values)) await onSignedUp();
      else onConfirmationSent();
    });
  return (
    <Form onSubmit={submit}>
      {error !== undefined && !aboutPassword && <FormError>{error}</FormError>}
      <Field label="Full Name" name="fullName" autoComplete="name" required missing="Enter your full name" />
      <div className="form-pair">
        <EmailField />
        <Field label="Phone Number" name="phone" type="tel" autoComplete="tel" />
      </div>
      <NewPassword error={aboutPassword ? error : undefined} />
      <div className="form-foot">
        <Button type="submit" look="signal" busy={busy}>
          {busy ? 'Creating account...' : 'Create Account'}
        </Button>
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
