import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { useSubmission } from '../site/submission.web.ts';

/** An authenticator that is being set up. */
export interface Enrolment {
  readonly factorId: string;
  /** A `data:` address of an image. */
  readonly qrCode: string;
  /** The content of the image, for typing where there is no camera. Base32. */
  readonly secret: string;
}

interface AuthenticatorEnrolmentProps {
  readonly enrolment: Enrolment;
  readonly onDone: () => void | Promise<void>;
  readonly onCancel: () => void;
}

/** Shows the secret once, as picture and as text, and asks for the first code. */
export function AuthenticatorEnrolment({ enrolment, onDone, onCancel }: AuthenticatorEnrolmentProps) {
  const { busy, error, run } = useSubmission(() => {});
  const verify = (code: string): Promise<void> =>
    run(async () => {
      const { auth } = await supabase();
      const { factorId } = enrolment;
      const { error: refusal } = await auth.mfa.challengeAndVerify({
        factorId,
        code: code.replace(/\s/g, ''),
      });
      if (refusal !== null) throw refusal;
      await onDone();
    });
  return (
    <Form className="enrolment" label="Set up an authenticator" onSubmit={({ code = '' }) => verify(code)}>
      <p>Scan this with your authenticator app, or type the key, then enter the code that the app shows.</p>
      <div className="enrolment-secret">
        <img src={enrolment.qrCode} width="184" height="184" alt="QR code of the key below" />
        <p>
          Key <output className="num">{grouped(enrolment.secret)}</output>
        </p>
      </div>
      {error !== undefined && <FormError>{error}</FormError>}
      <Field
        label="First code"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        maxLength={10}
        missing="Enter the six digits that your authenticator shows."
      />
      <div className="form-foot">
        <Button type="submit" look="signal" busy={busy}>
          {busy ? 'Checking...' : 'Turn it on'}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}

/** In groups of four, as people read keys. */
function grouped(secret: string): string {
  return secret.replace(/.{4}(?=.)/g, '$& ');
}
