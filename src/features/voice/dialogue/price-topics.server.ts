import { BUSINESS_TIER, DOCUMENT_PLANS, PLANS } from '../../../contract/plans.ts';
import { describePlan, listPlans, planIn, plansIn, sayPrice, sayStorage } from './agency-knowledge.server.ts';
import type { Topic } from './answer-topic.server.ts';
import { readSpokenNumber } from './read-spoken-digits.server.ts';

const PLAN = /\b(basic|pro|premium|essential|professional|enterprise|business (plan|tier))\b/;
const MONEY =
  /\b(how much|price|prices|priced|cost|costs|pricing|charge|charged|fee|fees|pay|expensive|rate|rates|pounds)\b|£/;
const BUSINESS = `The ${BUSINESS_TIER.name} has unlimited documents and custom pricing. I can take an enquiry, and a colleague will make you an offer.`;

/** Plans, prices, payment and the subscription (`spec/site.md §3, §9`). */
export const PRICE_TOPICS: readonly Topic[] = [
  {
    id: 'plan',
    cues: [
      [PLAN, 2],
      [MONEY, 1],
      [/\b(include|includes|included|comes with|get with|tell me|about|interested|what about)\b/, 1],
    ],
    answer: (words) => {
      const plan = planIn(words);
      if (plan === 'business') return BUSINESS;
      return plan ? describePlan(plan) : null;
    },
  },
  {
    id: 'compare-plans',
    cues: [
      [/\b(difference|compare|better|cheaper|versus|or)\b/, 1],
      [PLAN, 2],
      [/\b(difference|compare)\b/, 2],
    ],
    answer: (words) => {
      const plans = plansIn(words);
      return plans.length < 2 ? null : plans.map(describePlan).join(' ');
    },
  },
  {
    id: 'allowance',
    cues: [
      [/\bhow many\b/, 2],
      [/\b(documents?|files?|uploads?|courses|pages)\b/, 1],
      [PLAN, 1],
    ],
    answer: (words) => {
      const plan = planIn(words);
      if (plan === 'business') return BUSINESS;
      if (plan) return describePlan(plan);
      const each = DOCUMENT_PLANS.map(
        (one) => `${one.limits.creditsPerMonth} with ${one.name.replace(' Plan', '')}`,
      );
      return `Each month you can have ${each.join(', ')} documents analysed; the ${BUSINESS_TIER.name} has no limit.`;
    },
  },
  {
    id: 'storage',
    cues: [
      [/\b(storage|space|megabytes|gigabytes)\b/, 3],
      [PLAN, 1],
    ],
    answer: (words) => {
      const plan = planIn(words);
      if (plan && plan !== 'business')
        return `The ${plan.name} has ${sayStorage(plan.limits.storageMb)} of storage.`;
      return 'Every document plan has 1000 megabytes of storage. The course plans have 250 and 500 megabytes, and 2 gigabytes with Enterprise.';
    },
  },
  {
    id: 'video-length',
    cues: [
      [/\bvideos?\b/, 2],
      [/\b(long|length|minutes|limit|limits)\b/, 2],
    ],
    answer: () =>
      'Videos may be 15 minutes long with the Essential Plan, 30 minutes with Professional, and of any length with Enterprise.',
  },
  {
    id: 'list-plans',
    cues: [
      [/\b(plans|packages|subscriptions|prices|pricing|rates|fees|options)\b/, 2],
      [/\b(what|which|your|tell|offer|have)\b/, 1],
      [/\bhow much (is it|does it|do you|would it|will it)\b/, 3],
      [/\bwhat (does|would|will) it cost\b/, 3],
    ],
    answer: (words) =>
      /\bcourses?\b/.test(words)
        ? `The course plans are ${listPlans('courses')} a month.`
        : `For documents there are ${listPlans('documents')}, a month. The course plans are ${listPlans('courses')}.`,
  },
  {
    id: 'extreme-plan',
    cues: [
      [
        /\b(cheapest|smallest|lowest|least expensive|most popular|popular|biggest|largest|most expensive|best plan|middle)\b/,
        4,
      ],
      [/\b(plan|option|one)\b/, 1],
    ],
    answer: (words) => {
      if (/\bpopular|best|middle\b/.test(words)) {
        const popular = PLANS.find((plan) => plan.mostPopular);
        return popular ? `Most customers choose Pro. ${describePlan(popular)}` : null;
      }
      const sorted = [...PLANS].sort((one, other) => one.pricePence - other.pricePence);
      const plan = /\b(biggest|largest|most expensive)\b/.test(words) ? sorted.at(-1) : sorted[0];
      return plan ? describePlan(plan) : null;
    },
  },
  {
    id: 'recommend-plan',
    cues: [
      [/\b(recommend|suggest|should i|do i need|right for|which plan|what plan)\b/, 3],
      [/\b(documents|contracts|invoices|files)\b.*\b(a|per|each|every|in a) (day|week|month)\b/, 4],
    ],
    answer: (words) => {
      const said = readSpokenNumber(words);
      if (said === null)
        return 'That depends on how many documents you have each month. How many are there, about?';
      const monthly = /\bweek/.test(words) ? Math.ceil(said * 4.4) : /\bday\b/.test(words) ? said * 22 : said;
      const plan = DOCUMENT_PLANS.find((one) => one.limits.creditsPerMonth >= monthly);
      return plan
        ? `For ${monthly} documents a month I suggest ${plan.name}. ${describePlan(plan)}`
        : `For ${monthly} documents a month you need the ${BUSINESS_TIER.name}. ${BUSINESS}`;
    },
  },
  {
    id: 'free-trial',
    cues: [[/\b(free trial|trial|for free|free version|free plan|try it)\b/, 4]],
    answer: () =>
      'There is no free trial, but an account costs nothing: you only pay when you choose a plan, and you can cancel at any time.',
  },
  {
    id: 'discount',
    cues: [[/\b(discounts?|cheaper|special offer|charity|charities|student|yearly)\b/, 3]],
    answer: () =>
      'The prices are the same for everybody and are paid by the month. For larger volumes a colleague can make you an offer; shall I take an enquiry?',
  },
  {
    id: 'tax',
    cues: [[/\b(tax|vat|taxes)\b|\bv a t\b/, 4]],
    answer: () =>
      'The checkout shows the full amount that you pay before you confirm it. For a question about tax I can take a message for a colleague.',
  },
  {
    id: 'payment-methods',
    cues: [
      [/\b(pay|payment|accept|take)\b/, 1],
      [/\b(cards?|credit|american express|paypal|invoice|bank|methods?|how (can|do) i pay)\b/, 3],
    ],
    answer: () =>
      'You pay by card, safely on the checkout page. Credit and debit cards are accepted; you find your invoices in the Billing tab.',
  },
  {
    id: 'when-charged',
    cues: [[/\bwhen\b.*\b(charged?|pay|billed|bill)\b/, 5]],
    answer: () =>
      'You are charged when you buy the plan and then each month on the same day. The next date is in the Billing tab.',
  },
  {
    id: 'cancel-plan',
    cues: [
      [/\b(cancel|stop|end|quit|pause)\b/, 2],
      [/\b(subscription|plan|contract|membership|any time)\b/, 2],
      [/^(can|how) (do )?i cancel$/, 2],
    ],
    answer: () =>
      'You can cancel at any time in the Billing tab; the plan then stays until the end of the month that is paid for.',
  },
  {
    id: 'change-plan',
    cues: [
      [/\b(change|upgrade|downgrade|switch)\b/, 3],
      [/\b(plan|subscription)\b/, 1],
    ],
    answer: () =>
      'You can change your plan in the Billing tab whenever you like, and see what it costs before you confirm.',
  },
  {
    id: 'run-out',
    cues: [[/\b(run out|use up|used up|no more (documents|credits)|too few)\b/, 4]],
    answer: () =>
      'When your documents for the month are used up you can choose a larger plan at once, or wait for the next month.',
  },
  {
    id: 'carry-over',
    cues: [[/\b(carry over|roll over|unused|left over|expire)\b/, 4]],
    answer: () =>
      'Your Billing tab shows what is left and until when it can be used. For an exception a colleague can help; shall I take a message?',
  },
  {
    id: 'refund',
    cues: [[/\b(refund|money back|not happy|unhappy|charged twice|paid twice)\b/, 5]],
    answer: () =>
      'I cannot decide about refunds myself, but a colleague can. Shall I take a message for them?',
  },
  {
    id: 'cheap-question',
    cues: [
      [MONEY, 2],
      [/\b(setup|hidden|extra)\b/, 2],
    ],
    answer: (words) =>
      /\b(setup|hidden|extra)\b/.test(words)
        ? 'There are no set-up fees and no extra costs: the monthly price is the whole price.'
        : `Document plans start at ${sayPrice(DOCUMENT_PLANS[0]?.pricePence ?? 0)} a month. What would you like to know the price of?`,
  },
];
