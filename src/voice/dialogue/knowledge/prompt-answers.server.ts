import type { WallTime } from '../../../business/bookings/zoned-time.server.ts';
import { type Term, termsOf } from '../likeness/word-meanings.server.ts';
import { readConsent } from '../spoken/caller-consent.server.ts';
import { readSpokenTime } from '../spoken/spoken-time.server.ts';
import { type Embed, FactSearch, type FoundFact } from './fact-search.server.ts';
import { verdictOn } from './fact-threshold.server.ts';
import { readStatedHours, type StatedHours } from './hours-reading.server.ts';
import { sayStatedHours } from './hours-saying.server.ts';
import { type Fact, type PromptReading, sentencesIn } from './prompt-reading.server.ts';
import { isOwn, type Question, readQuestion } from './question-reading.server.ts';

/** The answer of the assistant's own prompt to a caller's words. */
export type KnownAnswer =
  | { readonly is: 'told'; readonly sentence: string }
  /** Nothing certain: the sentence asks which of several facts is meant. */
  | { readonly is: 'asks-back'; readonly sentence: string }
  /** The prompt forbids the subject. */
  | { readonly is: 'forbidden' }
  | { readonly is: 'unknown' };

/** Answers from a prompt and files, and remembers what it asked back. There is one for each call. */
export class PromptAnswers {
  readonly #search: FactSearch;
  readonly #forbidden: FactSearch;
  readonly #reading: PromptReading;
  readonly #hours: StatedHours | null;
  readonly #now: () => WallTime;
  /** Lists of the prompt that are long enough to be read out as a list. */
  readonly #lists: readonly (readonly Fact[])[];
  #asked: readonly Fact[] = [];
  #before: Question | null = null;

