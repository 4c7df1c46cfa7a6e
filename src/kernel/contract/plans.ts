/**
 * The catalogue: the one place that defines plans, prices and allowances (docs/specification/site.md §3, §9).
 * Prices are per month, those of a new installation in pounds sterling.
 *
 * These are the plans of a new installation. Plans that an agency publishes at the console replace them:
 * `PublishedSite` has the plans in force.
 */

import { formatCount, formatStorage } from './formats.ts';

export type PlanLine = 'documents' | 'courses';

export interface Plan {
  /** Our own price id; `STRIPE_PRICES` maps it to the provider's. */
  readonly priceId: string;
  readonly line: PlanLine;
  /** The word stored as `tier`, lower case. */
  readonly tier: string;
  readonly name: string;
  readonly description: string;
  readonly mode: 'subscription';
  /** Per month, in the smallest unit of the currency: pence, cents, yen. */
  readonly pricePence: number;
  /** ISO 4217. A plan in another currency is another plan, with a price id of its own. */
  readonly currency: string;
  readonly features: readonly string[];
  readonly mostPopular: boolean;
  readonly limits: {
    /** Credits granted per paid month: documents, or course uploads. */
    readonly creditsPerMonth: number;
    /** MB of 1024 × 1024 bytes. */
    readonly storageMb: number;
    /** Minutes; -1 is unlimited; null where the plan has no video. */
    readonly videoMinutes: number | null;
    readonly websiteDesign: boolean;
  };
}

/** The currency of a new installation's prices. */
export const USUAL_CURRENCY = 'GBP';

type PlanTerms = Pick<Plan, 'tier' | 'name' | 'pricePence' | 'description' | 'features'>;

const documentPlan = (terms: PlanTerms & { creditsPerMonth: number }): Plan => {
  const { creditsPerMonth, ...plan } = terms;
  return {
    ...plan,
    priceId: `price_documents_${plan.tier}`,
    line: 'documents',
    currency: USUAL_CURRENCY,
    mode: 'subscription',
    mostPopular: plan.tier === 'pro',
    limits: { creditsPerMonth, storageMb: 1000, videoMinutes: null, websiteDesign: false },
  };
};

const coursePlan = (
  terms: PlanTerms & { creditsPerMonth: number; storageMb: number; videoMinutes: number },
): Plan => {
  const { creditsPerMonth, storageMb, videoMinutes, ...plan } = terms;
  return {
    ...plan,
    priceId: `price_courses_${plan.tier}`,
    line: 'courses',
    currency: USUAL_CURRENCY,
    mode: 'subscription',
    mostPopular: plan.tier === 'professional',
    limits: { creditsPerMonth, storageMb, videoMinutes, websiteDesign: false },
  };
};

/** A written line that states an allowance or the price of a document, which may have changed since. */
const RESTATED =
  /^[\d,]+ (documents?|uploads?) a month$|^[\d,.]+ [MG]B( of)? storage$|^videos (up to \d+ minutes|of any length)$|^(\D{0,4}[\d.,]+|\d+p) (a|per) document$/i;

const SPECIFIED_DOCUMENT_PLANS: readonly Plan[] = [
  documentPlan({
    tier: 'basic',
    name: 'Basic Plan',
    pricePence: 1500,
    creditsPerMonth: 25,
    description: 'For people who read a few contracts a week.',
    features: [],
  }),
  documentPlan({
    tier: 'pro',
    name: 'Pro Plan',
    pricePence: 4900,
    creditsPerMonth: 100,
    description: 'For a team that reads something every day.',
    features: [],
  }),
  documentPlan({
    tier: 'premium',
    name: 'Premium Plan',
    pricePence: 12900,
    creditsPerMonth: 300,
    description: 'For an office whose work is documents.',
    features: [],
  }),
];

/** Sold in a conversation: it has no price and no checkout, and opens the enterprise enquiry. */
export const BUSINESS_TIER = {
  name: 'Business Tier',
  price: 'Custom Pricing',
  /** -1 is unlimited (docs/specification/site.md §3). */
  documentsPerMonth: -1,
  description: 'Unlimited documents, your own retention rules, and the report in the shape your team uses.',
} as const;

