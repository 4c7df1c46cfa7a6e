import type { User } from '@supabase/supabase-js';
import { useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { useSubmission } from '../site/submission.web.ts';

/** Name, phone number and address of the account. A new address takes effect once it is confirmed by mail. */
export function ProfilePanel({ user }: { user: User }) {
  const [saved, setSaved] = useState<string>();
  const { busy, error, run } = useSubmission(() => {});
  const metadata = user.user_metadata as { full_name?: unknown; phone?: unknown };
  const save = ({ fullName = '', phone = '', email = '' }: FormValues): Promise<void> =>
    run(async () => {
      setSaved(undefined);
      const { auth } = await supabase();
      const isNewAddress = email !== '' && email.toLowerCase() !== user.email?.toLowerCase();
      const { error: refusal } = await auth.updateUser({
        data: { full_name: fullName, phone },
        ...(isNewAddress ? { email } : {}),
      });
      if (refusal !== null) throw refusal;
      setSaved(
        isNewAddress
          ? `Saved. The new address counts once you have opened the link that we sent to ${email}.`
          : 'Saved.',
      );
    });
  return (
    <section className="panel pad" aria-labelledby="profile">
      <h2 id="profile" tabIndex={-1}>
        You
      </h2>
      <Form label="You" onSubmit={save}>
        {error !== undefined && <FormError>{error}</FormError>}
        <Field
          label="Full Name"
          name="fullName"
          autoComplete="name"
          maxLength={200}
          required
          missing="Enter your full name"
          defaultValue={textOf(metadata.full_name)}
        />
        <div className="form-pair">
          <Field
            label="Email Address"
            name="email"
            type="email"
            autoComplete="email"
            required
            missing="Enter your email address"
            wrong="Enter an email address like name@example.com"
            defaultValue={user.email ?? ''}
          />
          <Field
            label="Phone Number"
            name="phone"
            type="tel"
            autoComplete="tel"
            maxLength={40}
            defaultValue={textOf(metadata.phone)}
          />
        </div>
        <div className="form-foot">
          <Button type="submit" look="quiet" busy={busy}>
            {busy ? 'Saving...' : 'Save'}
          </Button>
          <p className="meta" role="status">
            {saved}
          </p>
        </div>
      </Form>
    </section>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
