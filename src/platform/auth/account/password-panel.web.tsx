import { useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { CurrentPassword, NewPassword } from '../site/password-fields.web.tsx';
import { useSubmission } from '../site/submission.web.ts';

/** Changes the password of an account that has one. */
export function PasswordPanel() {
  const [round, setRound] = useState(0);
  const { busy, error, aboutPassword, run } = useSubmission(() => {});
  const save = ({ currentPassword = '', password = '' }: FormValues): Promise<void> =>
    run(async () => {
      const { auth } = await supabase();
      const { error: refusal } = await auth.updateUser({ password, current_password: currentPassword });
      if (refusal !== null) throw refusal;
      // A fresh form, so that nothing typed stays on the page.
      setRound(round + 1);
    });
  return (
    <section className="panel pad" aria-labelledby="password">
      <h2 id="password" tabIndex={-1}>
        Password
      </h2>
      <Form key={round} label="Change your password" onSubmit={save}>
        {error !== undefined && !aboutPassword && <FormError>{error}</FormError>}
        <CurrentPassword label="Current Password" name="currentPassword" />
        <NewPassword label="New Password" error={aboutPassword ? error : undefined} />
        <div className="form-foot">
          <Button type="submit" look="quiet" busy={busy}>
            {busy ? 'Saving...' : 'Change password'}
          </Button>
          <p className="meta" role="status">
            {round > 0 ? 'Your password was changed. Other devices were signed out.' : ''}
          </p>
        </div>
      </Form>
    </section>
  );
}
