import { currencyWord, placesOf } from '@northline/vat/money';
import type { Plan } from '../../../kernel/contract/plans.ts';
import { type PublishedSite, SPECIFIED_TIER } from '../../../kernel/contract/site-content.ts';
import {
  describePlan,
  describeTier,
  listPlans,
  listTogether,
  planIn,
  plansIn,
  sayPrice,
  sayStorage,
} from '../agency-knowledge.server.ts';
import { readSpokenNumber } from '../spoken/spoken-digits.server.ts';
import type { Cue, Topic } from './topic-answer.server.ts';

/** Whether a plan that is sold at present was named. */
const PLAN: Cue = { test: (words, site) => planIn(site, words) !== null };
const MONEY =
  /\b(how much|price|prices|priced|cost|costs|costing|pricing|charge|charged|charges|fee|fees|pay|paying|expensive|rate|rates|set (me|us) back|run (me|us)|worth|amount|tariff|dear)\b/;
/** The sign or the word of a currency, of which callers say this or that one. */
const CURRENCY: Cue = {
  test: (words, site) =>
    /\b(pounds|quid|euros|dollars|bucks)\b|[£€$¥]/.test(words) ||
    ` ${words} `.includes(` ${currencyWord(site.currency)} `),
};
const PAPERS =
  'documents?|contracts?|invoices?|files?|letters?|leases?|agreements?|papers?|reports?|forms?|p d fs?|pdfs?';
const PLANS_WORD = /\b(plans|packages|subscriptions|prices|pricing|rates|fees|options|tiers|price list)\b/;
const offerOfTier = (site: PublishedSite): string =>
  `${describeTier(site)} I can take an enquiry, and a colleague will make you an offer.`.trim();

