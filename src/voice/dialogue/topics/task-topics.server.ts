import { changesBooking } from '../spoken/caller-turns.server.ts';
import type { Topic } from './topic-answer.server.ts';

const WHEN =
  /\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|tomorrow|next week|this week|this (morning|afternoon|evening)|later|noon|o'clock|in the (morning|afternoon|evening)|(at|half past|quarter (to|past)) (a )?(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d+))\b/;
const PEOPLE =
  'person|people|human|human being|someone|somebody|anyone|anybody|agent|operator|representative|rep|manager|supervisor|owner|boss|director|sales|support|customer service|advis[eo]r|consultant|expert|colleagues?|your team|staff|receptionist|live';
const OWN_BOOKING = /\b(appointment|meeting|booking|consultation|(my|our|the) call)\b/;
const ABOUT_MACHINES =
  /\b(restaurant|the assistant|the system|it|your (phone|assistant|system|chat)|phone system|chat bot|dentist\w*|dental|patients|customers|clients)\b/;

/** What callers want done: to reach a person, to send an enquiry, to book an appointment. */
export const TASK_TOPICS: readonly Topic[] = [
  {
    id: 'person',
    cues: [
      [
        /\b(speak|talk|talking|speaking|connect|transfer|put me|give me|get me|rather|pass me|through to|want|need|like)\b/,
        2,
      ],
      [new RegExp(`\\b(${PEOPLE})\\b`), 2],
      [/\b(real|actual|live|human) (person|human|being|agent|operator)\b/, 1],
      [
        /^(operator|agent|representative|human|a person|a real person|a human|customer service)( please)?$/,
        3,
      ],
      [/\bnot want to (talk|speak) to (a|the) (robot|machine|computer)\b|\b(put|pass) me (through|on)\b/, 3],
    ],
    answer: (words) =>
      /\bare you\b|\bam i\b|\bis (this|there|it)\b/.test(words) ||
      /\b(call|ring|phone|contact|email|get (back|in touch)( with)?) me\b/.test(words) ||
      !new RegExp(`\\b(${PEOPLE}|robot|machine|computer|put me through|pass me)\\b`).test(words) ||
      !/\b(speak|talk|talking|speaking|connect|transfer|put|give|get|pass|through|rather|operator|agent|representative|human|person|customer service)\b/.test(
        words,
      )
        ? null
        : '',
    action: 'hand-over',
  },
  {
    id: 'enquiry',
    cues: [
      [/\b(enquiry|enquiries|inquiry|inquiries|enquire|inquire)\b/, 5],
      [
        /\b(quote|quotation|estimate|an offer|proposal|message|(my|some) details|contact details|request)\b/,
        3,
      ],
      [/\b(leave|take|send|make|get|want|need|would like|could|have|give|write|place|submit)\b/, 1],
      [
        /\b(contact|email|write to) me\b|\b(gets?|get) in touch( with (me|us))?\b|\b(start|have|begin|discuss|got) (a|an|my|our|another) (new )?(project|idea)\b/,
        4,
      ],
      [
        /\b(somebody|someone|anyone|colleague|you)\b.*\b(contact|email|write to|get in touch with|get back to) (me|us)\b/,
        3,
      ],
      [/^more information\b|\b(send me|want|like) (some |more )?(information|info)\b/, 3],
    ],
    answer: (words) => (/\bhow (do|can|could|would) (i|we)\b.*\byou\b/.test(words) ? null : ''),
    action: 'take-enquiry',
  },
  {
    id: 'appointment',
    cues: [
      [/\b(appointment|meeting|consultation|slot|call back|phone call|video call|demo call)\b/, 4],
      [/\b(book|schedule|arrange|set up|make|organi[sz]e|reserve)\b/, 2],
      [
        /\b(call|ring|phone|telephone) me\b|\bgive me a (call|ring|bell|buzz)\b|\b(call|ring|phone) (me|us) back\b|\b(call|ring)s? (me|us)\b/,
        5,
      ],
      [/\b(could|can|may|shall|should) we (talk|speak|meet|chat)\b|\blet us (talk|speak|meet|chat)\b/, 4],
      [/\b(talk|speak|meet|chat|call)\b/, 1],
      [
        /\b(anything|something|any (time|slot)s?|slots?|times?) (is |are )?(you have )?(free|available|open)\b(?! trial)|\b(first|next|earliest|soonest) (free|available|possible) \w+/,
        7,
      ],
      // "I'd like a call", also where the verb of "book a call" was misheard.
      [/\b(i|we)( would|d)? (like|want|need)( to)?( \w+)? (a|an|one|the) call$/, 3],
      [WHEN, 2],
    ],
    answer: (words) =>
      !/\b(appointment|meeting|consultation|slots?|call|calls|ring|phone|telephone|talk|speak|meet|chat|book|schedule|arrange|(anything|something|times?) (is |are )?(free|available|open))\b/.test(
        words,
      ) ||
      (/^(is|are|what|when|where|how|why)\b/.test(words) &&
        !/\b(free|book|available|call me|ring me|phone me)\b/.test(words))
        ? null
        : '',
    action: 'book-slot',
  },
  {
    id: 'bookings-by-machine',
    cues: [
      [
        /\b(can|could|does|will|would) (it|the \w+|your \w+( \w+){0,2}) (take|book|make|answer|handle|arrange|schedule|deal)\b/,
        11,
      ],
    ],
    answer: (words) =>
      ABOUT_MACHINES.test(words) && !/\bhow long\b/.test(words) && !/\b(call|ring|phone) me\b/.test(words)
        ? 'Yes. The automated phone system answers calls, books appointments and takes orders and messages around the clock.'
        : null,
  },
  {
    id: 'move-appointment',
    cues: [[{ test: (words) => OWN_BOOKING.test(words) && changesBooking(words) !== null }, 12]],
    answer: () => '',
    action: 'change-booking',
  },
];
