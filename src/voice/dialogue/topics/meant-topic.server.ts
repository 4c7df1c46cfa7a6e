import { type SiteContent, siteContent } from '../../../kernel/contract/site-content.ts';
import { type AgencyKnowledge, planIn, soldServices } from '../agency-knowledge.server.ts';
import type { Embed } from '../knowledge/fact-search.server.ts';
import { readSpokenNumber } from '../spoken/spoken-digits.server.ts';
import { readSpokenTime } from '../spoken/spoken-time.server.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';
import { COMMON_QUESTIONS, type MeantQuestion, rankQuestions } from './caller-examples.server.ts';
import { withWhatWasSaid } from './said-before.server.ts';
import { answerTopic, type Earlier, type TopicAnswer } from './topic-answer.server.ts';

/** What the agency's assistant makes of a caller's words. */
export type MeantTopic =
  | { readonly is: 'told'; readonly answer: TopicAnswer }
  /** One of these may be meant, the likeliest first. */
  | { readonly is: 'asks-back'; readonly questions: readonly string[] }
  | { readonly is: 'unknown' };

interface Candidate extends MeantQuestion {
  /** What answers the question; null for what the agency has nothing to do with. */
  readonly answer: TopicAnswer | null;
}

/** Likenesses from which on something is done, with and without the meaning of the words; set on the dev halves. */
interface Bounds {
  /** The examples alone are answered. */
  readonly told: number;
  /** So far ahead of the next topic they must be. */
  readonly ahead: number;
  readonly askedBack: number;
  /** So far behind the first, another is not asked about. */
  readonly behind: number;
  /** So much likelier than the rules' topic, another is answered in its place, or asked about beside it. */
  readonly overrules: number;
  readonly doubts: number;
  /** What each point of the rules' cues is worth against that. */
  readonly cue: number;
}
const WITH_MEANING: Bounds = {
  told: 0.5,
  ahead: 0.08,
  askedBack: 0.4,
  behind: 0.13,
  overrules: 0.08,
  doubts: 0.01,
  cue: 0.04,
};
const BY_WORDS: Bounds = {
  told: 0.44,
  ahead: 0.08,
  askedBack: 0.22,
  behind: 0.1,
  overrules: 0.25,
  doubts: 0.1,
  cue: 0.04,
};
const MOST = 3;
/** Cues of this weight are any question's. */
const PLAIN = 3;
/** Fewer words are said too many ways to be compared. */
const LEAST_WORDS = 3;

/**
 * Rules and examples of what callers say together: where both mean the same it is answered, where they differ the likelier,
 * and where neither is likely it is asked back.
 *
 * @param asked as `normaliseWords` leaves them
 */
export async function meantTopic(
  asked: string,
  known: AgencyKnowledge,
  before: Earlier | null,
  embed: Embed | undefined,
): Promise<MeantTopic> {
  const words = withWhatWasSaid(asked, before);
  const ruled = answerTopic(words, known, before);
  if (words.split(' ').length < LEAST_WORDS)
    return ruled === null ? { is: 'unknown' } : { is: 'told', answer: ruled };
  const answers = commonAnswers(known);
  const alone = ruled === null || [...answers.values()].every((answer) => answer?.topic !== ruled.topic);
  if (ruled !== null && (alone || isCertain(ruled, words))) return { is: 'told', answer: ruled };
  const ranked = await rankQuestions(words, embed);
  const candidates = ranked.map((one) => ({ ...one, answer: answers.get(one.question ?? '') ?? null }));
  return decide(ruled, candidates);
}

type CommonAnswers = ReadonlyMap<string, TopicAnswer | null>;

const MOST_KEPT = 100;
const kept = new Map<string, CommonAnswers>();
let keptOf: SiteContent | null = null;

