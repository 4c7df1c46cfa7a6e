import { MESSAGES } from '../../contract/messages.ts';
import { SERVICES } from '../../contract/routes.ts';
import { Dialog } from '../../web/parts/dialog.tsx';
import { EmailField } from '../../web/parts/email-field.tsx';
import { Field } from '../../web/parts/field.tsx';
import { Form } from '../../web/parts/form.tsx';
import { LineStops } from '../../web/parts/line-stops.tsx';
import { SendRow, TrapField, WebsiteField } from './enquiry-fields.web.tsx';
import { Sent } from './enquiry-sent.web.tsx';
import { ENQUIRY_LENGTHS } from './send-enquiry.contract.ts';
import { useSending } from './use-sending.web.ts';

const STOPS = [
  { name: 'You describe the course', text: 'What you teach, to whom, and what you have recorded so far.' },
  { name: 'We watch a lesson', text: 'Send one when we ask; it tells more than any form.' },
  { name: 'You see a first page', text: 'The opening lesson as your learners would meet it.' },
  { name: 'Enrolment opens', text: 'Under your own name and address.' },
] as const;

/** The course inquiry (`spec/site.md §2`, §5). */
export function CourseInquiryDialog({ page = false, onClose }: { page?: boolean; onClose: () => void }) {
  const { state, send } = useSending(SERVICES.courseInquiry, MESSAGES.enquiry.courseFailed);
  const sent = state.is === 'sent';
  return (
    <Dialog
      heading={sent ? 'Course Inquiry Received!' : 'Tell us about your course'}
      lead={
        sent
          ? 'Thank you. We reply within 24 hours.'
          : 'What you know, who should learn it, and how far you have come. A person replies within 24 hours.'
      }
      busy={state.is === 'sending'}
      page={page}
      onClose={onClose}
      board={<LineStops line="courses" heading="From notes to learners" stops={STOPS} />}
    >
      {sent ? (
        <Sent id={state.id} onLater={onClose} />
      ) : (
        <Form onSubmit={send} action={SERVICES.courseInquiry}>
          <Field
            label="Full Name"
            name="name"
            autoComplete="name"
            required
            missing="Enter your full name"
            maxLength={ENQUIRY_LENGTHS.name}
          />
          <EmailField />
          <div className="form-pair">
            <Field
              label="Company Name"
              name="company_name"
              autoComplete="organization"
              maxLength={ENQUIRY_LENGTHS.company_name}
            />
            <WebsiteField />
          </div>
          <Field
            as="textarea"
            label="Course Description"
            name="course_description"
            required
            missing="Describe the course in a sentence or two"
            maxLength={ENQUIRY_LENGTHS.course_description}
          />
          <TrapField />
          <SendRow state={state} label="Send inquiry" />
        </Form>
      )}
    </Dialog>
  );
}
