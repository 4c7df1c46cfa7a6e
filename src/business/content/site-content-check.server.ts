import { formatMoney } from '@northline/vat/money';
import { z } from 'zod';
import { weakContrasts } from '../../kernel/contract/colour-mixing.ts';
import { isEmail } from '../../kernel/contract/email-address.ts';
import { LEGAL_TEXTS } from '../../kernel/contract/legal-texts.ts';
import { PAGE_TEXTS } from '../../kernel/contract/page-texts.ts';
import { SPECIFIED_PLANS, USUAL_CURRENCY } from '../../kernel/contract/plans.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { slugOf } from '../../kernel/contract/service-pages.ts';
import {
  CALL_MINUTES,
  SECTIONS,
  SERVICE_PICTURES,
  type SiteContent,
  type SiteLogo,
  SPECIFIED_TIER,
} from '../../kernel/contract/site-content.ts';
import { SITE_TEXTS, type SiteTextPlace } from '../../kernel/contract/site-texts.ts';
import { CURRENCIES, currencyFault } from './currencies.contract.ts';
import { cleanLogo } from './logo-cleaning.server.ts';
import { sitePlan } from './site-plan.contract.ts';

const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const line = (longest: number) =>
  z
    .string()
    .trim()
    .min(1, { error: 'must not be empty' })
    .max(longest, { error: `at most ${longest} characters` })
    .refine((text) => !CONTROL.test(text), { error: 'one line only' });
const page = z
  .string()
  .transform((text) => text.replaceAll('\r\n', '\n').trim())
  .pipe(
    z.string().min(1, { error: 'must not be empty' }).max(60_000, { error: 'at most 60,000 characters' }),
  );
/** The end of an address. */
const PAGE_NAME = /^[a-z0-9][a-z0-9-]{0,60}$/;
const MOST_PAGES = 30;
const colour = z.string().regex(/^#[0-9a-f]{6}$/, { error: 'must be a colour such as #1d6fb8' });
const webAddress = line(300).refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
  error: 'must be a web address that begins with https://',
});
const isUnlike = (names: readonly string[]): boolean => new Set(names).size === names.length;
const EACH_ONCE = { error: 'each only once' };
const CALL_LENGTHS = `0, or a number of minutes out of ${CALL_MINUTES.join(', ')}`;

const COLOURS = z
  .strictObject({ accent: colour, accentDark: colour, ink: colour, paper: colour, board: colour })
  .superRefine((colours, context) => {
    for (const { colour: name, sentence } of weakContrasts(colours))
      context.addIssue({ code: 'custom', path: [name], message: sentence });
  });

