import { formatMoney } from '@northline/vat/money';
import type { WeeklyHours } from '../../business/bookings/weekly-hours.server.ts';
import type { ENQUIRY_SERVICES } from '../../kernel/contract/enquiries.ts';
import { formatStorage } from '../../kernel/contract/formats.ts';
import type { Plan } from '../../kernel/contract/plans.ts';
import {
  type PublishedSite,
  type SiteService,
  SPECIFIED_SERVICES,
  SPECIFIED_TIER,
} from '../../kernel/contract/site-content.ts';
import type { SpokenKnowledge } from '../engines/recognition/model-preparation.server.ts';

/** A service of the agency (docs/specification/site.md §1). */
export interface Service {
  readonly name: string;
  /** Ways of saying its name, in the form of `normaliseWords`. */
  readonly said: RegExp;
  /** The words by which the recogniser should expect it. */
  readonly spoken: readonly string[];
  readonly about: string;
  /** The type that an enquiry about it is filed under. */
  readonly enquiryType: (typeof ENQUIRY_SERVICES)[number];
}

/** The specification's services, in the order in which the home page shows them. */
const SERVICES: readonly Service[] = [
  {
    name: 'chat bot services',
    said: /\bchat ?bots?\b|\bbots?\b|\b(live|website|web) chat\b|\bchat (window|assistant|box)\b/,
    spoken: ['chat bot services', 'chat bots', 'chat bot'],
    about:
      'We build chat bots that answer your customers on your website, day and night, and pass the difficult questions on to you.',
    enquiryType: 'Automated Outreach',
  },
  {
    name: 'website creation',
    said: /\bwebsites?\b|\bweb (design\w*|pages?|shop|store)\b|\b(landing|home) pages?\b|\b(old|new|our|my|a) site\b|\bonline (shop|store|presence)\b/,
    spoken: ['website creation', 'website design', 'a website', 'websites'],
    about:
      'We design and build websites around what your customers come for, and look after them afterwards.',
    enquiryType: 'Website Builder',
  },
  {
    name: 'the automated phone caller',
    said: /\b(tele)?phone (caller|callers|assistant|system|systems|robots?|line|agent|bot|service|calls)\b|\bautomated? (phone|telephone|caller|calls?)\b|\banswer(s|ing)? (of )?(the |my |our )?(tele)?(phones?|calls)\b|\bpick up\b|\breceptionist\b|\b(many|miss|missed|missing|incoming) (phone )?calls\b|\b(our|my|the) (tele)?phone (is|keeps|rings)\b|\bcall cent(er|re)\b|\bvoice (assistant|agent|bot)\b/,
    spoken: ['the automated phone caller', 'automated phone system', 'phone assistant', 'phone system'],
    about:
      'Our automated phone system answers your calls around the clock, books appointments and takes messages, with the words and rules that you choose.',
    enquiryType: 'Automated Phone System',
  },
  {
    name: 'lead generation',
    said: /\blead generation\b|\bleads?\b|\b(more|new|find\w*|attract|win) (\w+ )?(customers|clients|business|prospects|buyers)\b|\boutreach\b|\bprospect\w*\b/,
    spoken: ['lead generation', 'leads', 'outreach'],
    about: 'With lead generation we find people who need what you sell and start the conversation for you.',
    enquiryType: 'Automated Outreach',
  },
  {
    name: 'the personal course launcher',
    said: /\bcourse launcher\b|\b(online|my|our|a|an|sell|own|training|video) (\w+ )?(courses?|class|classes|lessons|workshops?|training)\b|\bteach\w*\b|\bcourse creation\b|\bcoaching\b|\btutorials?\b|\bcourses\b/,
    spoken: ['the personal course launcher', 'personal course launcher', 'course creation'],
    about:
      'With the personal course launcher we turn what you know into an online course and put it in front of your students.',
    enquiryType: 'Course Launcher',
  },
  {
    name: 'document analysis',
    said: /\bdocuments? (analysis|analyz\w+|intelligence|solutions|review\w*|reading)\b|\b(analyz\w+|check|review|read|summari\w+|go through|look (at|over|through)) (\w+ ){0,2}(documents?|contracts?|files?|leases?|agreements?|papers?|paperwork)\b/,
    spoken: ['document analysis', 'document intelligence'],
    about:
      'Document analysis reads your contracts and other documents and gives you a report in which every claim points to its place in the document.',
    enquiryType: 'Document Intelligence',
  },
];

const nameOnCard = ({ name }: Service): string => name.replace(/^the /, '');

/**
 * The services that are sold: those of the cards that the agency publishes at the console, then courses and
 * documents while plans of them are sold. A card that the specification does not have is recognised by its
 * own words.
 */
export function soldServices(site: PublishedSite): readonly Service[] {
  const ofCards = site.services.map((card) => {
    const known = SERVICES.find((service) => nameOnCard(service) === card.name.toLowerCase());
    const written = SPECIFIED_SERVICES.find(({ name }) => name === card.name);
    if (known === undefined) return serviceOfCard(card, site);
    return written?.text === card.text ? known : { ...known, about: sentenceOf(card.text) };
  });
  const ofPlans = SERVICES.filter(
    ({ enquiryType }) =>
      (enquiryType === 'Course Launcher' && site.plans.courses.length > 0) ||
      (enquiryType === 'Document Intelligence' && site.plans.documents.length > 0),
  );
  return [...ofCards, ...ofPlans.filter((service) => !ofCards.some(({ name }) => name === service.name))];
}

