import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { useSubmission } from './submission.web.ts';

interface MailCodeFormProps {
  /** Where the mail went. */
  readonly email: string;
  readonly type: 'recovery' | 'signup';
  readonly onBusy: (busy: boolean) => void;
  /** Called when the code was right; a session now exists. */
  readonly onVerified: () => void | Promise<void>;
}

/** Takes the code of a mail, for people who read their mail on another device. */
export function MailCodeForm({ email, type, onBusy, onVerified }: MailCodeFormProps) {
  const { busy, error, run } = useSubmission(onBusy);
  const verify = (code: string): Promise<void> =>
    run(async () => {
      const { auth } = await supabase();
      const { error: refusal } = await auth.verifyOtp({ email, token: code.replace(/\s/g, ''), type });
      if (refusal !== null) throw refusal;
      await onVerified();
    });
  return (
    <Form label="The code instead of the link" onSubmit={({ code = '' }) => verify(code)}>
      {error !== undefined && <FormError>{error}</FormError>}
      <Field
        label="Code from the mail"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={12}
        required
        missing="Enter the six digits of the mail"
        hint="Reading your mail on another device? Type its code here instead of opening the link."
      />
      <div className="form-foot">
        <Button type="submit" look="signal" busy={busy}>
          {busy ? 'Checking...' : 'Continue'}
        </Button>
      </div>
    </Form>
  );
}