/** Cleaned at each check, wherever it comes from; its size is that of its drawing. */
const LOGO = z
  .strictObject({
    type: z.enum(['svg', 'png']),
    data: z.string().max(64 * 1024, { error: 'at most 64 KB' }),
    width: z.number().positive(),
    height: z.number().positive(),
  })
  .transform((given, context): SiteLogo => {
    try {
      return cleanLogo(given);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

const PLAN = z
  .strictObject({
    line: z.enum(['documents', 'courses']),
    tier: z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, {
      error: 'must be a short word of small letters, digits and hyphens',
    }),
    name: line(60),
    description: line(200),
    pricePence: z.int().min(0),
    features: z.array(line(100)).max(8, { error: 'at most 8' }),
    mostPopular: z.boolean(),
    limits: z.strictObject({
      creditsPerMonth: z.int().min(1).max(100_000),
      storageMb: z.int().min(1).max(1_000_000),
      videoMinutes: z.int().min(-1).max(100_000).nullable(),
    }),
  })
  .refine((plan) => (plan.line === 'documents') === (plan.limits.videoMinutes === null), {
    path: ['limits', 'videoMinutes'],
    error: 'belongs to course plans, and every course plan has it',
  });

const texts = Object.fromEntries(
  Object.keys(SITE_TEXTS).map((place) => [place, line(600).optional()]),
) as Record<SiteTextPlace, z.ZodOptional<ReturnType<typeof line>>>;

/** Bounds of a plan's price in the smallest unit of its currency; Stripe takes eight digits. */
const LEAST = 100;
const MOST = 99_999_999;

/** What an agency may publish. Each part is optional; a name that is not known is refused. */
export const CONTENT_RULES = z
  .strictObject({
    brand: z
      .strictObject({
        name: line(60),
        contactEmail: line(200).refine(isEmail, { error: 'must be an email address' }),
        socialUrl: webAddress,
      })
      .optional(),
    colours: COLOURS.optional(),
    logo: LOGO.optional(),
    sections: z.array(z.enum(SECTIONS)).refine(isUnlike, EACH_ONCE).optional(),
    services: z
      .array(
        z.strictObject({
          name: line(60),
          text: line(300),
          picture: z.enum(SERVICE_PICTURES),
          callMinutes: z.literal([0, ...CALL_MINUTES], { error: CALL_LENGTHS }).optional(),
        }),
      )
      .min(1, { error: 'at least one; leave the section out to show none' })
      .max(12, { error: 'at most 12' })
      .refine((services) => isUnlike(services.map(({ name }) => name)), EACH_ONCE)
      .refine((services) => isUnlike(services.map(({ name }) => slugOf(name) || name)), {
        error: 'names that differ in more than their marks, as each is the address of a page',
      })
      .optional(),
    enquiryServices: z
      .array(line(60))
      .min(1, { error: 'at least one' })
      .max(20, { error: 'at most 20' })
      .refine(isUnlike, EACH_ONCE)
      .optional(),
    plans: z
      .array(PLAN)
      .max(12, { error: 'at most 12' })
      .refine((plans) => isUnlike(plans.map(({ line: of, tier }) => `${of} ${tier}`)), {
        error: 'each short word only once in a line',
      })
      .refine((plans) => isUnlike(plans.map(({ name, line: of }) => `${of} ${name}`)), {
        error: 'each name only once in a line',
      })
      .refine((plans) => isUnlike(plans.filter(({ mostPopular }) => mostPopular).map(({ line: of }) => of)), {
        error: 'one plan of a line is the most popular',
      })
      .optional(),
    quotedTier: z
      .union([z.literal(false), z.strictObject({ name: line(60), price: line(60), description: line(200) })])
      .optional(),
    currency: z
      .string()
      .refine((code) => CURRENCIES.includes(code), { error: ({ input }) => currencyFault(String(input)) })
      .optional(),
    texts: z.strictObject(texts).optional(),
    pages: z
      .record(z.string().regex(PAGE_NAME, { error: 'small letters, digits and hyphens' }), page)
      .refine((pages) => Object.keys(pages).length <= MOST_PAGES, { error: `at most ${MOST_PAGES}` })
      .optional(),
    legal: z.strictObject({ privacy: page.optional(), terms: page.optional() }).optional(),
  })
  .superRefine(({ plans = [], currency = USUAL_CURRENCY }, context) => {
    if (!CURRENCIES.includes(currency)) return;
    for (const [at, { pricePence: price }] of plans.entries()) {
      const bound = price < LEAST ? LEAST : price > MOST ? MOST : undefined;
      if (bound === undefined) continue;
      const message = `at ${bound === LEAST ? 'least' : 'most'} ${formatMoney(bound, currency)}`;
      context.addIssue({ code: 'custom', path: ['plans', at, 'pricePence'], message });
    }
  });

/** The content without what is the specification's anyway, so that an improved default reaches the agency. */
export function withoutDefaults(given: z.output<typeof CONTENT_RULES>): SiteContent {
  const own = <Values extends object>(values: Values | undefined, defaults: object): Values | undefined => {
    const kept = Object.entries(values ?? {}).filter(
      ([name, value]) => value !== undefined && value !== (defaults as Record<string, unknown>)[name],
    );
    return kept.length === 0 ? undefined : (Object.fromEntries(kept) as Values);
  };
  const content = {
    ...given,
    sections: unless(given.sections, SECTIONS),
    plans: unless(given.plans, SPECIFIED_PLANS.map(sitePlan)),
    quotedTier: unless(given.quotedTier, SPECIFIED_TIER),
    currency: unless(given.currency, USUAL_CURRENCY),
    texts: own(given.texts, SITE_TEXTS),
    pages: own(given.pages, PAGE_TEXTS),
    legal: own(given.legal, LEGAL_TEXTS),
  };
  return Object.fromEntries(
    Object.entries(content).filter(([, value]) => value !== undefined),
  ) as SiteContent;
}

function unless<Value>(given: Value | undefined, usual: unknown): Value | undefined {
  return JSON.stringify(given) === JSON.stringify(usual) ? undefined : given;
}
