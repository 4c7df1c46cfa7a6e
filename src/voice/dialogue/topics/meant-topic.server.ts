import { type SiteContent, siteContent } from '../../../kernel/contract/site-content.ts';
import { type AgencyKnowledge, planIn, soldServices } from '../agency-knowledge.server.ts';
import type { Embed } from '../knowledge/fact-search.server.ts';
import { coreOf } from '../likeness/core-words.server.ts';
import { chancesOf } from '../likeness/trained-weights.server.ts';
import { readSpokenNumber } from '../spoken/spoken-digits.server.ts';
import { readSpokenTime } from '../spoken/spoken-time.server.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';
import {
  COMMON_QUESTIONS,
  exampleWeights,
  type LikeQuestion,
  likeQuestions,
} from './caller-examples.server.ts';
import { answersByChance, chanceFeatures, OFF_TOPIC } from './question-chances.server.ts';
import { withWhatWasSaid } from './said-before.server.ts';
import { answerTopic, type Earlier, type TopicAnswer } from './topic-answer.server.ts';

/** What the agency's assistant makes of a caller's words. */
export type MeantTopic =
  | { readonly is: 'told'; readonly answer: TopicAnswer }
  /** One of these questions may be meant; the likeliest comes first. */
  | { readonly is: 'asks-back'; readonly questions: readonly string[] }
  | { readonly is: 'unknown' };

interface Candidate extends LikeQuestion {
  /** The answer to the question; null where the agency has nothing to do with it. */
  readonly answer: TopicAnswer | null;
}

/** Limits for the similarity in words, for use without vectors; chosen on the dev halves of the examples. */
const BY_WORDS = {
  /** From here on the examples alone decide the answer. */
  told: 0.44,
  /** The best topic has to be this far ahead of the next one. */
  ahead: 0.08,
  askedBack: 0.22,
  /** A question this far behind the best one is not asked back. */
  behind: 0.1,
  /**
   * A topic this much more similar than the rules' topic replaces it; with the second value it is asked back
   * beside it.
   */
  overrules: 0.25,
  doubts: 0.18,
  /** How much each point of the rules' cues counts against that. */
  cue: 0.08,
} as const;
/** The chance from which a question is asked back. */
const ASKED_BACK = 0.1;
const MOST = 3;
/** Cues of this weight fit any question. */
const PLAIN = 3;
/** Fewer words than this are not compared where the rules know them: they can be said in too many ways. */
const LEAST_WORDS = 3;
/** A text of more words than this says more than the name of a plan. */
const FEW_WORDS = 6;
/** Small talk after which most callers say what they want. */
const PASSING: ReadonlySet<string> = new Set(['hello', 'thanks', 'no', 'how-are-you', 'test']);
const MANNERS =
  /\b(hello|hi|hey|good (morning|afternoon|evening|day)|thank you( very much| so much)?|thanks( a lot)?|cheers|much appreciated|great|perfect|lovely|wonderful|brilliant|excellent|how are you( doing)?( today)?|how do you do|no|nope|not (really|now|today)|just (looking|testing|trying|curious))\b/g;

/**
 * Decides by rules and examples together what a caller means: a likely answer is given, of several possible
 * ones it is asked which, and the rest counts as unknown.
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
  const { said, ruled, stands } = weighedTopic(words, known, before);
  if (ruled !== null && stands) return { is: 'told', answer: ruled };
  if (words.split(' ').length < LEAST_WORDS - 1) return { is: 'unknown' };
  const answers = commonAnswers(known);
  const like = await likeQuestions(words, embed);
  const candidates = like.map((one) => ({ ...one, answer: answers.get(one.label ?? '') ?? null }));
  const meant = decide(ruled, candidates);
  const instead = insteadOf(meant, said, ruled);
  return instead === null ? meant : { is: 'told', answer: instead };
}

/**
 * The answer of the rules alone: small talk where nothing more is known, or a plan that was named where
 * nothing else is certain.
 */
function insteadOf(
  meant: MeantTopic,
  said: TopicAnswer | null,
  ruled: TopicAnswer | null,
): TopicAnswer | null {
  if (meant.is === 'told') return null;
  if (ruled === null) return meant.is === 'unknown' ? said : null;
  return ruled.topic === 'plan' ? ruled : null;
}

/** How the rules understood a caller's words, and how much of that counts. */
export interface WeighedTopic {
  readonly said: TopicAnswer | null;
  /** The answer, unless it is small talk before something else. */
  readonly ruled: TopicAnswer | null;
  /**
   * Whether the answer holds without comparison: few words were said, no example is about it, or it was
   * named.
   */
  readonly stands: boolean;
}

/** Applies the rules to the words, for comparison with the examples. */
export function weighedTopic(words: string, known: AgencyKnowledge, before: Earlier | null): WeighedTopic {
  const said = answerTopic(words, known, before);
  const few = coreOf(words).split(' ').length < LEAST_WORDS;
  const rest = coreOf(words.replace(MANNERS, ' ').trim()).split(/ +/);
  const passing = said !== null && PASSING.has(said.topic) && rest.length >= LEAST_WORDS;
  const ruled = passing ? null : said;
  return { said, ruled, stands: ruled !== null && (few || isSettled(ruled, words, known)) };
}

