import { openTemplates } from '../../kernel/resources/mailer/mail-templates.ts';

/**
 * Messages to the person who booked, in the language of their account; `calendar` is the text of their
 * calendar entry.
 */
export const BOOKING_MAILS = openTemplates('business/bookings/mails', {
  booked: ['when', 'minutes', 'href'],
  moved: ['when', 'minutes', 'href'],
  cancelled: ['when'],
  proof: ['when', 'minutes', 'held', 'href'],
  reminder: ['when', 'minutes', 'href'],
  'sms-booked': ['when', 'href'],
  'sms-moved': ['when', 'href'],
  'sms-cancelled': ['when'],
  calendar: ['href'],
} as const);
