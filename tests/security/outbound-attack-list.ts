import type { Attack } from './attack.ts';

const ENQUIRIES = 'src/business/enquiries';
const NEWS = 'src/business/news';
const ANALYSIS = 'src/business/documents';

/** Attacks through what the server fetches and through what strangers write. */
export const ON_CONTENT: readonly Attack[] = [
  {
    number: 36,
    attack: 'Addresses that make the server call its own network',
    holds:
      'Loopback, private, link-local, mapped, decimal or octal addresses, rebinding, redirects, other schemes, endless bodies: blocked at the resolved address of every hop, with limits on size and time; the body is never shown.',
    tests: [
      'src/kernel/resources/outbound-http/outbound-http.test.ts | attack 36: ',
      `${NEWS}/feed-attacks.test.ts | attack 36: `,
      `${ANALYSIS}/requests/unreachable-automation.test.ts | attack 36: `,
      'src/voice/calls/background/background-sound.test.ts | attack 36: ',
      'src/business/push/push-notices.test.ts | attack 36: ',
      `${ANALYSIS}/rules/rules.test.ts | attack 36: `,
    ],
  },
  {
    number: 37,
    attack: 'Items of a feed with script, entities or endless text',
    holds: 'Plain text only.',
    tests: [`${NEWS}/feed-attacks.test.ts | attack 37: `],
  },
  {
    number: 38,
    attack: 'Floods and tricks of enquiries',
    holds:
      'Header injection, 10,000 a minute, one text a hundred times, links, formulas in exports: proof of work, honeypot, limits by address and for all, escaped exports; a person is never silently blocked, but marked as suspect.',
    tests: [
      `${ENQUIRIES}/enquiry-flood.test.ts | attack 38: `,
      `${ENQUIRIES}/proof-of-work/proof-of-work.test.ts | attack 38: `,
      'src/business/console/operator-actions.test.ts | attack 38: ',
    ],
  },
  {
    number: 39,
    attack: 'A document that gives orders',
    holds:
      "During an analysis a model has no tools and nobody else's data, its output is untrusted text, and citations lead into this file.",
    tests: [
      'packages/document-reader/src/reader/document-reading.test.ts | text that gives orders to a machine is reported and stays text',
      `${ANALYSIS}/questions/document-question.test.ts | orders inside a document reach the model as data only, and sentences that follow them are not shown`,
      `${ANALYSIS}/questions/document-question.test.ts | with the setting on, a model writes the summary and missing facts of a report, each with its quote; the rest is left out`,
    ],
  },
];
