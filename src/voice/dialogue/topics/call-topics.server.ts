import type { PublishedSite } from '../../../kernel/contract/site-content.ts';
import { REFUSAL_TOPICS } from './refusal-topics.server.ts';
import { SMALL_TALK_TOPICS } from './small-talk-topics.server.ts';
import { rankTopics, type Topic, type TopicAnswer, WAITING_WORDS } from './topic-answer.server.ts';

/** Whom an assistant with its own prompt speaks for. */
export interface SpeaksFor {
  /** Its own name; null where it has none. */
  readonly name: string | null;
  readonly organisation: string | null;
}

const MESSAGE = 'Shall I take a message?';
/**
 * Topics of small talk that every assistant has, whatever it knows; the agency's others are for its own
 * assistant only.
 */
const SHARED = new Set([
  'forget',
  'what-is-kept',
  'recorded',
  'goodbye',
  'that-is-all',
  'repeat',
  'wait',
  'thanks',
  'how-are-you',
  'hello',
  'never-mind',
  'no',
]);
const REFUSALS: Readonly<Record<string, string>> = {
  'refuse-transfer': `I am sorry, I cannot put calls through to other numbers. ${MESSAGE}`,
  'refuse-others': 'I am sorry, I cannot tell you anything about other customers or callers.',
  'refuse-orders': 'I am sorry, I cannot do that.',
};
/** With less weight than this, words of small talk may also be a question about the business. */
const PLAIN = 4;
const PEOPLE =
  'person|human( being)?|someone|somebody|manager|owner|boss|colleague|staff|operator|real person|receptionist|team';

/** Small talk, refusals and messages for an assistant that knows nothing about the agency. */
export function callTopics({ name, organisation }: SpeaksFor): readonly Topic[] {
  const whose = organisation === null ? '' : ` of ${organisation}`;
  const own: readonly Topic[] = [
    {
      id: 'machine',
      cues: [
        [
          /\b(are you|is this|am i (talking|speaking) (to|with)|do i (talk|speak) (to|with)) (a |an )?(real |live |human |actual )?(robot|machine|computer|human|ai|person|bot|software|alive|real)\b/,
          9,
        ],
      ],
      answer: () => `I am an AI assistant${whose}.`,
    },
    {
      id: 'who',
      cues: [
        [
          /\b(who are you|who is (this|that|speaking)|your name|who am i (talking|speaking) (to|with)|am i (talking|speaking) (to|with) \w+|have i reached|who do i (talk|speak) (to|with)|what are you called)\b/,
          9,
        ],
      ],
      answer: () => `I am ${name === null ? '' : `${name}, `}the AI assistant${whose}.`,
    },
    {
      id: 'message',
      cues: [
        [
          /\b(leave|take|pass on|give|send|write down)\b(?: \w+){0,3} messages?\b|\b(call|ring|phone) (me|us) back\b|\b(somebody|someone|anybody|anyone) (to )?(call|ring|phone) me\b/,
          9,
        ],
      ],
      answer: () => '',
      action: 'take-enquiry',
    },
    {
      id: 'person',
      cues: [
        [
          new RegExp(
            `\\b(speak|talk) (to|with) (a |an |the |some |your |any)?(real |live |actual |human )?(${PEOPLE})\\b|\\bput me (through|on)\\b|\\b(transfer|connect) me\\b|\\bget me (a |the )?(${PEOPLE})\\b`,
          ),
          9,
        ],
      ],
      answer: () => `I cannot put you through here. ${MESSAGE}`,
    },
    {
      id: 'ability',
      cues: [[/\b(what can (you|i) (do|ask)|what (do|can) you help|how can you help|what are you for)\b/, 5]],
      answer: () =>
        `I can answer questions${organisation === null ? '' : ` about ${organisation}`} and take a message. What would you like to know?`,
    },
    {
      id: 'yes',
      cues: [[/^(yes|yeah|yep|sure|okay|of course|please do|yes please|go ahead|alright)( please)?$/, 2]],
      answer: () => 'What would you like to know?',
    },
  ];
  const shared = SMALL_TALK_TOPICS.filter(({ id }) => SHARED.has(id));
  const refusals = REFUSAL_TOPICS.filter(({ id }) => REFUSALS[id] !== undefined).map(
    (topic): Topic => ({
      ...topic,
      answer: (words, known) => (topic.answer(words, known) === null ? null : (REFUSALS[topic.id] ?? null)),
    }),
  );
  return [...own, ...shared, ...refusals];
}

/**
 * The answer of small talk to the words.
 *
 * @param plainly only where nothing else can be meant
 */
export function answerManners(
  site: PublishedSite,
  topics: readonly Topic[],
  words: string,
  plainly: boolean,
): TopicAnswer | null {
  const known = { site, brand: '', contactEmail: '', hours: '', sentences: [] };
  const count = words.split(' ').length;
  for (const { topic, score } of rankTopics(topics, words, known, null)) {
    if (plainly && score < PLAIN) continue;
    if (topic.id === 'wait' && count > WAITING_WORDS) continue;
    const sentence = topic.answer(words, known);
    if (sentence !== null) return { topic: topic.id, sentence, action: topic.action ?? null };
  }
  return null;
}
