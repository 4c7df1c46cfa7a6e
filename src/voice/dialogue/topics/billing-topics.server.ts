import { LIMITS } from '../../../kernel/contract/limits.ts';
import type { Topic } from './topic-answer.server.ts';

const NOT_WORKED =
  /\b(declined|failed|rejected|refused|bounced|not (work|working|go through|going through|accepted))\b/;

/** Payment, subscription and account (docs/specification/site.md §2, §6). */
export const BILLING_TOPICS: readonly Topic[] = [
  {
    id: 'free-trial',
    cues: [
      [/\b(free trial|trial|for free|free version|free plan|test drive)\b/, 4],
      [/\btry (it|you|this|that|things|the \w+)\b|\btry before\b/, 4],
    ],
    answer: () =>
      'There is no free trial, but an account costs nothing: you only pay when you choose a plan, and you can cancel at any time.',
  },
  {
    id: 'discount',
    cues: [
      [
        /\b(discounts?|cheaper|special offer|deals?|charity|charities|non profit|student|yearly|annual|annually|by the year|coupon|voucher|promo|reduce|reduction|negotiate)\b/,
        3,
      ],
      [
        /\b(for nothing|free of charge|for (one|a|two|five) (pounds?|euros?|dollars?)|lower price|knock)\b/,
        3,
      ],
    ],
    answer: () =>
      'The prices are the same for everybody and are paid by the month. For larger volumes a colleague can make you an offer; shall I take an enquiry?',
  },
  {
    id: 'tax',
    cues: [[/\b(tax|vat|taxes)\b|\bv a t\b/, 5]],
    answer: () =>
      'The checkout shows the full amount that you pay before you confirm it. For a question about tax I can take a message for a colleague.',
  },
  {
    id: 'payment-methods',
    cues: [
      [/\b(pay|payment|accept|take|ways?)\b/, 1],
      [
        /\b(cards?|credit|debit|visa|mastercard|american express|amex|paypal|invoice|bank|cash|cheque|check|methods?|how (can|do|could|would) (i|we|you) pay|ways? (can|do|could|to)|pay (by|with|via|using))\b/,
        3,
      ],
    ],
    answer: (words) =>
      /\b(pay|payment|accept|take|cards?|visa|mastercard|amex|express|paypal|cash|cheque)\b/.test(words)
        ? 'You pay by card, safely on the checkout page. Credit and debit cards are accepted; you find your invoices in the Billing tab.'
        : null,
  },
  {
    id: 'when-charged',
    cues: [[/\b(when|what day|how often)\b.*\b(charged?|pay|billed|bill|payment|taken)\b/, 5]],
    answer: () =>
      'You are charged when you buy the plan and then each month on the same day. The next date is in the Billing tab.',
  },
  {
    id: 'cancel-plan',
    cues: [
      [/\b(cancel|cancellation|stop|end|quit|pause|terminate|unsubscribe|leave|get out of|opt out)\b/, 2],
      [/\b(subscription|plan|contract|membership|service|any ?time|paying|month)\b/, 2],
      [
        /\b(tied|locked|lock) in\b|\b(minimum|long term|notice|fixed) (contract|term|period)\b|\bminimum\b.*\b(contract|term|months?)\b|\bcommit(ted|ment)?\b|\bhow long am i\b|\b(sign|in|into) a contract\b/,
        5,
      ],
      [/^(can|how|how do|i want to|may) (do )?(i )?cancel$/, 2],
    ],
    answer: (words) =>
      /\b(appointment|meeting|booking|call)\b/.test(words)
        ? null
        : 'You can cancel at any time in the Billing tab; the plan then stays until the end of the month that is paid for.',
  },
  {
    id: 'change-plan',
    cues: [
      [/\b(change|upgrade|downgrade|switch|swap|go (up|down)|step up)\b|\bmove (up|down|to|from)\b/, 3],
      [/\b(plan|subscription|package|tier|basic|pro|premium|later|bigger|smaller|larger|different)\b/, 1],
    ],
    answer: (words) =>
      /\b(appointment|meeting|booking|password|address)\b/.test(words)
        ? null
        : 'You can change your plan in the Billing tab whenever you like, and see what it costs before you confirm.',
  },
  {
    id: 'run-out',
    cues: [
      [
        /\b(run out|use up|used up|use all|used all|go over (my|our|the) (limit|cap|allowance|plan|number)|exceed|no more (documents|credits)|too few|(hit|reach|reached) (the|my|our) (limit|cap)|extra (documents|credits)|more than my)\b/,
        5,
      ],
    ],
    answer: () =>
      'When your documents for the month are used up you can choose a larger plan at once, or wait for the next month.',
  },
  {
    id: 'carry-over',
    cues: [
      [
        /\b(carry over|carried over|roll over|rolled over|unused|left over|leftover|expire|expires|(do|did|have) not (use|used))\b/,
        5,
      ],
    ],
    answer: () =>
      'Your Billing tab shows what is left and until when it can be used. For an exception a colleague can help; shall I take a message?',
  },
  {
    id: 'refund',
    cues: [
      [
        /\b(refunds?|refunded|money back|reimburse\w*|not happy|unhappy|not satisfied|(charged|paid|billed) (me )?(twice|double)|overcharged|get (my|our|the) money)\b/,
        6,
      ],
    ],
    answer: () =>
      'I cannot decide about refunds myself, but a colleague can. Shall I take a message for them?',
  },
  {
    id: 'account',
    cues: [
      [
        /\b(account|sign up|register|registration|get started|sign in|log in|join|become a (member|customer))\b/,
        2,
      ],
      [/\b(how|create|open|make|where|start|need|set up)\b/, 1],
    ],
    answer: (words) =>
      /\b(can not|problem|unable)\b/.test(words)
        ? null
        : 'Press Sign Up at the top of the page, give your e-mail address and a password, and your dashboard opens at once. An account costs nothing.',
  },
  {
    id: 'delete-account',
    cues: [[/\b(delete|close|remove)\b.*\baccount\b/, 6]],
    answer: () =>
      'A colleague deletes your account on request. Shall I take a message with your name and e-mail address?',
  },
  {
    id: 'password',
    cues: [
      [/\b(password|locked out)\b/, 5],
      [
        /\b(can not|unable to|not able to|trouble|problems?) (log|logging|sign|signing|get|getting) (in|into)\b/,
        5,
      ],
    ],
    answer: () =>
      "Press 'Forgot your password' on the sign-in page, and you get an e-mail with a link to choose a new one.",
  },
  {
    id: 'invoice',
    cues: [
      [/\b(invoices?|receipts?|billing history|statements?|my bills?)\b/, 3],
      [/\b(where|find|download|see|my|copy|last month|need|get)\b/, 1],
    ],
    answer: (words) =>
      /\b(wrong|a month|per month|every month|each month|automat\w*)\b/.test(words)
        ? null
        : 'Your invoices are in the Billing tab of your dashboard, each as a PDF to download.',
  },
  {
    id: 'payment-failed',
    cues: [
      [NOT_WORKED, 3],
      [/\b(payment|card|pay)\b/, 3],
    ],
    answer: (words) =>
      NOT_WORKED.test(words)
        ? 'Please try another card in the Billing tab; your bank can tell you why it was declined. If that does not help I can take a message for a colleague.'
        : null,
  },
  {
    id: 'problem',
    cues: [
      [
        /\b(problem|complaint|complain|seems wrong|is wrong with|does not work|not working|broken|bug|error|went wrong|issue with)\b/,
        3,
      ],
      [/\b(bill|account|order|payment|document|report|invoice)\b/, 1],
    ],
    answer: () => 'I am sorry to hear that. Let me take a message, so that a colleague can look into it.',
    action: 'take-enquiry',
  },
  {
    id: 'reply-time',
    cues: [
      [
        /\b(when|how (fast|soon|quick|quickly|long))\b.*\b(reply|replies|answers?|answered|respond|response|call (me )?back|get back|hear|be in touch|someone contact)\b/,
        8,
      ],
    ],
    answer: () => `A colleague replies within ${LIMITS.enquiryReplyHours} hours.`,
  },
];
