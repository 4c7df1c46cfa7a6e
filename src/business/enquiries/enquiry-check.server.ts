import { z } from 'zod';
import { isEmail } from '../../kernel/contract/email-address.ts';
import { ENQUIRY_SERVICES } from '../../kernel/contract/enquiries.ts';
import type { PublishedSite } from '../../kernel/contract/site-content.ts';
import { asWebsite, ENQUIRY_LENGTHS } from './enquiry.contract.ts';

// Line breaks are allowed only in fields with several lines: a name goes into a mail's subject.
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const MULTILINE_CONTROL = /[^\P{Cc}\n\t]/u;

const line = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest, { error: `at most ${longest} characters` })
    .refine((text) => !CONTROL.test(text), { error: 'one line only' });
const lines = (longest: number) =>
  z
    .string()
    .transform((text) => text.replaceAll('\r\n', '\n').trim())
    .refine((text) => text.length <= longest, { error: `at most ${longest} characters` })
    .refine((text) => !MULTILINE_CONTROL.test(text), { error: 'not plain text' });
const required = { error: 'required' };
/** Empty and missing values are both null. */
const optional = (rule: z.ZodType<string>) =>
  rule.nullish().transform((text) => (text === undefined || text === '' ? null : text));

const website = line(ENQUIRY_LENGTHS.website).transform((text, context) => {
  if (text === '') return '';
  const address = asWebsite(text);
  if (address === undefined) context.addIssue({ code: 'custom', message: 'must be a web address' });
  return address ?? '';
});

const person = {
  name: line(ENQUIRY_LENGTHS.name).min(1, required),
  email: z.string().trim().refine(isEmail, { error: 'must be an email address' }),
  company_name: optional(line(ENQUIRY_LENGTHS.company_name)),
  website: optional(website),
  nickname: z.string().max(1000).default(''),
  elapsed_ms: z.number().min(0).optional(),
  // A malformed proof counts as missing: the enquiry is stored all the same.
  proof: z
    .object({ challenge: z.string().max(200), answer: z.int().min(0) })
    .optional()
    .catch(undefined),
};

/** Rules of the enquiry form (docs/specification/site.md §5). */
export const enquiryRules = (site: PublishedSite) =>
  z.object({
    ...person,
    phone: optional(line(ENQUIRY_LENGTHS.phone)),
    // The agency's own list. The specified services are accepted even if they are not offered, because calls
    // and links name them.
    enquiry_type: z.string().refine((name) => [...site.enquiryServices, ...ENQUIRY_SERVICES].includes(name), {
      error: () => `must be one of ${site.enquiryServices.join(', ')}`,
    }),
    additional_notes: optional(lines(ENQUIRY_LENGTHS.additional_notes)),
  });

/** Rules of the course inquiry. */
export const COURSE_INQUIRY_RULES = z.object({
  ...person,
  course_description: lines(ENQUIRY_LENGTHS.course_description).refine((text) => text !== '', required),
});
