import type { Topic } from './topic-answer.server.ts';

/** What the assistant can do, for callers who ask for something else. */
export const OFFER =
  'I can tell you about our services, plans and prices, take an enquiry, or book a call. What would you like?';
const NUMBER = '(zero|oh|one|two|three|four|five|six|seven|eight|nine|double|\\d+)';
/** Matches three digits in a row as they are said, or a number as it is written. */
const DIALLED = new RegExp(`\\b(plus|${NUMBER}) ${NUMBER} ${NUMBER}\\b|\\+?\\d[\\d-]{4,}\\d`);
/** Matches a call to the caller, whose number is allowed. */
const TO_CALLER = /\b(call|ring|phone|reach|contact) (me|us)\b/;
const OTHERS =
  "(other|others|another|last|previous|first|next|every|all|all your|your|someone else's|somebody else's|different) (customers?|clients?|callers?|users?|person|people|persons|man|woman|guy)('s)?";
const THEIRS =
  '(names?|email|emails|address|addresses|card|cards|numbers?|details?|data|phone|said|say|told|list|information|accounts?|documents?|files|asked|bought|paid|spoke|talked)';

/**
 * What the assistant must not do, and what it is not made for: it refuses politely and offers something else.
 */
export const REFUSAL_TOPICS: readonly Topic[] = [
  {
    id: 'refuse-transfer',
    cues: [
      [/\b(transfer|connect|forward|patch|put|dial|call|ring|phone|route|redirect|divert)\b/, 3],
      [DIALLED, 8],
    ],
    answer: (words) =>
      /\b(transfer|connect|forward|patch|put|dial|call|ring|phone|route|redirect|divert)\b/.test(words) &&
      DIALLED.test(words) &&
      !TO_CALLER.test(words)
        ? 'I am sorry, I cannot put calls through to other numbers. I can book a call back from a colleague, or take a message. What would you like?'
        : null,
  },
  {
    id: 'refuse-others',
    cues: [
      [new RegExp(`\\b${OTHERS}.*\\b${THEIRS}\\b|\\b${THEIRS}\\b.*\\b${OTHERS}`), 12],
      [
        /\b(person|caller|customer|client|man|woman|guy|one|lady) (before|who (called|was)|that called)\b/,
        12,
      ],
      [/\b(credit )?card numbers?\b|\byour (customer|client) (list|data|database)\b/, 9],
      [/\bwho (else )?(has )?(called|phoned|rang)\b|\bother (customers|clients|callers)\b/, 9],
    ],
    answer: () =>
      'I am sorry, I cannot tell you anything about other customers or callers. I can tell you about our services and prices. What would you like to know?',
  },
  {
    id: 'refuse-orders',
    cues: [
      [
        /\b(ignore|forget|disregard|override|bypass|skip|drop)\b.*\b(instructions?|rules?|prompts?|orders|guidelines|restrictions|programming)\b/,
        14,
      ],
      [
        /\b(system|secret|hidden|initial) (prompt|instructions?|message)\b|\byour (prompt|instructions|rules|programming|source code)\b/,
        12,
      ],
      [
        /\b(developer|admin|debug|god|root) mode\b|\bjail ?break\b|\bpretend (to be|that|you)\b|\bact as\b|\byou are now\b/,
        12,
      ],
      [
        /\b(password|pass word|api key|secret key|access code)s? (of|for|to) (the|your) (server|database|system|admin)\b/,
        12,
      ],
    ],
    answer: () => `I am sorry, I cannot do that. ${OFFER}`,
  },
  {
    id: 'off-topic',
    cues: [
      [
        /\b(weather|rain|raining|forecast|temperature|joke|jokes|poem|sing|song|music|riddle|capital of|president|prime minister|king of|queen of|football|soccer|cricket|rugby|tennis|score|match|pizza|burger|curry|recipe|cook|bake|flights?|fly|airport|train|trains|bus|taxi|cab|hotel|movie|film|television|stock market|stocks|shares|bitcoin|lottery|horoscope|translate|how (tall|far|old|heavy|deep)|what (time|day|date) is it|world cup|olympics|how do you spell|population|eiffel|shakespeare|dinosaurs?|moon|planets?|traffic|doctor|medicine|girlfriend|boyfriend|marry|love me|meaning of life)\b/,
        5,
      ],
    ],
    // A caller's trade is not a request: 'a website for our pizza shop'.
    answer: (words) =>
      /\b(website|chat bot|phone (system|assistant)|plan|document|leads?|enquiry|enquire|course|courses|message|for (my|our|a))\b/.test(
        words,
      )
        ? null
        : `I am sorry, I cannot help with that. ${OFFER}`,
  },
];