  constructor(reading: PromptReading, now: () => WallTime, embed: Embed | null) {
    this.#reading = reading;
    this.#search = new FactSearch(reading.facts, embed, reading.organisation ?? '');
    this.#forbidden = new FactSearch(reading.forbidden.map(plainFact), embed);
    this.#hours = readStatedHours(reading.facts);
    this.#now = now;
    const entries = reading.facts.filter(({ entry }) => entry !== null);
    this.#lists = [...Map.groupBy(entries, ({ list }) => list).values()].filter(
      ({ length }) => length >= LEAST_LIST,
    );
  }

  /** Whether the prompt has any of the telling words. */
  knows(words: string): boolean {
    return termsOf(words).some((term) => this.#search.knows(term));
  }

  /** @param words as `normaliseWords` leaves them */
  async answer(words: string): Promise<KnownAnswer> {
    const chosen = this.#choice(words);
    const refused = this.#asked.length > 0 && (PLACE.test(words) || REFUSES_ALL.test(words));
    this.#asked = [];
    if (chosen) return { is: 'told', sentence: chosen.text };
    if (refused) return { is: 'unknown' };
    const question = this.#continued(readQuestion(words));
    this.#before = question;
    const named = this.#namedEntry(question);
    if (named !== undefined) return { is: 'told', sentence: named.text };
    if (await this.#isForbidden(question)) return { is: 'forbidden' };
    const hours = this.#hoursFor(question) ?? (await this.#hoursMeant(question));
    if (hours !== null) return { is: 'told', sentence: hours };
    const found = await this.#search.find(question);
    const listed = this.#listFor(question, found);
    if (listed !== null) return { is: 'told', sentence: listed };
    return this.#decide(question, found);
  }

  #decide(question: Question, found: readonly FoundFact[]): KnownAnswer {
    const own =
      question.terms.length === 0 ? found.find(({ fact }) => isOwn(question.wanted, fact.text)) : undefined;
    if (own) return { is: 'told', sentence: sayFact(own, question) };
    const [best, second] = found;
    const verdict = verdictOn(question, found, (term) => this.#search.knows(term));
    if (best === undefined || verdict.is === 'unknown') return { is: 'unknown' };
    if (verdict.is === 'told') return { is: 'told', sentence: sayBest(best, second, question) };
    this.#asked = verdict.facts.slice(0, MOST_ASKED).map(({ fact }) => fact);
    const labels = this.#asked.map(labelOf);
    return { is: 'asks-back', sentence: `Do you mean ${listOr(labels)}?` };
  }

  /** The fact that the caller chose of those asked back. */
  #choice(words: string): Fact | undefined {
    const [only] = this.#asked;
    if (only === undefined) return undefined;
    const place = PLACE.exec(words)?.[1];
    if (place) return place === 'last' ? this.#asked.at(-1) : this.#asked[PLACES.indexOf(place)];
    if (this.#asked.length === 1 && readConsent(words) === true) return only;
    const said = new Set(termsOf(words).map(({ stem }) => stem));
    const fitting = this.#asked.filter((fact) => termsOf(labelOf(fact)).some(({ stem }) => said.has(stem)));
    return fitting.length === 1 && words.split(' ').length <= SHORT ? fitting[0] : undefined;
  }

  /** Completes a question that continues the one before, such as `and the calzone`. */
  #continued(question: Question): Question {
    const before = this.#before;
    const leans =
      GOES_ON.test(question.words) || (question.terms.length === 0 && PRONOUN.test(question.words));
    if (before === null || !leans || question.words.split(' ').length > SHORT) return question;
    const wanted = question.wanted === 'any' ? before.wanted : question.wanted;
    const terms = question.terms.length === 0 ? before.terms : question.terms;
    return { ...question, wanted, terms };
  }

  /**
   * The only priced entry whose whole name is in a question for a price: `if a tooth needs a crown, what
   * would I pay`.
   */
  #namedEntry({ wanted, terms }: Question): Fact | undefined {
    if (wanted !== 'price') return undefined;
    const named = this.#reading.facts.filter(
      ({ entry, text }) =>
        entry !== null &&
        MONEY.test(text) &&
        termsOf(entry).length > 0 &&
        termsOf(entry).every((own) => shares(terms, own)),
    );
    return named.length === 1 ? named[0] : undefined;
  }

  #hoursFor({ wanted, words }: Question): string | null {
    if (this.#hours === null || ASKS_ELSE.test(words)) return null;
    const named = readSpokenTime(words, this.#now()) !== null || /\b(weekends?|tonight|now)\b/.test(words);
    if (wanted !== 'hours' && !(named && COMES.test(words) && !/\b(can|could|will|would) you\b/.test(words)))
      return null;
    const rest = termsOf(words.replace(OF_TIME, ' ')).filter(
      (term) => this.#search.knows(term) || term.stem.length > 2,
    );
    return rest.length === 0 ? sayStatedHours(this.#hours, words, this.#now()) : null;
  }

  /**
   * The hours, for a question that asks for them in unusual words: `When do you chuck people out on
   * Saturdays`.
   */
  async #hoursMeant({ words, terms }: Question): Promise<string | null> {
    if (this.#hours === null || ASKS_ELSE.test(words)) return null;
    const named = readSpokenTime(words, this.#now()) !== null;
    if (!named && terms.some((term) => this.#search.knows(term))) return null;
    const likeness = await this.#search.likenessTo(HOURS_QUESTIONS, words);
    return likeness >= LIKE_HOURS ? sayStatedHours(this.#hours, words, this.#now()) : null;
  }

  /** The entries of a list, for a question what there is, or what everything costs. */
  #listFor(question: Question, found: readonly FoundFact[]): string | null {
    const { wanted, terms } = question;
    // A list of prices shows which is the cheapest.
    const superlative = SUPERLATIVE.test(question.words) && terms.every((term) => this.#isOfPrices(term));
    if ((wanted === 'price' && terms.length === 0) || superlative) {
      const priced = this.#lists.find(isPriced);
      return priced === undefined
        ? null
        : priced
            .slice(0, MOST_LISTED)
            .map(({ text }) => text)
            .join(' ');
    }
    if (wanted !== 'list') return null;
    const entries = this.#listAbout(question, (found[0]?.words ?? 0) > WELL_COVERED)
      ?.slice(0, MOST_LISTED)
      .flatMap(({ entry }) => entry ?? []);
    return entries === undefined ? null : `We have ${listAnd(entries)}.`;
  }

  /** Whether it is a word about prices, or one that the prompt has. */
  #isOfPrices(term: Term): boolean {
    return /^(cheap|dear|pric|expens|low|cost)/.test(term.stem) || this.#search.knows(term);
  }

  /** The list whose heading was asked for, or the list of what the business sells. */
  #listAbout({ terms, words }: Question, otherwiseAnswered: boolean): readonly Fact[] | undefined {
    const identity = termsOf(`${this.#reading.organisation ?? ''} food services products`);
    const general = terms.every((term) => shares(identity, term));
    if (otherwiseAnswered && !general) return undefined;
    const own = this.#lists.find((facts) =>
      terms.some((term) => shares(termsOf(facts[0]?.context ?? ''), term)),
    );
    const first = general || GENERAL.test(words) ? (this.#lists.find(isPriced) ?? this.#lists[0]) : undefined;
    return own ?? first;
  }

  async #isForbidden(question: Question): Promise<boolean> {
    const found = await this.#forbidden.find(question);
    return found.some(
      ({ words, meaning }) => words >= FORBIDDEN_WORDS || (meaning ?? 0) >= FORBIDDEN_MEANING,
    );
  }
}

/** Whether at least half of its entries have a price. */
const isPriced = (facts: readonly Fact[]): boolean =>
  2 * facts.filter(({ text }) => /[£$€¥]\d/.test(text)).length >= facts.length;
const shares = (terms: readonly Term[], { stem, group }: Term): boolean =>
  terms.some((term) => term.stem === stem || (group !== null && term.group === group));

const PLACES = ['first', 'second', 'third'];
/** Matches `the last one`, but not `how long does it last`. */
const PLACE =
  /(?:^|\b(?:the|yes|no|um|maybe|rather|please) )(first|second|third|last)\b(?! (time|month|week|day|year|visit|appointment))/;
const REFUSES_ALL =
  /^(no|nope|none|neither)( thanks| thank you)?$|\b(none|neither|not any) of (them|those|these|that)\b/;
const PRONOUN = /\b(it|that|this|they|those|them)\b/;
const SUPERLATIVE =
  /\b(cheapest|dearest|priciest|(most|least) expensive|lowest price|costs? (the )?(most|least))\b/;
const MONEY = /[£$€¥]\s?\d/;
const MOST_ASKED = 2;
const SHORT = 6;
const LEAST_LIST = 3;
const MOST_LISTED = 8;
const WELL_COVERED = 0.75;
const FORBIDDEN_WORDS = 0.7;
const FORBIDDEN_MEANING = 0.6;
const LONGEST_ANSWER = 300;
const LABEL_WORDS = 9;
const GOES_ON = /^(and|or|what about|how about|is it|is that|does it|how much is (it|that))\b/;
const COMES =
  /\b(come|there|here|open|visit|available|reach|anybody|anyone|someone|in|around|(swing|drop|pop|stop|call) (by|in|round|over))\b/;
/** Questions that may name a time but ask for something else. */
const ASKS_ELSE = /^(so |and |but )?(where|who|whose|how much|how many)\b/;
const GENERAL = /\b(menu|services|products|treatments|do you (sell|offer|do)|can you do)\b/;
const OF_TIME =
  /\b(open|opening|hours?|times?|close|closes|closed|closing|shut|until|late|latest|earliest|around|about|lot|guys|swing|drop|pop|stop|call|serving|duty|when|reach|there|start|finish|come|visit|available|business|working|office|monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b|\b(today|tomorrow|tonight|now|weekdays?|weekends?|week|morning|afternoon|evening|night|noon|lunch ?time|midday|o'clock|half|quarter|past|after|before|between|am|pm|a m|p m|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2}(:\d\d)?)\b/g;

const plainFact = (text: string): Fact => ({ text, context: '', entry: null, list: null, source: null });

/** Questions for the hours; words that are this much like one are answered with them. */
export const HOURS_QUESTIONS = [
  'when are you open',
  'what time do you close on saturday',
  'how late can i come on friday',
  'are you open at the weekend',
  'when do you shut',
  'is anybody there on sunday',
];
const LIKE_HOURS = 0.6;

/**
 * The best fact as an answer, together with the second where both answer equally well and are short enough.
 */
function sayBest(best: FoundFact, second: FoundFact | undefined, question: Question): string {
  const alike = second !== undefined && best.score - second.score <= ALIKE && second.words >= WELL_COVERED;
  const both = alike && best.fact.entry === null && second.fact.entry === null;
  const together = both ? `${best.fact.text} ${second.fact.text}` : '';
  return both && together.length <= LONGEST_ANSWER ? together : sayFact(best, question);
}
const ALIKE = 0.04;

/** A fact as an answer, with yes or no before it where that is clear. */
function sayFact({ fact, words }: FoundFact, { yesNo, words: asked, terms }: Question): string {
  const text = shortened(
    fact,
    terms.map(({ stem }) => stem),
  );
  const said = fact.source === null ? text : `Our file ${fact.source} says: ${text}`;
  if (!yesNo || words < WELL_COVERED || fact.source !== null) return said;
  if (/^(yes|no)\b/i.test(said) || /\b(or|more than|less than|under|over|only)\b/.test(asked)) return said;
  const negative = /\b(no|not|never|n't|don't|doesn't|cannot|can't|closed|without)\b/i.test(said);
  // `Are you shut on Sundays?` with `Closed on Sundays.`: neither yes nor no would be clear.
  if (negative && /\b(shut|closed?|not|without|n't)\b/.test(asked)) return said;
  const mixed = /\b(but|only|except|apart from|unless|however)\b/i.test(said);
  if (mixed) return said;
  return `${negative ? 'No.' : 'Yes.'} ${said}`;
}

/** Shortens a text that is too long to be heard to its sentences with the question's words. */
function shortened({ text }: Fact, stems: readonly string[]): string {
  if (text.length <= LONGEST_ANSWER) return text;
  const shares = (one: string): number => termsOf(one).filter(({ stem }) => stems.includes(stem)).length;
  const [best = text] = sentencesIn(text).sort((one, other) => shares(other) - shares(one));
  return best.slice(0, LONGEST_ANSWER);
}

/** A fact in a few words, for asking whether it is meant. */
function labelOf({ entry, context, text }: Fact): string {
  if (entry !== null) return entry;
  if (/\?$/.test(context)) return `the question ${context.replace(/\?$/, '')}`;
  const words = text.replace(/[.!]$/, '').split(' ');
  return `"${words.slice(0, LABEL_WORDS).join(' ')}${words.length > LABEL_WORDS ? ' …' : ''}"`;
}

const listAnd = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
const listOr = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')}, or ${parts.at(-1)}`;