function isSettled(ruled: TopicAnswer, words: string, known: AgencyKnowledge): boolean {
  const answers = [...commonAnswers(known).values()];
  const alone = ruled.topic !== OFF_TOPIC && answers.every((answer) => answer?.topic !== ruled.topic);
  return alone || isCertain(ruled, words);
}

type CommonAnswers = ReadonlyMap<string, TopicAnswer | null>;

const MOST_KEPT = 100;
const kept = new Map<string, CommonAnswers>();
let keptOf: SiteContent | null = null;

/**
 * The answers to the common questions; kept while the agency's content stays the same, since making them is
 * work for every turn.
 */
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
  if (candidates.some(({ score }) => score !== null)) return decideByChance(ruled, candidates);
  if (ruled?.topic === OFF_TOPIC) return { is: 'told', answer: ruled };
  return decideByWords(
    ruled,
    [...candidates].sort((one, other) => other.words - one.words),
  );
}

/** Decides by chances that were learned from the examples. */
function decideByChance(ruled: TopicAnswer | null, candidates: readonly Candidate[]): MeantTopic {
  const { weights, told } = exampleWeights();
  const features = candidates.map((one) => chanceFeatures(one, topicOf(one), ruled));
  const likely = answersByChance(candidates, chancesOf(features, weights));
  const [best] = likely;
  if (best !== undefined && best.chance >= told && best.answer !== null)
    return { is: 'told', answer: ruled?.topic === best.answer.topic ? ruled : best.answer };
  const questions = likely
    .filter(({ chance, answer }) => answer !== null && chance >= ASKED_BACK)
    .flatMap(({ label }) => label ?? []);
  if (questions.length > 0 && !(best?.answer === null && best.chance >= told))
    return { is: 'asks-back', questions: questions.slice(0, MOST) };
  return ruled?.topic === OFF_TOPIC ? { is: 'told', answer: ruled } : { is: 'unknown' };
}

/** Decides by words alone, while there is no vector. @param candidates the likeliest first */
function decideByWords(ruled: TopicAnswer | null, candidates: readonly Candidate[]): MeantTopic {
  const [first] = candidates;
  if (first === undefined) return { is: 'unknown' };
  const besideRules = ruled === null ? null : decideAgainst(ruled, first, candidates);
  if (besideRules !== null) return besideRules;
  const next = candidates.find((one) => topicOf(one) !== topicOf(first));
  const ahead = first.words - (next?.words ?? 0);
  if (first.words < BY_WORDS.told || ahead < BY_WORDS.ahead) return askedBack(first, candidates, null);
  return first.answer === null ? { is: 'unknown' } : { is: 'told', answer: first.answer };
}

/**
 * Whether the rules' topic holds against the examples' or is in doubt; null where the examples overrule it.
 */
function decideAgainst(
  ruled: TopicAnswer,
  first: Candidate,
  candidates: readonly Candidate[],
): MeantTopic | null {
  const told: MeantTopic = { is: 'told', answer: ruled };
  if (ruled.topic === topicOf(first) || first.words < BY_WORDS.askedBack) return told;
  const supported = candidates.find((one) => topicOf(one) === ruled.topic)?.words ?? 0;
  const gap = first.words - supported - BY_WORDS.cue * Math.max(0, (ruled.weight ?? 0) - PLAIN);
  if (gap < BY_WORDS.doubts) return told;
  const doubtful = gap < BY_WORDS.overrules || first.words < BY_WORDS.told - BY_WORDS.ahead;
  return doubtful ? askedBack(first, candidates, ruled.topic) : null;
}

/** @param besides the topic of the rules, which is asked back as well */
function askedBack(first: Candidate, candidates: readonly Candidate[], besides: string | null): MeantTopic {
  if (first.answer === null && first.words >= BY_WORDS.told) return { is: 'unknown' };
  const least = Math.max(BY_WORDS.askedBack, first.words - BY_WORDS.behind);
  const topics = new Map<string, string>();
  for (const { label, answer, words } of candidates) {
    if (label === null || answer === null || words < least || topics.has(answer.topic)) continue;
    if (topics.size < MOST) topics.set(answer.topic, label);
  }
  const ruled = candidates.find((one) => besides !== null && topicOf(one) === besides)?.label;
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
/** Any day will do: all that counts is whether a time is named. */
const SOME_DAY = { year: 2026, month: 1, day: 5, hour: 0, minute: 0 };

/**
 * Whether the words name what the topic is about: a plan, a number, a time. Examples contain none of these.
 */
function isCertain({ topic, action, weight = 0 }: TopicAnswer, words: string): boolean {
  // `I am on Premium and cannot sign in` names a plan, but is about something else.
  if (topic === 'plan' && weight < PLAIN && words.split(' ').length > FEW_WORDS) return false;
  if (PLAN_TOPICS.has(topic)) return planIn(words) !== null;
  if (topic === 'recommend-plan') return readSpokenNumber(words) !== null;
  if (topic.startsWith('service '))
    return soldServices().some(({ spoken }) => spoken.some((name) => words.includes(name)));
  return action === 'book-slot' && readSpokenTime(words, SOME_DAY) !== null;
}
