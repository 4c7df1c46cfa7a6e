import type { PublishedSite } from '../../../kernel/contract/site-content.ts';
import { type AgencyKnowledge, type Service, soldServices } from '../agency-knowledge.server.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';
import { BILLING_TOPICS } from './billing-topics.server.ts';
import { DOCUMENT_TOPICS } from './document-topics.server.ts';
import { PRICE_TOPICS, recommendFor } from './price-topics.server.ts';
import { REFUSAL_TOPICS } from './refusal-topics.server.ts';
import { AGENCY_TOPICS, serviceTopics } from './service-topics.server.ts';
import { SMALL_TALK_TOPICS } from './small-talk-topics.server.ts';
import { TASK_TOPICS } from './task-topics.server.ts';

/** What a topic can do besides saying something. */
export type TopicAction =
  | 'take-enquiry'
  | 'book-slot'
  | 'change-booking'
  | 'hand-over'
  | 'hang-up'
  | 'repeat'
  | 'forget'
  | 'wait';

/** Tells whether words are about something. Plans and currency may decide it. */
export interface Cue {
  test(words: string, site: PublishedSite): boolean;
}

/** One thing that callers ask about. */
export interface Topic {
  readonly id: string;
  /** Each cue that matches adds its weight; the topic with the greatest sum is answered. */
  readonly cues: readonly (readonly [cue: Cue, weight: number])[];
  /** The answer in whole sentences; null where the topic has no answer to these words. */
  readonly answer: (words: string, known: AgencyKnowledge) => string | null;
  readonly action?: TopicAction;
}

/** The answer to a caller's words. */
export interface TopicAnswer {
  readonly topic: string;
  readonly sentence: string;
  readonly action: TopicAction | null;
  /** Sum of the cues that matched; absent where none did. */
  readonly weight?: number;
}

/** All topics, with those of the services that are sold at present. */
const allTopics = (site: PublishedSite): readonly Topic[] => [
  ...REFUSAL_TOPICS,
  ...PRICE_TOPICS,
  ...BILLING_TOPICS,
  ...serviceTopics(site),
  ...AGENCY_TOPICS,
  ...DOCUMENT_TOPICS,
  ...TASK_TOPICS,
  ...SMALL_TALK_TOPICS,
];
/** With a smaller sum than this the words count as not understood. */
const LEAST = 2;
/** Share of the caller's telling words that a sentence of the assistant's prompt has to have. */
const LEAST_OVERLAP = 0.5;
const SHORT_WORD = 4;
/** A wish for a moment's patience has few words; longer texts are about something else. */
export const WAITING_WORDS = 5;

/** The last answer, and the words that it answered. */
export interface Earlier {
  readonly topic: string;
  readonly words: string;
  /** What was said in answer. */
  readonly said?: string;
}

/** What people say to interrupt the assistant, before what they want. */
const BREAKING_IN =
  /^(stop|wait|hold on|hang on|one moment|sorry|excuse me|no|okay|ok) (?!please$)(?=(what|how|can|could|is|are|do|does|who|when|where|which|why|will|tell|please)\b)/;
/** Words that refer to something said before: `how do i do that`. */
const GOES_BACK = /\b(it|that|this|those|them|so|then)\b/;
const MOST_WORDS_BACK = 7;

/**
 * Answers from the agency's own facts.
 *
 * @param words as `normaliseWords` leaves them
 * @param before the turn before, which `and the premium plan` and `how do i do that` continue
 * @returns null where nothing fits
 */
export function answerTopic(
  words: string,
  known: AgencyKnowledge,
  before: Earlier | null,
): TopicAnswer | null {
  const asked = unnamed(words.replace(BREAKING_IN, ''), known);
  const answer = answerWords(asked, known, before?.topic ?? null);
  if (answer !== null || before === null) return answer;
  const goesBack = GOES_BACK.test(asked) && asked.split(' ').length <= MOST_WORDS_BACK;
  return goesBack ? answerWords(`${before.words} ${asked}`, known, before.topic) : null;
}

/** The words with "your agency" where a question names it, since the rules know no name: `what does kestrel do`. */
function unnamed(words: string, { brand }: AgencyKnowledge): string {
  const name = normaliseWords(brand);
  if (name === '') return words;
  const asks = new RegExp(
    `(?<=\\b(?:what|who) (?:is|are|does|do|can|could)|\\babout) ${RegExp.escape(name)}(?= |$)`,
    'g',
  );
  return words.replace(asks, ' your agency');
}

function answerWords(words: string, known: AgencyKnowledge, before: string | null): TopicAnswer | null {
  const count = words.split(' ').length;
  for (const { topic, score } of rankTopics(allTopics(known.site), words, known, before)) {
    if (topic.id === 'wait' && count > WAITING_WORDS) continue;
    const sentence = topic.answer(words, known);
    if (sentence !== null) return { topic: topic.id, sentence, action: topic.action ?? null, weight: score };
  }
  const recommended =
    before === 'recommend-plan' && words.split(' ').length <= 6 ? recommendFor(known.site, words) : null;
  if (recommended !== null) return { topic: 'recommend-plan', sentence: recommended, action: null };
  const told = closestSentence(words, known.sentences);
  return told === null ? null : { topic: 'told', sentence: told, action: null };
}

/** The topics that the words are about, best first, each with its sum. */
export function rankTopics(
  topics: readonly Topic[],
  words: string,
  { site }: Pick<AgencyKnowledge, 'site'>,
  before: string | null,
): { readonly topic: Topic; readonly score: number }[] {
  return topics
    .map((topic) => ({ topic, score: scoreOf(topic, words, site, before) }))
    .filter(({ score }) => score >= LEAST)
    .sort((one, other) => other.score - one.score);
}

const QUESTION =
  /^(so |and |but |sorry |wait )*(what|how|can (you|i)|could (you|i)|is|are|do|does|who|when|where|which|why|will)\b/;

/** Whether words begin like a question. */
export const isQuestion = (words: string): boolean => QUESTION.test(words);

/** Whether the words are a question that has an answer and does not ask for an action. */
export function asksQuestion(words: string, known: AgencyKnowledge, before: Earlier | null): boolean {
  return QUESTION.test(words) && answerTopic(words, known, before)?.action === null;
}

function scoreOf(topic: Topic, words: string, site: PublishedSite, before: string | null): number {
  const score = topic.cues.reduce((sum, [cue, weight]) => sum + (cue.test(words, site) ? weight : 0), 0);
  const goesOn = topic.id === before && /^(and|what about|how about|or)\b/.test(words);
  return goesOn && score > 0 ? score + 2 : score;
}

/** The sentence that shares most of the caller's telling words, if it shares enough of them. */
function closestSentence(words: string, sentences: readonly string[]): string | null {
  const telling = new Set(words.split(' ').filter((word) => word.length >= SHORT_WORD && !COMMON.has(word)));
  if (telling.size === 0) return null;
  let best: string | null = null;
  let most = LEAST_OVERLAP;
  for (const sentence of sentences) {
    const there = new Set(sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
    const share =
      [...telling].filter((word) => there.has(word) || there.has(word.replace(/s$/, ''))).length /
      telling.size;
    if (share > most) [best, most] = [sentence, share];
  }
  return best;
}

const COMMON = new Set(
  'what when where which tell about your have does with want would like could please this that from there know need more some into many much they them will also just'.split(
    ' ',
  ),
);

/** The service that was named. */
export function serviceIn(site: PublishedSite, words: string): Service | null {
  return soldServices(site).find((service) => service.said.test(words)) ?? null;
}
