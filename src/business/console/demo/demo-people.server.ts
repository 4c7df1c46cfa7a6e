import type { Catalogue, Plan, PlanLine } from '../../../kernel/contract/plans.ts';

/** Follows the name of each invented person, on every page and in every list and file. */
const MARK = '(demo)';

/** A document or a lesson video of a demo customer. */
export interface DemoFile {
  /** The place of its owner in `DEMO_PEOPLE`. */
  readonly person: number;
  /** Within `src`. */
  readonly path: string;
  readonly name: string;
  readonly daysAgo: number;
  readonly kind: 'document' | 'lesson';
}

/** An invented customer. */
export interface DemoPerson {
  /** With the mark. */
  readonly name: string;
  /** The part of the address before the @. */
  readonly local: string;
  /** One of the numbers that Ofcom keeps for stories: nobody has it. */
  readonly phone: string;
  readonly company: string;
  /** Days since the account was made. */
  readonly daysAgo: number;
  /** The place of the plan among those of the line, from the cheapest. Without one: credits that nobody paid. */
  readonly plan?: { readonly line: PlanLine; readonly place: number };
  /** Days since each payment. */
  readonly payments: readonly number[];
  readonly messages: readonly DemoMessage[];
}

interface DemoMessage {
  readonly body: string;
  readonly hoursAgo: number;
  readonly fromAgency: boolean;
  readonly read: boolean;
}

const said = (hoursAgo: number, body: string, read = true): DemoMessage => ({
  body,
  hoursAgo,
  fromAgency: false,
  read,
});
const answered = (hoursAgo: number, body: string): DemoMessage => ({
  body,
  hoursAgo,
  fromAgency: true,
  read: true,
});

const PERSON = { payments: [], messages: [] } as const;

/** The six customers. */
export const DEMO_PEOPLE: readonly DemoPerson[] = [
  {
    name: `Priya Raman ${MARK}`,
    local: 'priya.raman',
    phone: '+44 7700 900141',
    company: 'Harbour Lettings',
    daysAgo: 13,
    plan: { line: 'documents', place: 1 },
    payments: [12],
    messages: [
      said(50, 'The report on the Wharf Road tenancy names a break clause. Does it bind both sides?'),
      answered(
        47,
        'It binds both: two months of notice, and not before the first of June. Clause 9 has the words.',
      ),
      said(3, 'Thank you. Could you look at the renewal as well? I will upload it today.', false),
    ],
  },
  {
    ...PERSON,
    name: `Tom Ashdown ${MARK}`,
    local: 'tom.ashdown',
    phone: '+44 7700 900142',
    company: 'Ashdown Joinery',
    daysAgo: 10,
    plan: { line: 'documents', place: 0 },
    payments: [9],
  },
  {
    ...PERSON,
    name: `Elena Kovač ${MARK}`,
    local: 'elena.kovac',
    phone: '+44 7700 900143',
    company: 'Kovač Translations',
    daysAgo: 6,
    messages: [said(26, 'Can I add my colleague to the account without paying twice?', false)],
  },
  {
    ...PERSON,
    name: `Marcus Bell ${MARK}`,
    local: 'marcus.bell',
    phone: '+44 7700 900144',
    company: 'Bell Forklift Training',
    daysAgo: 5,
    plan: { line: 'courses', place: 0 },
    payments: [5],
  },
  {
    ...PERSON,
    name: `Aisha Noor ${MARK}`,
    local: 'aisha.noor',
    phone: '+44 7700 900145',
    company: 'Noor Dental',
    daysAgo: 3,
  },
  {
    ...PERSON,
    name: `Sam Whitlock ${MARK}`,
    local: 'sam.whitlock',
    phone: '+44 7700 900146',
    company: 'Whitlock Cycles',
    daysAgo: 1,
  },
];

/** The plan of a demo customer among those that are sold now; undefined where nothing of the line is sold. */
export function planOf(plans: Catalogue, { plan }: DemoPerson): Plan | undefined {
  if (plan === undefined) return undefined;
  const sold = plans[plan.line].toSorted((a, b) => a.pricePence - b.pricePence);
  return sold[plan.place] ?? sold.at(-1);
}

