import { SERVICES } from './agency-knowledge.server.ts';
import type { Topic } from './answer-topic.server.ts';

const MONEY = /\b(how much|price|cost|costs|charge|fee)\b/;

/** Services, documents, accounts and the company (`spec/site.md §1`, §2). */
export const SERVICE_TOPICS: readonly Topic[] = [
  ...SERVICES.map(
    (service): Topic => ({
      id: `service ${service.name}`,
      cues: [
        [service.said, 3],
        [/\b(do you|tell me|about|interested|need|offer|can you|could|how does)\b/, 1],
      ],
      answer: (words) =>
        MONEY.test(words) && service.enquiryType !== 'Document Intelligence'
          ? `The price of ${service.name} depends on what you need, so we make an offer for each project. Shall I take an enquiry?`
          : `${service.about} Would you like to know more, or shall I take an enquiry?`,
    }),
  ),
  {
    id: 'list-services',
    cues: [
      [
        /\b(services|what do you (do|offer|sell)|what (kind|sort)s? of|what does your company|what your company)\b/,
        3,
      ],
      [/\b(which|what|offer|tell)\b/, 1],
    ],
    answer: () =>
      'We offer chat bots, websites, an automated phone system, lead generation, the personal course launcher and document analysis. Which of them may I tell you about?',
  },
  {
    id: 'how-long',
    cues: [
      [/\bhow (long|quickly|soon|fast)\b/, 2],
      [/\b(take|build|website|start|started|finish|project)\b/, 2],
    ],
    answer: () =>
      'That depends on the project. A colleague gives you a date with the offer, within 24 hours of your enquiry. Shall I take one?',
  },
  {
    id: 'integrations',
    cues: [
      [/\b(integrate|integration|connect|existing)\b|\bwork with (our|my|the)\b/, 2],
      [/\b(calendar|software|systems?|phone number|crm|tools?)\b/, 2],
    ],
    answer: () =>
      'Yes, we connect our systems to what you already use, such as calendars, web sites and phone numbers. Tell me what you have, and I will put it into an enquiry.',
  },
  {
    id: 'languages',
    cues: [[/\b(german|french|spanish|italian|polish|languages?)\b/, 4]],
    answer: () =>
      'I speak English only. What we build for you can speak other languages; a colleague will tell you which ones.',
  },
  {
    id: 'file-kinds',
    cues: [
      [/\b(pdf|word|scanned|scans?|text)\b/, 2],
      [/\b(files?|documents?|read|accept|support|types?|kinds?)\b/, 1],
      [/\b(kinds?|types?) of (documents|files)\b/, 3],
    ],
    answer: () => 'You can upload PDF, Word, ODT and plain text files of up to 100 megabytes each.',
  },
  {
    id: 'file-size',
    cues: [
      [/\bhow (big|large)\b/, 3],
      [/\b(files?|documents?)\b/, 1],
    ],
    answer: () => 'A file may have up to 100 megabytes.',
  },
  {
    id: 'upload',
    cues: [
      [/\b(upload|send)\b/, 2],
      [/\b(how|where|document|documents|file|files|contract)\b/, 1],
    ],
    answer: () =>
      'Sign in, open the dashboard and press Upload Files. Then press Analyze beside the file, and the report appears when it is ready.',
  },
  {
    id: 'analysis-time',
    cues: [
      [/\bhow long\b/, 2],
      [/\banalys|\banalyz/, 3],
    ],
    answer: () => 'Most reports are ready in less than a minute; you see the progress while you wait.',
  },
  {
    id: 'example-report',
    cues: [
      [/\b(example|sample|demo)\b/, 3],
      [/\breport\b/, 2],
    ],
    answer: () =>
      'A report names the kind of document, its key facts and what needs attention, and every claim points to its place in the text. The home page shows one.',
  },
  {
    id: 'data-safety',
    cues: [
      [/\b(safe|secure|security|private|privacy|encrypted|confidential|gdpr|data protection)\b/, 3],
      [/\bwho can (see|read)\b/, 4],
      [/\bwhere (is|are) my\b/, 3],
      [/\b(data|documents|files)\b/, 1],
    ],
    answer: () =>
      "Your documents are kept on the agency's own server, only you can open them, and when you delete a file it is removed from the dashboard and the servers.",
  },
  {
    id: 'account',
    cues: [
      [/\b(account|sign up|register|get started|sign in|log in)\b/, 2],
      [/\b(how|create|open|make|where|start)\b/, 1],
    ],
    answer: (words) =>
      /\b(can not|cannot|problem)\b/.test(words)
        ? null
        : 'Press Sign Up at the top of the page, give your e-mail address and a password, and your dashboard opens at once. An account costs nothing.',
  },
  {
    id: 'delete-account',
    cues: [[/\b(delete|close)\b.*\baccount\b/, 5]],
    answer: () =>
      'A colleague deletes your account on request. Shall I take a message with your name and e-mail address?',
  },
  {
    id: 'password',
    cues: [
      [/\bpassword\b/, 4],
      [/\b(can not|cannot) (log|sign) in\b/, 4],
    ],
    answer: () =>
      "Press 'Forgot your password' on the sign-in page, and you get an e-mail with a link to choose a new one.",
  },
  {
    id: 'invoice',
    cues: [
      [/\b(invoices?|receipts?)\b/, 3],
      [/\b(where|find|download|see|my)\b/, 1],
    ],
    answer: (words) =>
      /\bwrong\b/.test(words)
        ? null
        : 'Your invoices are in the Billing tab of your dashboard, each as a PDF to download.',
  },
  {
    id: 'payment-failed',
    cues: [
      [/\b(declined|failed|did not work|rejected)\b/, 3],
      [/\b(payment|card)\b/, 2],
    ],
    answer: () =>
      'Please try another card in the Billing tab; your bank can tell you why it was declined. If that does not help I can take a message for a colleague.',
  },
  {
    id: 'problem',
    cues: [
      [/\b(problem|complaint|complain|seems wrong|is wrong with|does not work|broken|bug|error)\b/, 3],
      [/\b(bill|account|order|payment|document|report)\b/, 1],
    ],
    answer: () => 'I am sorry to hear that. Let me take a message, so that a colleague can look into it.',
    action: 'take-enquiry',
  },
  {
    id: 'hours',
    cues: [
      [/\b(opening hours|office hours|business hours|your hours|hours)\b/, 4],
      [/\b(are|when are) you (open|there|closed)\b/, 4],
      [
        /\bopen\b.*\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|tomorrow|weekend|weekends)\b/,
        3,
      ],
    ],
    answer: (_, known) => `I answer day and night. My colleagues are there ${known.hours}.`,
  },
  {
    id: 'around-the-clock',
    cues: [[/\b(at night|twenty four hours|around the clock|24 hours|all day)\b/, 4]],
    answer: () => 'Yes, the phone system answers every call, day and night, on every day of the year.',
  },
  {
    id: 'reply-time',
    cues: [
      [/\bhow (fast|soon|quickly)\b/, 2],
      [/\b(reply|answer|call back|get back|hear from)\b/, 3],
    ],
    answer: () => 'A colleague replies within 24 hours.',
  },
  {
    id: 'contact',
    cues: [
      [/\b(contact|reach)\b.*\b(you|someone)\b/, 3],
      [/\byour (email|email address|phone number|address)\b/, 4],
      [/\bhow (can|do) i (contact|reach)\b/, 3],
    ],
    answer: (_, known) =>
      `You can write to ${known.contactEmail}, or tell me what it is about and I will pass it on.`,
  },
  {
    id: 'place',
    cues: [[/\b(where are you|where is your office|located|based|your office|in person)\b/, 4]],
    answer: () =>
      'We work for customers everywhere, online and by phone. Shall I take a message, so that a colleague can tell you more?',
  },
];