/** Plans and prices (docs/specification/site.md §3, §9). */
export const PRICE_TOPICS: readonly Topic[] = [
  {
    id: 'plan',
    cues: [
      [PLAN, 2],
      [{ test: (words, site) => MONEY.test(words) || CURRENCY.test(words, site) }, 1],
      [/\b(include|includes|included|comes with|get with|do i get|tell me|about|interested|what about)\b/, 1],
    ],
    answer: (words, { site }) => {
      const plan = planIn(site, words);
      if (plan === 'business') return offerOfTier(site);
      return plan ? describePlan(plan) : null;
    },
  },
  {
    id: 'plan-of-price',
    cues: [
      [CURRENCY, 2],
      [/\b(get|included|include|buy|for)\b/, 2],
    ],
    answer: (words, { site }) => {
      const price = (readSpokenNumber(words) ?? 0) * 10 ** placesOf(site.currency);
      const plan = site.plans.documents.find(({ pricePence }) => pricePence === price);
      return plan ? describePlan(plan) : null;
    },
  },
  {
    id: 'compare-plans',
    cues: [
      [/\b(difference|differ|different|compare|compared|comparison|better|cheaper|versus|or|against)\b/, 1],
      [PLAN, 2],
      [/\b(difference|differ|compare|compared|comparison|versus)\b/, 2],
    ],
    answer: (words, { site }) => {
      const plans = plansIn(site, words);
      return plans.length < 2 ? null : plans.map(describePlan).join(' ');
    },
  },
  {
    id: 'allowance',
    cues: [
      [/\b(how many|cap|unlimited|allowance|quota|limit|maximum number)\b/, 2],
      [new RegExp(`\\b(${PAPERS}|uploads?|courses|pages)\\b`), 1],
      [PLAN, 1],
    ],
    answer: (words, { site }) => {
      const plan = planIn(site, words);
      if (plan === 'business') return offerOfTier(site);
      if (plan) return describePlan(plan);
      if (!/\bhow many\b/.test(words)) return null;
      const each = site.plans.documents.map(
        (one) => `${one.limits.creditsPerMonth} with ${shortName(one.name)}`,
      );
      if (each.length === 0) return null;
      const tier = site.quotedTier;
      const beyond =
        tier === undefined
          ? ''
          : `; the ${tier.name} ${tier.description === SPECIFIED_TIER.description ? 'has no limit' : 'is for more'}`;
      return `Each month you can have ${listTogether(each)} documents analysed${beyond}.`;
    },
  },
  {
    id: 'storage',
    cues: [
      [/\b(storage|disk|disc|megabytes|gigabytes)\b|\b(how much|enough|more) (\w+ )?(space|room)\b/, 4],
      [PLAN, 1],
    ],
    answer: (words, { site }) => {
      if (/\b(big|large|biggest|largest|size)\b/.test(words)) return null;
      const plan = planIn(site, words);
      if (plan && plan !== 'business')
        return `The ${plan.name} has ${sayStorage(plan.limits.storageMb)} of storage.`;
      const { documents, courses } = site.plans;
      const each = (plans: readonly Plan[]): string =>
        listTogether(plans.map((one) => `${sayStorage(one.limits.storageMb)} with ${shortName(one.name)}`));
      const [first] = documents;
      const isSame = documents.every(({ limits }) => limits.storageMb === first?.limits.storageMb);
      const sentences = [
        ...(first === undefined
          ? []
          : isSame
            ? [`Every document plan has ${sayStorage(first.limits.storageMb)} of storage.`]
            : [`Of storage you get ${each(documents)}.`]),
        ...(courses.length === 0 ? [] : [`Of the course plans you get ${each(courses)}.`]),
      ];
      return sentences.length === 0 ? null : sentences.join(' ');
    },
  },
  {
    id: 'video-length',
    cues: [
      [/\bvideos?\b/, 3],
      [/\b(long|longest|length|minutes|limit|limits|maximum|duration)\b/, 2],
    ],
    answer: (words, { site }) => {
      const plan = planIn(site, words);
      const asked = site.plans.courses.filter((one) => one === plan);
      const each = (asked.length > 0 ? asked : site.plans.courses).map(({ name, limits }) =>
        limits.videoMinutes === -1
          ? `of any length with the ${name}`
          : `up to ${limits.videoMinutes} minutes long with the ${name}`,
      );
      return each.length === 0 ? null : `Videos may be ${listTogether(each)}.`;
    },
  },
  {
    id: 'list-plans',
    cues: [
      [PLANS_WORD, 2],
      [/\b(what|which|your|tell|offer|have|all|list|give|are there|know|explain|through)\b/, 1],
      [
        /\bhow (much|expensive) (is it|is that|is this|does it|does this|do you|would it|will it|are (you|they|your))\b/,
        3,
      ],
      [/\bwhat (does|would|will|do) (it|you|your \w+) (all )?(cost|charge)\b/, 3],
      [/^(the |your )?(prices?|costs?|pricing|plans|price list)$/, 2],
    ],
    answer: (words, { site }) => {
      const [documents, courses] = [listPlans(site, 'documents'), listPlans(site, 'courses')];
      const asked = /\bcourses?\b/.test(words) ? courses : /\bdocuments?\b/.test(words) ? documents : '';
      return asked || `${documents} ${courses}`.trim() || null;
    },
  },
  {
    id: 'extreme-plan',
    cues: [
      [
        /\b(cheapest|smallest|lowest|least expensive|most affordable|entry level|starter|most popular|popular|best sell\w*|biggest|largest|most expensive|dearest|best plan|top plan|middle)\b/,
        4,
      ],
      [/\b(most|other) (people|customers|clients|companies)\b.*\b(choose|take|buy|pick|use|go)\b/, 5],
      [/\b(plan|plans|option|one|package|tier|price)\b/, 1],
    ],
    answer: (words, { site }) => {
      if (/\b(file|files|document|upload)\b/.test(words) && !/\bplan\b/.test(words)) return null;
      const courses = /\bcourses?\b/.test(words);
      if (/\b(popular|best|middle|people|customers|clients|companies)\b/.test(words)) {
        const popular = site.plans[courses ? 'courses' : 'documents'].find((plan) => plan.mostPopular);
        return popular ? `Most customers choose ${shortName(popular.name)}. ${describePlan(popular)}` : null;
      }
      const sorted = site.plans[courses ? 'courses' : 'sold'].toSorted((a, b) => a.pricePence - b.pricePence);
      const plan = /\b(biggest|largest|most expensive|dearest|top)\b/.test(words) ? sorted.at(-1) : sorted[0];
      return plan ? describePlan(plan) : null;
    },
  },
  {
    id: 'recommend-plan',
    cues: [
      [
        /\b(recommend|suggest|advise|should (i|we)|(do|would) (i|we) need|right for|suits? (us|me|my|our)|(best|good) for (me|us|my|our|a|an|\d+)|fits? (us|me)|(which|what) (plan|package|subscription|tier|one))\b/,
        3,
      ],
      [new RegExp(`\\b(${PAPERS})\\b.*\\b(a|per|each|every|in a) (day|week|month)\\b`), 4],
    ],
    answer: (words, { site }) => {
      if (/\b(which|what) (plan|one) (is|has|comes)\b/.test(words) && !/\bfor (me|us)\b/.test(words))
        return null;
      const said = readSpokenNumber(words);
      if (said === null)
        return 'That depends on how many documents you have each month. How many are there, about?';
      return recommend(site, monthlyOf(said, words));
    },
  },
  {
    id: 'cheap-question',
    cues: [
      [MONEY, 2],
      [/\b(setup|set up|hidden|extra|additional|on top|joining|one off|surprise)\b/, 3],
    ],
    answer: (words, { site }) =>
      /\b(setup|set up|hidden|extra|additional|on top|joining|one off|surprise)\b/.test(words)
        ? 'There are no set-up fees and no extra costs: the monthly price is the whole price.'
        : startOfPrices(site),
  },
  {
    id: 'buy-plan',
    cues: [
      [/\b(buy|order|purchase|subscribe|sign (me )?up for|get started with)\b/, 3],
      [/\b(plan|subscription|package|one|it)\b/, 1],
      [PLAN, 1],
    ],
    answer: (words, { site }) => {
      const plan = planIn(site, words);
      if (plan === 'business') return offerOfTier(site);
      const which = plan ? `the ${plan.name}` : 'it';
      return `${plan ? `${describePlan(plan)} ` : ''}To buy ${which}, press Choose Plan beside it on the home page and pay by card.`;
    },
  },
];