const SPECIFIED_COURSE_PLANS: readonly Plan[] = [
  coursePlan({
    tier: 'essential',
    name: 'Essential Plan',
    pricePence: 24900,
    creditsPerMonth: 1,
    storageMb: 250,
    videoMinutes: 15,
    description: 'One course, taught well.',
    features: [],
  }),
  coursePlan({
    tier: 'professional',
    name: 'Professional Plan',
    pricePence: 44900,
    creditsPerMonth: 2,
    storageMb: 500,
    videoMinutes: 30,
    description: 'A catalogue that grows every month.',
    features: [],
  }),
  coursePlan({
    tier: 'enterprise',
    name: 'Enterprise Plan',
    pricePence: 99900,
    creditsPerMonth: 5,
    storageMb: 2048,
    videoMinutes: -1,
    description: 'A school, without the building.',
    features: [],
  }),
];

/** The plans of the specification: what a new installation sells. */
export const SPECIFIED_PLANS: readonly Plan[] = [...SPECIFIED_DOCUMENT_PLANS, ...SPECIFIED_COURSE_PLANS].map(
  (plan) => ({ ...plan, features: shownFeatures(plan) }),
);

/** Storage in MB for a user without a plan (docs/specification/site.md §9). */
export const DEFAULT_STORAGE_MB = 250;

/** The plans of an installation. */
export class Catalogue {
  /** The document plans that are sold. */
  readonly documents: readonly Plan[];
  /** The course plans that are sold. */
  readonly courses: readonly Plan[];
  /** All plans that are sold. */
  readonly sold: readonly Plan[];
  /** Every plan that a subscription may have: first those that are sold, then former ones. */
  readonly known: readonly Plan[];

  /**
   * @param former plans that are not sold any more, but subscriptions may still use them. Lines about an allowance or
   *   a price are computed, and only a plan with an alternative is the most popular.
   */
  constructor(sold: readonly Plan[] = SPECIFIED_PLANS, former: readonly Plan[] = []) {
    // Plans that were published before there were currencies have none.
    const shown = (plan: Plan): Plan => ({
      ...plan,
      currency: plan.currency ?? USUAL_CURRENCY,
      features: shownFeatures(plan),
    });
    const ofLine = (line: PlanLine): Plan[] => {
      const plans = sold.filter((plan) => plan.line === line);
      return plans.map((plan) => ({
        ...shown(plan),
        mostPopular: plan.mostPopular && plans.length > 1,
      }));
    };
    this.documents = ofLine('documents');
    this.courses = ofLine('courses');
    this.sold = [...this.documents, ...this.courses];
    this.known = [...this.sold, ...former.map(shown)];
  }

  /** The plan of a price id, including plans that are no longer sold; undefined for an unknown price id. */
  find(priceId: string): Plan | undefined {
    return this.known.find((plan) => plan.priceId === priceId);
  }

  /** The plan of a price id, if it is sold. */
  findSold(priceId: string): Plan | undefined {
    return this.sold.find((plan) => plan.priceId === priceId);
  }
}

/** What a plan holds: its allowances, computed from its limits, and the further lines that the agency wrote. */
function shownFeatures({ line, limits, features }: Pick<Plan, 'line' | 'limits' | 'features'>): string[] {
  const { creditsPerMonth: count, videoMinutes: minutes } = limits;
  const unit = line === 'documents' ? 'document' : 'upload';
  const video = minutes === -1 ? ['Videos of any length'] : [`Videos up to ${minutes} minutes`];
  return [
    `${formatCount(count)} ${unit}${count === 1 ? '' : 's'} a month`,
    `${formatStorage(limits.storageMb)} storage`,
    ...(minutes === null ? [] : video),
    ...features.filter((feature) => !RESTATED.test(feature.trim())),
  ];
}

/** The rest of a course plan's uploads of a month, each of which takes a credit too. */
export function uploadsLeft({ limits }: Plan, used: number, credits: number): number {
  return Math.max(0, Math.min(limits.creditsPerMonth - used, credits));
}

/** Whether a plan gives more of something than another one of its line. */
export function givesMore({ limits: one }: Plan, { limits: other }: Plan): boolean {
  const minutes = (limits: Plan['limits']): number =>
    limits.videoMinutes === -1 ? Number.POSITIVE_INFINITY : (limits.videoMinutes ?? 0);
  return (
    one.creditsPerMonth > other.creditsPerMonth ||
    one.storageMb > other.storageMb ||
    minutes(one) > minutes(other)
  );
}