function serviceOfCard({ name, text }: SiteService, { enquiryServices: types }: PublishedSite): Service {
  const spoken = name.toLowerCase();
  const words = spoken.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  return {
    name: spoken,
    said: new RegExp(`\\b${words.replaceAll(' ', '\\W+')}\\b`, 'u'),
    spoken: [spoken],
    about: sentenceOf(text),
    enquiryType: (types.find((type) => type.toLowerCase() === spoken) ??
      types[0] ??
      '') as Service['enquiryType'],
  };
}

const sentenceOf = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** What the assistant knows about its agency. */
export interface AgencyKnowledge {
  /** Its plans and services. */
  readonly site: PublishedSite;
  readonly brand: string;
  readonly contactEmail: string;
  /** When people can be reached, e.g. `Monday to Friday, 9:00 to 17:00`. */
  readonly hours: string;
  /** The same hours for each weekday; without them no day is answered with yes or no. */
  readonly week?: WeeklyHours;
  /** What else the assistant knows: the sentences of its prompt and of its files. */
  readonly sentences: readonly string[];
}

/** A plan's price as a caption has it; the voice says it in words. */
export const sayPrice = ({ pricePence, currency }: Plan): string => formatMoney(pricePence, currency);

/** A plan is recognised by its name without the word plan, and by its tier. */
function isNamed({ name, tier }: Pick<Plan, 'name' | 'tier'>, words: string): boolean {
  const short = name
    .toLowerCase()
    .replace(/ plan$/, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return [short, tier].some((said) => said !== '' && ` ${words} `.includes(` ${said} `));
}

/** The plan that was named, or the tier beyond the document plans, which has no price. */
export function planIn({ plans, quotedTier: tier }: PublishedSite, words: string): Plan | 'business' | null {
  const said = tier?.name === SPECIFIED_TIER.name ? words.replace('business plan', 'business tier') : words;
  if (tier !== undefined && isNamed({ name: tier.name, tier: '' }, said)) return 'business';
  return plans.sold.find((plan) => isNamed(plan, words)) ?? null;
}

/** All plans that were named, in the order of the catalogue. */
export function plansIn({ plans }: PublishedSite, words: string): readonly Plan[] {
  return plans.sold.filter((plan) => isNamed(plan, words));
}

/** What a plan costs and gives, in one sentence. */
export function describePlan(plan: Plan): string {
  const { creditsPerMonth, storageMb, videoMinutes } = plan.limits;
  const price = `The ${plan.name} costs ${sayPrice(plan)} a month`;
  if (plan.line === 'documents') return `${price} and includes ${creditsPerMonth} documents a month.`;
  const videos = videoMinutes === -1 ? 'videos of any length' : `videos of up to ${videoMinutes} minutes`;
  return `${price} and includes ${creditsPerMonth} course ${creditsPerMonth === 1 ? 'upload' : 'uploads'} a month, ${sayStorage(storageMb)} of storage and ${videos}.`;
}

/** Megabytes in spoken form. */
export function sayStorage(megabytes: number): string {
  return formatStorage(megabytes).replace(',', '').replace('GB', 'gigabytes').replace('MB', 'megabytes');
}

/** What the tier beyond the document plans gives; empty where there is none. */
export function describeTier({ quotedTier: tier }: PublishedSite): string {
  if (tier === undefined) return '';
  return tier.description === SPECIFIED_TIER.description
    ? `The ${tier.name} has unlimited documents and ${tier.price.toLowerCase()}.`
    : `${tier.name}, ${tier.price.toLowerCase()}: ${sentenceOf(tier.description)}`;
}

/** All prices of one product line in a sentence; empty where no plan of it is sold. */
export function listPlans(site: PublishedSite, line: Plan['line']): string {
  const plans = site.plans[line];
  const tier = line === 'documents' ? site.quotedTier : undefined;
  const [only] = plans;
  if (only === undefined) return '';
  if (plans.length === 1) return [describePlan(only), tier ? describeTier(site) : ''].join(' ').trim();
  const each = plans.map((plan) => `${plan.name.replace(' Plan', '')} for ${sayPrice(plan)}`);
  const all = tier
    ? `${each.join(', ')}, and the ${tier.name} with ${tier.price.toLowerCase()}`
    : listTogether(each);
  return `The ${line === 'documents' ? 'document' : 'course'} plans are ${all}, a month.`;
}

/** `one, two and three`. */
export function listTogether(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** What callers may say because of what the assistant knows, for the recogniser's language model. */
export function spokenKnowledge({ site, brand, sentences }: AgencyKnowledge): SpokenKnowledge {
  return {
    plans: [
      ...new Set(
        site.plans.sold.flatMap(({ tier, name }) => [tier, name.toLowerCase().replace(/ plan$/, '')]),
      ),
      ...(site.quotedTier?.name === SPECIFIED_TIER.name ? ['business'] : []),
    ],
    services: soldServices(site).flatMap((service) => service.spoken),
    sentences: [`what is ${brand}`, `tell me about ${brand}`, `is this ${brand}`, brand, ...sentences],
  };
}
