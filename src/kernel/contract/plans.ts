/**
 * The catalogue: the one place that knows plans, prices and allowances
 * (`spec/site.md §3, §9`). Prices are pence per month, pounds sterling.
 */

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
  /** Pence per month. */
  readonly pricePence: number;
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

const documentPlan = (
  tier: string,
  name: string,
  pricePence: number,
  creditsPerMonth: number,
  description: string,
  features: string[],
): Plan => ({
  priceId: `price_documents_${tier}`,
  line: 'documents',
  tier,
  name,
  description,
  mode: 'subscription',
  pricePence,
  features,
  mostPopular: tier === 'pro',
  limits: { creditsPerMonth, storageMb: 1000, videoMinutes: null, websiteDesign: false },
});

const coursePlan = (
  tier: string,
  name: string,
  pricePence: number,
  creditsPerMonth: number,
  storageMb: number,
  videoMinutes: number,
  description: string,
  features: string[],
): Plan => ({
  priceId: `price_courses_${tier}`,
  line: 'courses',
  tier,
  name,
  description,
  mode: 'subscription',
  pricePence,
  features,
  mostPopular: tier === 'professional',
  limits: { creditsPerMonth, storageMb, videoMinutes, websiteDesign: false },
});

export const DOCUMENT_PLANS: readonly Plan[] = [
  documentPlan('basic', 'Basic Plan', 1500, 25, 'For a desk that reads a few contracts a week.', [
    '25 documents a month',
    '1,000 MB storage',
    'PDF, Word, ODT and text',
  ]),
  documentPlan('pro', 'Pro Plan', 4900, 100, 'For a team that reads something every day.', [
    '100 documents a month',
    '1,000 MB storage',
    'Results while you watch',
  ]),
  documentPlan('premium', 'Premium Plan', 12900, 300, 'For an office whose work is documents.', [
    '300 documents a month',
    '1,000 MB storage',
    'A named person to ask',
  ]),
];

/** Sold by conversation: no price, no checkout, opens the enterprise enquiry. */
export const BUSINESS_TIER = {
  name: 'Business Tier',
  price: 'Custom Pricing',
  /** -1 is unlimited (`spec/site.md §3`). */
  documentsPerMonth: -1,
  description: 'Unlimited documents, your own retention rules, and the report in the shape your team uses.',
} as const;

export const COURSE_PLANS: readonly Plan[] = [
  coursePlan('essential', 'Essential Plan', 24900, 1, 250, 15, 'One course, taught well.', [
    '1 upload a month',
    '250 MB storage',
    'Videos up to 15 minutes',
  ]),
  coursePlan('professional', 'Professional Plan', 44900, 2, 500, 30, 'A catalogue that grows every month.', [
    '2 uploads a month',
    '500 MB storage',
    'Videos up to 30 minutes',
  ]),
  coursePlan('enterprise', 'Enterprise Plan', 99900, 5, 2048, -1, 'A school, without the building.', [
    '5 uploads a month',
    '2 GB storage',
    'Videos of any length',
  ]),
];

export const PLANS: readonly Plan[] = [...DOCUMENT_PLANS, ...COURSE_PLANS];

/** MB for a user without a plan (`spec/site.md §9`). */
export const DEFAULT_STORAGE_MB = 250;

/** The plan of a price id, or undefined for one that is not in the catalogue. */
export function findPlan(priceId: string): Plan | undefined {
  return PLANS.find((plan) => plan.priceId === priceId);
}
