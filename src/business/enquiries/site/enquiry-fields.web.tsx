import { site } from '../../../ui/brand.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { asWebsite, ENQUIRY_LENGTHS } from '../enquiry.contract.ts';
import type { SendingState } from './enquiry-sending.web.ts';

const checkWebsite = (value: string): string | undefined =>
  value === '' || asWebsite(value) !== undefined ? undefined : 'Enter a web address like example.com';

/** The name of the person who asks. */
export function NameField() {
  return (
    <Field
      label="Full Name"
      name="name"
      autoComplete="name"
      required
      missing="Enter your full name"
      maxLength={ENQUIRY_LENGTHS.name}
    />
  );
}

/** The company and its web address; a bare domain is enough. */
export function CompanyFields() {
  return (
    <div className="form-pair">
      <Field
        label="Company Name"
        name="company_name"
        autoComplete="organization"
        maxLength={ENQUIRY_LENGTHS.company_name}
      />
      <Field
        label="Website"
        name="website"
        inputMode="url"
        autoComplete="url"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={ENQUIRY_LENGTHS.website}
        check={checkWebsite}
      />
    </div>
  );
}

/** A field that people neither see nor reach, but programs fill in. */
export function TrapField() {
  return (
    <div className="trap" aria-hidden="true">
      <label>
        Leave this empty
        <input name="nickname" tabIndex={-1} autoComplete="off" />
      </label>
    </div>
  );
}

/** The button with its promise, and why sending failed. */
export function SendRow({ state, label }: { state: SendingState; label: string }) {
  const sending = state.is === 'sending';
  return (
    <>
      {state.is === 'failed' ? (
        <FormError>
          <p>{state.message}</p>
          {state.detail === undefined ? null : <p>{state.detail}</p>}
        </FormError>
      ) : null}
      <noscript>
        <p className="form-error">
          Sending this form needs JavaScript. Without it, write to {site.contactEmail}.
        </p>
      </noscript>
      <div className="form-foot">
        <Button type="submit" look="signal" busy={sending}>
          {sending ? 'Sending...' : label}
        </Button>
        <p className="field-hint" role="status">
          {sending
            ? 'Sending. Please keep this open for a moment.'
            : 'We use what you write to answer you, for nothing else.'}
        </p>
      </div>
    </>
  );
}