/** The cheapest plan of the line that is sold first. */
function startOfPrices({ plans: { documents, courses } }: PublishedSite): string | null {
  const plans = documents.length > 0 ? documents : courses;
  const [cheapest] = [...plans].sort((a, b) => a.pricePence - b.pricePence);
  if (cheapest === undefined) return null;
  const line = cheapest.line === 'documents' ? 'Document' : 'Course';
  return `${line} plans start at ${sayPrice(cheapest)} a month. What would you like to know the price of?`;
}

/** Reads a number alone, as the answer to how many documents there are. */
export function recommendFor(site: PublishedSite, words: string): string | null {
  const said = readSpokenNumber(words);
  return said === null ? null : recommend(site, monthlyOf(said, words));
}

function monthlyOf(count: number, words: string): number {
  if (/\bweek/.test(words)) return Math.ceil(count * 4.4);
  return /\b(day|daily)\b/.test(words) ? count * 22 : count;
}

function recommend(site: PublishedSite, monthly: number): string {
  const plan = site.plans.documents
    .toSorted((one, other) => one.limits.creditsPerMonth - other.limits.creditsPerMonth)
    .find((one) => one.limits.creditsPerMonth >= monthly);
  if (plan !== undefined)
    return `For ${monthly} documents a month I suggest ${shortName(plan.name)}. ${describePlan(plan)}`;
  const tier = site.quotedTier;
  return tier === undefined
    ? `For ${monthly} documents a month none of our plans is large enough. ${offerOfTier(site)}`
    : `For ${monthly} documents a month you need the ${tier.name}. ${offerOfTier(site)}`;
}

function shortName(name: string): string {
  return name.replace(' Plan', '');
}
