import { useState } from 'react';
import { isEmail } from '../../kernel/contract/email-address.ts';
import { Field } from './field.tsx';
import { nearMailHost } from './mail-host-suggestion.ts';

const WRONG = 'Enter an email address like name@example.com';

/** A field for an e-mail address. A host that looks misspelt gets a suggestion, never a refusal. */
export function EmailField({
  autoComplete = 'email',
  defaultValue = '',
}: {
  autoComplete?: string;
  defaultValue?: string;
}) {
  const [suggested, setSuggested] = useState<{ address: string; field: HTMLInputElement }>();
  return (
    <Field
      label="Email Address"
      name="email"
      type="email"
      inputMode="email"
      autoComplete={autoComplete}
      defaultValue={defaultValue}
      required
      missing="Enter your email address"
      wrong={WRONG}
      check={checkEmail}
      onBlur={(event) => {
        const address = nearMailHost(event.currentTarget.value);
        setSuggested(address === undefined ? undefined : { address, field: event.currentTarget });
      }}
      {...(suggested === undefined
        ? {}
        : {
            hint: (
              <>
                Did you mean{' '}
                <button
                  type="button"
                  className="text-btn"
                  onClick={() => {
                    suggested.field.value = suggested.address;
                    suggested.field.focus();
                    setSuggested(undefined);
                  }}
                >
                  {suggested.address}
                </button>
                ?
              </>
            ),
          })}
    />
  );
}

const checkEmail = (value: string): string | undefined => (isEmail(value) ? undefined : WRONG);
