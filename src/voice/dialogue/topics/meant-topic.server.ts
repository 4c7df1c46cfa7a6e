import type { InstalledContent, PublishedSite } from '../../../kernel/contract/site-content.ts';
import { type AgencyKnowledge, planIn, soldServices } from '../agency-knowledge.server.ts';
import type { Embed } from '../knowledge/fact-search.server.ts';
import { coreOf } from '../likeness/core-words.server.ts';
import { readSpokenNumber } from '../spoken/spoken-digits.server.ts';
import { readSpokenTime } from '../spoken/spoken-time.server.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';
import { COMMON_QUESTIONS, type LikeQuestion, likeQuestions } from './common-questions.server.ts';
import { withWhatWasSaid } from './said-before.server.ts';
import { answerTopic, type Earlier, type TopicAnswer } from './topic-answer.server.ts';

/** What the agency's assistant makes of a caller's words. */
export type MeantTopic =
  | { readonly is: 'told'; readonly answer: TopicAnswer }
  /** One of these questions may be meant; the likeliest comes first. */
  | { readonly is: 'asks-back'; readonly questions: readonly string[] }
  | { readonly is: 'unknown' };

/** A possible answer, with the question that is nearest to the caller's words. */
interface Candidate extends LikeQuestion {
  readonly answer: TopicAnswer;
}

/**
 * From here on a question is answered where it is this far ahead of the next; chosen on the dev lines of
 * `bench/voice/assistants`, where a wrong answer counted as two right ones (decision 0581).
 */
const TOLD = 0.35;
const AHEAD = 0.1;
/** From here on a question is asked back, if it is hardly behind the likeliest. */
const ASKED_BACK = 0.4;
const BEHIND = 0.12;
/** How much the topic of the rules counts beside likeness, and how alike it has to be to be answered alone. */
const OF_RULES = 0.05;
const RULED = 0.3;
const MOST = 2;
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
  const words = withWhatWasSaid(known.site, asked, before);
  const { said, ruled, stands } = weighedTopic(words, known, before);
  if (ruled !== null && stands) return { is: 'told', answer: ruled };
  if (words.split(' ').length < LEAST_WORDS - 1) return { is: 'unknown' };
  const like = await likeQuestions(words, embed);
  // Without vectors the rules alone decide.
  if (like.length === 0) return said === null ? { is: 'unknown' } : { is: 'told', answer: said };
  return decide(said, ruled, candidatesOf(like, commonAnswers(known)));
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
  const alone = answers.every((answer) => answer?.topic !== ruled.topic);
  return alone || isCertain(ruled, words, known.site);
}

type CommonAnswers = ReadonlyMap<string, TopicAnswer | null>;

const MOST_KEPT = 100;
const keptOf = new WeakMap<InstalledContent, Map<string, CommonAnswers>>();

/**
 * The answers to the common questions; kept while the agency's content stays the same, since making them is
 * work for every turn.
 */
function commonAnswers(known: AgencyKnowledge): CommonAnswers {
  const { site, ...rest } = known;
  const kept = keptOf.get(site.installed) ?? new Map<string, CommonAnswers>();
  if (kept.size >= MOST_KEPT) kept.clear();
  keptOf.set(site.installed, kept);
  const key = JSON.stringify(rest);
  const answers =
    kept.get(key) ??
    new Map(COMMON_QUESTIONS.map((one) => [one, answerTopic(normaliseWords(one), known, null)]));
  kept.set(key, answers);
  return answers;
}

/** One candidate for each answer, most alike first. */
function candidatesOf(like: readonly LikeQuestion[], answers: CommonAnswers): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const one of like) {
    const answer = answers.get(one.question);
    const key = `${answer?.topic}: ${answer?.sentence}`;
    if (answer && !found.has(key)) found.set(key, { ...one, answer });
  }
  return [...found.values()];
}

function decide(
  said: TopicAnswer | null,
  ruled: TopicAnswer | null,
  candidates: readonly Candidate[],
): MeantTopic {
  const isRuled = ({ answer }: Candidate): boolean => answer.topic === ruled?.topic;
  const scored = candidates
    .map((one) => ({ ...one, score: one.likeness + (isRuled(one) ? OF_RULES : 0) }))
    .sort((one, other) => other.score - one.score);
  const [best, next] = scored;
  if (best !== undefined && best.score >= TOLD && best.score - (next?.score ?? 0) >= AHEAD)
    return { is: 'told', answer: ruled !== null && isRuled(best) ? ruled : best.answer };
  const least = Math.max(ASKED_BACK, (best?.score ?? 0) - BEHIND);
  const questions = scored.filter(({ score }) => score >= least).map(({ question }) => question);
  if (questions.length > 0) return { is: 'asks-back', questions: questions.slice(0, MOST) };
  if (ruled === null) return said === null ? { is: 'unknown' } : { is: 'told', answer: said };
  const alike = scored.find(isRuled)?.likeness ?? 1;
  return alike >= RULED ? { is: 'told', answer: ruled } : { is: 'unknown' };
}

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
function isCertain({ topic, action, weight = 0 }: TopicAnswer, words: string, site: PublishedSite): boolean {
  // `I am on Premium and cannot sign in` names a plan, but is about something else.
  if (topic === 'plan' && weight < PLAIN && words.split(' ').length > FEW_WORDS) return false;
  if (PLAN_TOPICS.has(topic)) return planIn(site, words) !== null;
  if (topic === 'recommend-plan') return readSpokenNumber(words) !== null;
  if (topic.startsWith('service '))
    return soldServices(site).some(({ spoken }) => spoken.some((name) => words.includes(name)));
  return action === 'book-slot' && readSpokenTime(words, SOME_DAY) !== null;
}
