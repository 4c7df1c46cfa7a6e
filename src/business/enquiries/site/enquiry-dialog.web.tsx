import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { site } from '../../../ui/brand.ts';
import { EmailField } from '../../../ui/parts/email-field.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { LineStops } from '../../../ui/parts/line-stops.tsx';
import { ENQUIRY_LENGTHS } from '../enquiry.contract.ts';
import { CompanyFields, NameField } from './enquiry-fields.web.tsx';
import { EnquiryFrame } from './enquiry-frame.web.tsx';

interface EnquiryDialogProps {
  /** The preselected service; the Business Tier also changes the heading (docs/specification/site.md §2). */
  service?: string | undefined;
  page?: boolean;
  onClose: () => void;
}

const STOPS = [
  { name: 'You send this', text: 'It reaches our own team, and you get a reference at once.' },
  { name: 'A person reads it', text: 'Somebody who builds these systems, on the same working day.' },
  { name: 'You hear from us', text: 'Within 24 hours: questions, a first idea, and what it would cost.' },
  { name: 'The first line runs', text: 'On your own calls or papers, before you decide about more.' },
] as const;

/** The enquiry form as a full-screen dialog: form, submitting, thanks or an inline error. */
export function EnquiryDialog({ service, page = false, onClose }: EnquiryDialogProps) {
  const isEnterprise = service === 'Business Tier';
  return (
    <EnquiryFrame
      path={SERVICES.enquiry}
      failure={MESSAGES.enquiry.failed}
      asking={{
        heading: isEnterprise ? 'Enterprise Solution Inquiry' : "Let's discuss your project",
        lead: leadOf(isEnterprise),
      }}
      thanks={{ heading: 'Thank You!', lead: 'Your enquiry has arrived. We reply within 24 hours.' }}
      send="Send enquiry"
      board={(at) => (
        <LineStops line={isEnterprise ? 'docs' : 'call'} heading="What happens next" stops={STOPS} at={at} />
      )}
      page={page}
      onClose={onClose}
    >
      <NameField />
      <div className="form-pair">
        <EmailField />
        <Field
          label="Phone Number"
          name="phone"
          type="tel"
          autoComplete="tel"
          maxLength={ENQUIRY_LENGTHS.phone}
        />
      </div>
      <CompanyFields />
      <Field
        as="select"
        // The service is known only after hydration; a new key then applies the default value again.
        key={service ?? 'none'}
        label="Service of Interest"
        name="enquiry_type"
        required
        missing="Choose the service that you are interested in"
        defaultValue={service ?? ''}
      >
        <option value="" disabled>
          Choose a service
        </option>
        {site.enquiryServices.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Field>
      <Field
        as="textarea"
        label="Additional Notes"
        name="additional_notes"
        maxLength={ENQUIRY_LENGTHS.additional_notes}
        hint="What happens today, how often, and what should happen instead."
      />
    </EnquiryFrame>
  );
}

function leadOf(isEnterprise: boolean): string {
  return isEnterprise
    ? 'Tell us how many documents you read, who may see them and where they have to stay.'
    : 'A few lines are enough. A person reads them and replies within 24 hours.';
}
