import { useState } from 'react';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { Field } from '../../../ui/parts/field.tsx';
import type { FormValues } from '../../../ui/parts/form.tsx';

const HINT = 'A passphrase is best: three or four words that belong together only for you.';

/** The password field of the login form, whose content can be shown. */
export function CurrentPassword({
  label = 'Password',
  name = 'password',
}: {
  label?: string;
  name?: string;
}) {
  const [shown, setShown] = useState(false);
  return (
    <div className="password">
      <Field
        label={label}
        name={name}
        type={shown ? 'text' : 'password'}
        autoComplete="current-password"
        autoCapitalize="off"
        spellCheck={false}
        required
        missing="Enter your password"
      />
      <Reveal shown={shown} onToggle={setShown} />
    </div>
  );
}

/** A new password and its repetition; a difference is shown at the second (docs/specification/site.md §5). */
export function NewPassword({ label = 'Password', error }: { label?: string; error?: string | undefined }) {
  const [shown, setShown] = useState(false);
  const type = shown ? 'text' : 'password';
  return (
    <div className="password">
      <div className="form-pair">
        <Field
          label={label}
          name="password"
          type={type}
          autoComplete="new-password"
          autoCapitalize="off"
          spellCheck={false}
          required
          missing="Choose a password"
          error={error}
        />
        <Field
          label="Confirm Password"
          name="confirmPassword"
          type={type}
          autoComplete="new-password"
          autoCapitalize="off"
          spellCheck={false}
          required
          missing="Enter the password again"
          check={sameAsPassword}
        />
      </div>
      <Reveal shown={shown} onToggle={setShown} />
      <p className="field-hint">{HINT}</p>
    </div>
  );
}

function sameAsPassword(value: string, values: FormValues): string | undefined {
  return value === values.password ? undefined : MESSAGES.signup.mismatch;
}

function Reveal({ shown, onToggle }: { shown: boolean; onToggle: (shown: boolean) => void }) {
  return (
    <button
      type="button"
      className="text-btn reveal"
      aria-pressed={shown}
      data-live=""
      onClick={() => onToggle(!shown)}
    >
      {shown ? 'Hide' : 'Show'}
    </button>
  );
}
