import { LIMITS } from '../../../kernel/contract/limits.ts';
import type { PublishedSite } from '../../../kernel/contract/site-content.ts';
import { listPlans, listTogether, type Service, soldServices } from '../agency-knowledge.server.ts';
import type { Topic } from './topic-answer.server.ts';

const MONEY = /\b(how much|price|prices|cost|costs|charge|fee|expensive|pay)\b/;
const REPLY = `within ${LIMITS.enquiryReplyHours} hours`;
const DAY =
  /\b(mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|today|tomorrow|weekends?|holidays?|christmas|tonight|now|morning|afternoon|evening)\b/;

/** One topic for each service that is sold at present. */
export const serviceTopics = (site: PublishedSite): readonly Topic[] =>
  soldServices(site).map((service) => ({
    id: `service ${service.name}`,
    cues: [
      [service.said, 3],
      [
        /\b(do you|tell me|about|interested|need|offer|can you|could|how does|what is|explain|help|want|like|looking for|work|mean|means)\b/,
        1,
      ],
    ],
    answer: (words) =>
      MONEY.test(words)
        ? priceOf(site, service)
        : `${service.about} Would you like to know more, or shall I take an enquiry?`,
  }));

/** When and how to reach the agency, and where it works (docs/specification/site.md §1, §2). */
export const AGENCY_TOPICS: readonly Topic[] = [
  {
    id: 'list-services',
    cues: [
      [
        /\b(services|what (do|can|does|could) (you|your \w+|the \w+)( guys| people)? (actually |really )?(do|offer|sell|provide|make|build|have)|what (kinds?|sorts?|types?) of (things|work|stuff|systems|help|products)|what your (company|agency)|products|line of (work|business)|speciali\w+)\b/,
        3,
      ],
      [/\b(which|what|offer|tell|all|list)\b/, 1],
      [/\b(your|you) (company|agency|firm|business|team|people)\b/, 1],
    ],
    answer: (_, { site }) =>
      `We offer ${listTogether(soldServices(site).map(({ name }) => name))}. Which of them may I tell you about?`,
  },
  {
    id: 'apps',
    cues: [[/\b(apps?|mobile applications?|i phone|android)\b/, 4]],
    answer: () =>
      'Yes, we build apps as well. Each is made to order, so a colleague makes you an offer. Shall I take an enquiry?',
  },
  {
    id: 'how-long',
    cues: [
      [/\bhow (long|quickly|soon|fast)\b|\bhow much time\b/, 2],
      [/\b(take|build|website|start|started|finish|finished|project|ready|done|make|set up)\b/, 2],
    ],
    answer: (words) =>
      !/\b(how (long|quickly|soon|fast|much time)|when)\b/.test(words)
        ? null
        : `That depends on the project. A colleague gives you a date with the offer, ${REPLY} of your enquiry. Shall I take one?`,
  },
  {
    id: 'integrations',
    cues: [
      [
        /\b(integrate|integrates|integration|connect|connects|existing|link|plug|hook|sync)\b|\bwork with (our|my|the)\b/,
        2,
      ],
      [
        /\b(calendar|software|(our|my|existing|your|the) systems?|phone number|crm|tools?|outlook|google|salesforce|zapier)\b/,
        2,
      ],
    ],
    answer: (words) =>
      /\b(connect|link) me\b|\bemail\b/.test(words) ||
      !/\b(integrat\w*|connects?|existing|link|plug|hook|sync|work with)\b/.test(words)
        ? null
        : 'Yes, we connect our systems to what you already use, such as calendars, web sites and phone numbers. Tell me what you have, and I will put it into an enquiry.',
  },
  {
    id: 'languages',
    cues: [[/\b(german|french|spanish|italian|polish|chinese|arabic|welsh|languages?)\b/, 4]],
    answer: () =>
      'I speak English only. What we build for you can speak other languages; a colleague will tell you which ones.',
  },
  {
    id: 'hours',
    cues: [
      [/\b(opening|office|business|working|your|the) (hours|times)\b|\bhours\b/, 5],
      [
        /\b(are|is|when|what time|till|until)\b.*\b(open|opened|opens|closed?|closes|closing|opening|there|available|around|working|shut)\b/,
        4,
      ],
      [/\b(open|close|closed|closes|shut)\b/, 2],
      [/\b(work|works|working|in|reach)\b.*\b(weekends?|saturdays?|sundays?|bank holidays?|evenings?)\b/, 4],
      [/\bwhen (can|could|may) (i|we) reach\b/, 5],
      [DAY, 1],
    ],
    answer: (words, known) =>
      /\b(how (much|many)|is there (a|an|any|with)|account|twenty four|24|file|document|report|call me|ring me|phone me|call back|real|human|person)\b/.test(
        words,
      )
        ? null
        : `I answer day and night. My colleagues are there ${known.hours}.`,
  },
  {
    id: 'around-the-clock',
    cues: [
      [
        /\b(at night|twenty four (hours|seven)|around the clock|24 hours|24 7|all day|after hours|out of hours)\b/,
        5,
      ],
    ],
    // What answers on a website at night is another service, not the phone system.
    answer: (words, { site }) =>
      soldServices(site).some(({ name, said }) => !/phone/.test(name) && said.test(words))
        ? null
        : 'Yes, the phone system answers every call, day and night, on every day of the year.',
  },
  {
    id: 'contact',
    cues: [
      [
        /\b(contact|reach|get (a )?hold of|get in touch with|write to|email|call|ring|phone)\b.*\b(you|your (team|colleagues?))\b/,
        3,
      ],
      [
        /\b(your|the|an) (contact|email|mail|email address|phone number|telephone number|number|contact details)\b/,
        4,
      ],
      [
        /\bhow (can|do|could|would|should) (i|we|someone) (contact|reach|get in touch|get hold|write|email|call|ring|phone)\b/,
        3,
      ],
    ],
    answer: (words, known) =>
      /\b(call|ring|phone|contact|email) me\b|\bcan you\b/.test(words)
        ? null
        : `You can write to ${known.contactEmail}, or tell me what it is about and I will pass it on.`,
  },
  {
    id: 'place',
    cues: [
      [
        /\b(where are you|where is your|where you are|whereabouts|located|location|based|your office|your offices|in person|your postal address|your address|come (and )?(see|visit)|visit you|directions|which (city|town|country))\b/,
        4,
      ],
      [/\bwhere\b.*\b(you|office)\b/, 1],
    ],
    answer: (words) =>
      /\b(open|close|hours|email)\b/.test(words)
        ? null
        : 'We work for customers everywhere, online and by phone. Shall I take a message, so that a colleague can tell you more?',
  },
  {
    id: 'news',
    cues: [[/\b(news|headlines|latest|blog|(what is|whats|anything) new|going on in (ai|artificial))\b/, 4]],
    answer: () =>
      'You find the latest news about artificial intelligence on our home page. I cannot read it out, but I can answer questions about our services and prices.',
  },
];

/** What a service costs: its plans, where it has any. */
function priceOf(site: PublishedSite, { enquiryType, name }: Service): string {
  if (enquiryType === 'Document Intelligence')
    return `Document analysis is sold by the month: ${listPlans(site, 'documents')}.`;
  if (enquiryType === 'Course Launcher')
    return `The course plans are ${listPlans(site, 'courses')}, a month.`;
  return `The price of ${name} depends on what you need, so we make an offer for each project. Shall I take an enquiry?`;
}