/** What each common question is answered with; kept for as long as the agency's content stays, as it is work for each turn. */
function commonAnswers(known: AgencyKnowledge): CommonAnswers {
  if (keptOf !== siteContent() || kept.size >= MOST_KEPT) kept.clear();
  keptOf = siteContent();
  const key = JSON.stringify(known);
  const answers =
    kept.get(key) ??
    new Map(COMMON_QUESTIONS.map((one) => [one, answerTopic(normaliseWords(one), known, null)]));
  kept.set(key, answers);
  return answers;
}

function decide(ruled: TopicAnswer | null, candidates: readonly Candidate[]): MeantTopic {
  const [first] = candidates;
  if (first === undefined) return { is: 'unknown' };
  const bounds = first.meaning === null ? BY_WORDS : WITH_MEANING;
  const besideRules = ruled === null ? null : decideAgainst(ruled, first, candidates, bounds);
  if (besideRules !== null) return besideRules;
  const next = candidates.find((one) => topicOf(one) !== topicOf(first));
  const ahead = first.likeness - (next?.likeness ?? 0);
  if (first.likeness < bounds.told || ahead < bounds.ahead) return askedBack(first, candidates, bounds, null);
  return first.answer === null ? { is: 'unknown' } : { is: 'told', answer: first.answer };
}

/** Whether the rules' topic stands against the examples' or is in doubt; null where the examples overrule it. */
function decideAgainst(
  ruled: TopicAnswer,
  first: Candidate,
  candidates: readonly Candidate[],
  bounds: Bounds,
): MeantTopic | null {
  const told: MeantTopic = { is: 'told', answer: ruled };
  if (ruled.topic === topicOf(first) || first.likeness < bounds.askedBack) return told;
  const supported = candidates.find((one) => topicOf(one) === ruled.topic)?.likeness ?? 0;
  const gap = first.likeness - supported - bounds.cue * Math.max(0, (ruled.weight ?? 0) - PLAIN);
  if (gap < bounds.doubts) return told;
  const doubtful = gap < bounds.overrules || first.likeness < bounds.told - bounds.ahead;
  return doubtful ? askedBack(first, candidates, bounds, ruled.topic) : null;
}

/** @param besides the topic of the rules, which is asked about as well */
function askedBack(
  first: Candidate,
  candidates: readonly Candidate[],
  bounds: Bounds,
  besides: string | null,
): MeantTopic {
  if (first.answer === null && first.likeness >= bounds.told) return { is: 'unknown' };
  const least = Math.max(bounds.askedBack, first.likeness - bounds.behind);
  const topics = new Map<string, string>();
  for (const { question, answer, likeness } of candidates) {
    if (question === null || answer === null || likeness < least || topics.has(answer.topic)) continue;
    if (topics.size < MOST) topics.set(answer.topic, question);
  }
  const ruled = candidates.find((one) => besides !== null && topicOf(one) === besides)?.question;
  const questions = [...topics.values()];
  if (ruled && !questions.includes(ruled)) questions.splice(MOST - 1, 1, ruled);
  return questions.length === 0 ? { is: 'unknown' } : { is: 'asks-back', questions };
}

const topicOf = ({ answer }: Candidate): string | null => answer?.topic ?? null;

const PLAN_TOPICS: ReadonlySet<string> = new Set([
  'plan',
  'allowance',
  'storage',
  'video-length',
  'buy-plan',
  'list-plans',
]);
/** Only whether a time is named counts. */
const SOME_DAY = { year: 2026, month: 1, day: 5, hour: 0, minute: 0 };

/** Whether the words have what the topic is about by name: a plan, how many, a time. Examples have none of these. */
function isCertain({ topic, action }: TopicAnswer, words: string): boolean {
  if (PLAN_TOPICS.has(topic)) return planIn(words) !== null;
  if (topic === 'recommend-plan') return readSpokenNumber(words) !== null;
  if (topic.startsWith('service '))
    return soldServices().some(({ spoken }) => spoken.some((name) => words.includes(name)));
  return action === 'book-slot' && readSpokenTime(words, SOME_DAY) !== null;
}
