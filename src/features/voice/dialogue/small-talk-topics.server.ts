import type { Topic } from './answer-topic.server.ts';

/** Manners, questions about the assistant itself, and what callers want it to do. */
export const SMALL_TALK_TOPICS: readonly Topic[] = [
  {
    id: 'person',
    cues: [
      [/\b(speak|talk|connect|transfer|put me|give me|get me|rather)\b/, 2],
      [
        /\b(person|human|human being|someone|somebody|agent|operator|representative|manager|owner|boss|sales|support|colleague|your team)\b/,
        2,
      ],
      [/^(operator|agent|representative|human|a person|a real person|a human)( please)?$/, 3],
      [/\bnot want to talk to (a|the) (robot|machine|computer)\b/, 3],
    ],
    answer: (words) => (/\bare you\b|\bam i\b/.test(words) ? null : ''),
    action: 'hand-over',
  },
  {
    id: 'enquiry',
    cues: [
      [/\b(enquiry|inquiry|enquire|inquire)\b/, 5],
      [/\b(quote|an offer|proposal|message|my details)\b/, 2],
      [/\b(leave|take|send|make|get|want|need|would like)\b/, 1],
      [/\bcontact me\b|\b(start|have) a project\b/, 4],
      [/^more information\b|\b(send me|want|like) (some |more )?information\b/, 3],
    ],
    answer: () => '',
    action: 'take-enquiry',
  },
  {
    id: 'appointment',
    cues: [
      [/\b(appointment|meeting|consultation|slot|call back)\b/, 4],
      [/\b(book|schedule|arrange|call me|talk (tomorrow|today|next|on))\b/, 2],
      [/\b(someone|somebody|you) (call|ring|phone) me\b/, 3],
      [/\b(could|can) we (talk|speak|meet)\b/, 3],
    ],
    answer: (words) =>
      /\b(restaurant|the assistant|the system|it|your (phone|assistant|system|chat)) (take|book|make|answer)?/.test(
        words,
      ) &&
      /\b(can|does|could) (it|the|your)\b/.test(words) &&
      !/\bcall me\b/.test(words)
        ? 'Yes, it books appointments and takes orders and messages, in the calendar that you already use.'
        : '',
    action: 'book-slot',
  },
  {
    id: 'bookings-by-machine',
    cues: [[/\b(can|could) (it|the \w+|your \w+( \w+)?) (take|book|make|answer|handle)\b/, 9]],
    answer: () =>
      'Yes. The automated phone system answers calls, books appointments and takes orders and messages around the clock.',
  },
  {
    id: 'move-appointment',
    cues: [[/\b(move|change|cancel|reschedule)\b.*\b(appointment|meeting|booking|call)\b/, 8]],
    answer: () => 'I will take a message, so that a colleague can change it for you.',
    action: 'take-enquiry',
  },
  {
    id: 'forget',
    cues: [
      [/\b(delete|erase|remove|forget)\b/, 3],
      [/\b(this call|my data|everything|what i said|conversation|this conversation)\b/, 3],
    ],
    answer: () =>
      'What was said in this call will be deleted as soon as it ends. Only an enquiry or an appointment that you have confirmed is kept.',
    action: 'forget',
  },
  {
    id: 'what-is-kept',
    cues: [[/\bwhat\b.*\b(store|save|keep|know|stored|saved|kept)\b/, 5]],
    answer: () =>
      'The call is not recorded. Its words are kept so that you can read them, and you can delete them when the call ends, or by saying: delete this conversation.',
  },
  {
    id: 'recorded',
    cues: [[/\b(recorded|recording|recordings)\b/, 5]],
    answer: () =>
      'No, this call is not recorded. Only its words are written down, and you can delete them when it ends.',
  },
  {
    id: 'machine',
    cues: [
      [/\b(are you|is this|am i (talking|speaking))\b/, 2],
      [/\b(robot|machine|computer|real|human|ai|a person)\b/, 3],
    ],
    answer: (_, known) =>
      `I am an AI assistant of ${known.brand}. If you would rather talk to a person, just say so.`,
  },
  {
    id: 'who',
    cues: [[/\b(who are you|who is this|what are you|your name|am i (talking|speaking) to)\b/, 4]],
    answer: (_, known) => `I am the AI assistant of ${known.brand}.`,
  },
  {
    id: 'company',
    cues: [[/\b(about|is|who (runs|owns)) (your|this|the) (company|business|agency)\b/, 3]],
    answer: (_, known) =>
      `${known.brand} builds automated systems for businesses: chat bots, websites, phone systems, lead generation, courses and document analysis.`,
  },
  {
    id: 'ability',
    cues: [[/\b(what can you do|how can you help|can you help|could you help|help me)\b/, 3]],
    answer: () =>
      'I can tell you about our services, plans and prices, take an enquiry, and book a call with a colleague. What would you like?',
  },
  {
    id: 'goodbye',
    cues: [
      [/\b(goodbye|bye|hang up|end the call|talk to you later|speak to you later|have to go)\b/, 5],
      [/\bhave a (nice|good|great) day\b/, 5],
    ],
    answer: () => 'Thank you for calling. Goodbye.',
    action: 'hang-up',
  },
  {
    id: 'that-is-all',
    cues: [
      [
        /\b(that is (all|everything|it)|that will be (all|everything)|nothing else|no more|nothing more|everything for today)\b/,
        4,
      ],
    ],
    answer: () => 'Thank you for calling. Goodbye.',
    action: 'hang-up',
  },
  {
    id: 'repeat',
    cues: [
      [
        /\b(repeat|say that again|say it again|pardon|what did you say|did not (catch|hear|understand|get)|come again|more slowly|slower|louder)\b/,
        4,
      ],
      [/^(sorry|excuse me|what|what was that|sorry what was that)$/, 4],
    ],
    answer: () => '',
    action: 'repeat',
  },
  {
    id: 'wait',
    cues: [
      [/\b(wait|hold on|one moment|just a moment|one second|hang on|let me think)\b/, 4],
      [/^(uh huh|mm hm|um|uh)$/, 3],
    ],
    answer: () => '',
    action: 'wait',
  },
  {
    id: 'thanks',
    cues: [[/\b(thank you|thanks|great|perfect|lovely|wonderful|brilliant|excellent)\b/, 2]],
    answer: () => 'You are welcome. Is there anything else?',
  },
  {
    id: 'how-are-you',
    cues: [[/\bhow are you\b/, 3]],
    answer: () => 'I am well, thank you. How can I help you?',
  },
  {
    id: 'hello',
    cues: [[/^(hello|hi|hey|hi there|hello there|good (morning|afternoon|evening))\b/, 2]],
    answer: () => 'Hello. How can I help you?',
  },
  {
    id: 'test',
    cues: [[/\b(this is a test|just (looking|testing|trying|curious)|trying this out)\b/, 4]],
    answer: () => 'Go ahead. Ask me about a price, or let me book a call for you.',
  },
  {
    id: 'never-mind',
    cues: [[/\b(never mind|forget it|forget that|start over|start again|cancel that|go back)\b|^cancel$/, 4]],
    answer: () => 'All right. What else can I do for you?',
  },
  {
    id: 'no',
    cues: [[/^(no|nope|no thanks|no thank you|not really|not now|not today)\b/, 2]],
    answer: () => 'All right. Is there anything else that I can do for you?',
  },
  {
    id: 'yes',
    cues: [[/^(yes|yeah|yep|sure|okay|of course|please do|yes please|go ahead|alright)( please)?$/, 2]],
    answer: () => 'What would you like: to know a price, to send an enquiry, or to book a call?',
  },
];