const OWN = 'business/console/demo/documents';
const document = { daysAgo: 0, kind: 'document' } as const;

/** Real documents, small, which our own analyser reads. */
export const DEMO_FILES: readonly DemoFile[] = [
  {
    ...document,
    person: 0,
    path: 'site/public/sample/tenancy-agreement.pdf',
    name: 'Wharf Road tenancy.pdf',
    daysAgo: 11,
  },
  {
    ...document,
    person: 0,
    path: `${OWN}/letter-rent-review.txt`,
    name: 'Rent review letter.txt',
    daysAgo: 4,
  },
  { ...document, person: 1, path: `${OWN}/invoice-HF-2041.pdf`, name: 'Invoice HF-2041.pdf', daysAgo: 8 },
  { ...document, person: 2, path: `${OWN}/supplier-terms.docx`, name: 'Supplier terms.docx', daysAgo: 5 },
  {
    ...document,
    person: 4,
    path: `${OWN}/letter-rent-review.txt`,
    name: 'Rent review of the practice.txt',
    daysAgo: 2,
  },
  { person: 3, path: `${OWN}/lesson.mp4`, name: 'Lesson 1 - Daily checks.mp4', daysAgo: 4, kind: 'lesson' },
];

/** What visitors wrote: the place of the person, hours ago, and what came of it. */
export const DEMO_ENQUIRIES: readonly {
  readonly person: number;
  readonly hoursAgo: number;
  readonly type: string;
  readonly notes: string;
  readonly isCourse?: boolean;
  readonly answer?: string;
}[] = [
  {
    person: 5,
    hoursAgo: 2,
    type: 'Automated Phone System',
    notes:
      'We miss about ten calls a week while we are in the workshop. What would an assistant cost for one number?',
  },
  {
    person: 4,
    hoursAgo: 19,
    type: 'Document Intelligence',
    notes: 'Could you read the leases of three practices and tell us which dates we must not miss?',
  },
  {
    person: 3,
    hoursAgo: 140,
    type: 'Course',
    notes: 'A refresher for forklift drivers: six short lessons, with a question after each.',
    isCourse: true,
    answer: 'We would be glad to. The smallest course plan has room for that. Shall we speak on Thursday?',
  },
];

/** Telephone calls: the lines in turn, the assistant first. */
export const DEMO_CALLS: readonly {
  readonly person: number;
  readonly hoursAgo: number;
  readonly summary: string;
  readonly success: boolean;
  readonly lines: readonly string[];
}[] = [
  {
    person: 0,
    hoursAgo: 70,
    summary: 'Asked whether a scanned lease can be read, and was told that it can.',
    success: true,
    lines: [
      'Hello, how can I help you?',
      'Can you read a lease that I only have as a scan?',
      'Yes. Upload the scan as a PDF or a picture, and the report comes as for any other document.',
      'Good, thank you. Goodbye.',
    ],
  },
  {
    person: 5,
    hoursAgo: 28,
    summary: 'Wants an assistant for the workshop and booked a call with a colleague.',
    success: true,
    lines: [
      'Hello, how can I help you?',
      'I run a bicycle workshop and would like somebody to answer the telephone.',
      'Our phone assistant does that. Shall I book a call with a colleague for you?',
      'Yes please, tomorrow morning.',
    ],
  },
  {
    person: 1,
    hoursAgo: 6,
    summary: 'Asked for a refund of an unused month. Nobody could decide that in the call.',
    success: false,
    lines: [
      'Hello, how can I help you?',
      'I did not use last month at all. Can I have the money back?',
      'A colleague decides that. I have noted it, and you will hear from us.',
    ],
  },
];

/** Booked calls: days from today, and the hour in the agency's time zone. */
export const DEMO_BOOKINGS: readonly {
  readonly person: number;
  readonly days: number;
  readonly hour: number;
}[] = [
  { person: 5, days: 1, hour: 10 },
  { person: 3, days: 2, hour: 15 },
  { person: 0, days: -6, hour: 11 },
];
