import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { EmailField } from '../../../ui/parts/email-field.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { LineStops } from '../../../ui/parts/line-stops.tsx';
import { ENQUIRY_LENGTHS } from '../enquiry.contract.ts';
import { CompanyFields, NameField } from './enquiry-fields.web.tsx';
import { EnquiryFrame } from './enquiry-frame.web.tsx';

const STOPS = [
  { name: 'You describe the course', text: 'What you teach, to whom, and what you have recorded so far.' },
  { name: 'We watch a lesson', text: 'Send one when we ask; it tells more than any form.' },
  { name: 'You see a first page', text: 'The opening lesson as your learners would meet it.' },
  { name: 'Enrolment opens', text: 'Under your own name and address.' },
] as const;

/** The course inquiry (docs/specification/site.md §2, §5). */
export function CourseInquiryDialog({ page = false, onClose }: { page?: boolean; onClose: () => void }) {
  return (
    <EnquiryFrame
      path={SERVICES.courseInquiry}
      failure={MESSAGES.enquiry.courseFailed}
      asking={{
        heading: 'Tell us about your course',
        lead: 'What you know, who should learn it, and how far you have come. A person replies within 24 hours.',
      }}
      thanks={{
        heading: 'Course Inquiry Received!',
        lead: 'Thank you. We reply within 24 hours.',
      }}
      send="Send inquiry"
      board={(at) => <LineStops line="courses" heading="From notes to learners" stops={STOPS} at={at} />}
      page={page}
      onClose={onClose}
    >
      <NameField />
      <EmailField />
      <CompanyFields />
      <Field
        as="textarea"
        label="Course Description"
        name="course_description"
        required
        missing="Describe the course in a sentence or two"
        maxLength={ENQUIRY_LENGTHS.course_description}
      />
    </EnquiryFrame>
  );
}
