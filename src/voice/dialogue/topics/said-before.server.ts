import type { Plan } from '../../../kernel/contract/plans.ts';
import type { PublishedSite } from '../../../kernel/contract/site-content.ts';
import { planIn, plansIn, soldServices } from '../agency-knowledge.server.ts';
import { type Earlier, serviceIn } from './topic-answer.server.ts';

const ORDINAL =
  /\b(?:the )?(first|second|third|fourth|fifth|sixth|last) (?:one|plan|of (?:them|those|these|the \w+))\b|\bnumber (one|two|three|four|five|six)\b/;
const PLACES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six'];
const ONE_UP =
  /\b(next (one )?up|one up|(a )?(step|size) up|(next|bigger|larger|higher) (one|plan|package)|the next one|one above)\b/;
const ONE_DOWN =
  /\b((next )?one down|(a )?(step|size) down|(smaller|cheaper|lower) (one|plan|package)|anything (cheaper|smaller|less)|one below)\b/;
const OF_THAT =
  /\b(how (much|many|long)|cost|costs|pay|price|charge|include|includes|included|get|limit|storage|space|included|comes? with|in (it|that|there))\b/;
const PRONOUN = /\b(it|that|this|them|those|with that|the same)\b/;
const ONE_NAMED = /\b(?:the|that|your) (\w+) (?:one|thing|bit|part|service)\b/;
const MOST_WORDS = 12;

/**
 * Replaces words that refer to what was said before by what they mean: `the second one` of a list, `the next
 * one up`, `how much is that`, `the phone one`.
 *
 * @returns the words unchanged where they refer to nothing, or where it is not clear to what
 */
export function withWhatWasSaid(site: PublishedSite, words: string, before: Earlier | null): string {
  const said = (before?.said ?? '').toLowerCase();
  if (said === '' || words.split(' ').length > MOST_WORDS || planIn(site, words) !== null) return words;
  const plans = plansNamed(site, said);
  const chosen = ofList(words, plans.length > 0 ? plans.map(spokenName) : servicesNamed(site, said));
  if (chosen !== undefined) return words.replace(ORDINAL, `the ${chosen}`);
  const [plan] = plans;
  if (plan !== undefined && plans.length === 1) return ofPlan(site, words, plan);
  return serviceIn(site, words) === null ? withService(site, words, said) : words;
}

const spokenName = ({ name }: Plan): string => name.toLowerCase();

/** The item of a list that `the second one` means. */
function ofList(words: string, listed: readonly string[]): string | undefined {
  const place = placeIn(words);
  return place === null || listed.length < 2 ? undefined : listed.at(place);
}

/** What `the next one up` and `how much is that` mean after a plan. */
function ofPlan({ plans }: PublishedSite, words: string, plan: Plan): string {
  const line = plans[plan.line].toSorted((a, b) => a.pricePence - b.pricePence);
  const step = ONE_UP.test(words) ? 1 : ONE_DOWN.test(words) ? -1 : 0;
  const next = line[line.indexOf(plan) + step];
  if (step !== 0) return next === undefined ? words : `how much is the ${spokenName(next)}`;
  return PRONOUN.test(words) && OF_THAT.test(words) ? `${words} the ${spokenName(plan)}` : words;
}

function withService(site: PublishedSite, words: string, said: string): string {
  const named = ONE_NAMED.exec(words)?.[1];
  const service =
    named === undefined ? undefined : servicesNamed(site, said).find((name) => name.includes(named));
  return service === undefined ? words : words.replace(ONE_NAMED, service);
}

function placeIn(words: string): number | null {
  const [, ordinal, number] = ORDINAL.exec(words) ?? [];
  if (ordinal === 'last') return -1;
  if (ordinal !== undefined) return PLACES.indexOf(ordinal);
  return number === undefined ? null : NUMBERS.indexOf(number);
}

/** The plans that a sentence names, in its order. */
const plansNamed = (site: PublishedSite, said: string): Plan[] => {
  const plain = said.replace(/[^\p{L}\p{N}]+/gu, ' ');
  const placeOf = (tier: string): number => ` ${plain} `.indexOf(` ${tier} `);
  return [...plansIn(site, plain)].sort((one, other) => placeOf(one.tier) - placeOf(other.tier));
};

const servicesNamed = (site: PublishedSite, said: string): string[] =>
  soldServices(site)
    .map(({ name }) => name)
    .filter((name) => said.includes(name))
    .sort((one, other) => said.indexOf(one) - said.indexOf(other));
