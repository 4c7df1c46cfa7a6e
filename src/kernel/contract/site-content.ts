import { currencyWord } from '@northline/vat/money';
import { ENQUIRY_SERVICES } from './enquiries.ts';
import { Catalogue, type Plan, SPECIFIED_PLANS, USUAL_CURRENCY } from './plans.ts';
import { SITE_TEXTS, type SiteTextPlace } from './site-texts.ts';

/** The sections of the home page below the hero, in the specification's order. */
export const SECTIONS = ['values', 'services', 'launcher', 'courses', 'documents', 'phone', 'news'] as const;
export type Section = (typeof SECTIONS)[number];

/** The pictures that a service's card may show. */
export const SERVICE_PICTURES = ['chat', 'website', 'phone', 'leads', 'none'] as const;
export type ServicePicture = (typeof SERVICE_PICTURES)[number];

/** A card in the services section; it links to its own page. */
export interface SiteService {
  readonly name: string;
  readonly text: string;
  readonly picture: ServicePicture;
  /**
   * How long a call about it takes that visitors book on the booking page, minutes; 0 where they cannot book
   * one. Missing: half an hour.
   */
  readonly callMinutes?: number;
}

/** Minutes that a booked call may take. */
export const CALL_MINUTES = [15, 30, 45, 60, 90, 120] as const;
/** Minutes of a booked call about which nobody has said how long it takes. */
export const USUAL_CALL_MINUTES = 30;

/** Colours as `#rrggbb`. */
export interface SiteColours {
  /** Buttons that lead on, in the light and in the dark scheme. */
  readonly accent: string;
  readonly accentDark: string;
  /** Text and its background in the light scheme. */
  readonly ink: string;
  readonly paper: string;
  /** The dark panels. */
  readonly board: string;
}

/** A logo as it is kept: cleaned, and small enough for every page and mail (decision 0791). */
export interface SiteLogo {
  readonly type: 'svg' | 'png';
  /** The text of an SVG; the bytes of a PNG in base64. */
  readonly data: string;
  /** Its shape; of an SVG in its own units. */
  readonly width: number;
  readonly height: number;
}

/** Where a page finds the logo. */
export interface ShownLogo {
  readonly src: string;
  readonly width: number;
  readonly height: number;
}

/** A plan as the agency writes it; the server gives it its price id. */
export interface SitePlan extends Pick<Plan, 'line' | 'tier' | 'name' | 'description' | 'pricePence'> {
  readonly features: readonly string[];
  readonly mostPopular: boolean;
  readonly limits: Pick<Plan['limits'], 'creditsPerMonth' | 'storageMb' | 'videoMinutes'>;
}

/** What an agency has changed; the specification's content applies to whatever is missing. */
export interface SiteContent {
  readonly brand?: { readonly name: string; readonly contactEmail: string; readonly socialUrl: string };
  readonly colours?: SiteColours;
  readonly logo?: SiteLogo;
  readonly sections?: readonly Section[];
  readonly services?: readonly SiteService[];
  /** The services that an enquiry may name. */
  readonly enquiryServices?: readonly string[];
  readonly plans?: readonly SitePlan[];
  /** The currency of all prices (ISO 4217). */
  readonly currency?: string;
  readonly texts?: { readonly [Place in SiteTextPlace]?: string };
  /**
   * Texts of the pages behind the home page, by page name; for a service, by the last part of its address.
   * The format is that of `legal`.
   */
  readonly pages?: Readonly<Record<string, string>>;
  /** Headings `## `, list items `- `, and paragraphs with an empty line between them. */
  readonly legal?: { readonly privacy?: string; readonly terms?: string };
}

/** The content in force: what the agency wrote, and the plans that the server sells. */
export interface InstalledContent {
  readonly content: SiteContent;
  /** Missing while the agency has not changed the plans. */
  readonly plans?: { readonly sold: readonly Plan[]; readonly former: readonly Plan[] };
  /** In a page, in place of the content's own, whose data would be in each page. */
  readonly logo?: ShownLogo;
}

/** The specification's services (docs/specification/site.md §2). */
export const SPECIFIED_SERVICES: readonly SiteService[] = [
  {
    name: 'Chat Bot Services',
    text: 'Settles routine questions and passes the rest to a person with the whole thread.',
    picture: 'chat',
  },
  {
    name: 'Website Creation',
    text: 'A fast, accessible site that your own team can edit on Monday morning.',
    picture: 'website',
  },
  {
    name: 'Automated Phone Caller',
    text: 'Answers and makes calls day and night, routes them to the right desk, and writes each one up.',
    picture: 'phone',
  },
  {
    name: 'Lead Generation',
    text: 'Finds, scores and sends each prospect to the right inbox within a minute.',
    picture: 'leads',
  },
];

/**
 * Everything that a page needs to show the content in force; undefined while all of it is the default
 * content.
 */
export function embeddedContent({ content, plans }: InstalledContent): InstalledContent | undefined {
  if (Object.keys(content).length === 0 && plans === undefined) return undefined;
  const { logo, ...rest } = content;
  return {
    content: rest,
    ...(plans && { plans: embeddedPlans(plans) }),
    ...(logo && { logo: logoOf(logo) }),
  };
}

type Plans = NonNullable<InstalledContent['plans']>;

/** Without the usual currency, which `Catalogue` adds: former plans would name it on each page of another one. */
function embeddedPlans({ sold, former }: Plans): Plans {
  const embedded = ({ currency, ...plan }: Plan): Plan =>
    (currency === USUAL_CURRENCY ? plan : { ...plan, currency }) as Plan;
  return { sold: sold.map(embedded), former: former.map(embedded) };
}

/** The logo's address changes with the logo, so that a browser never shows the former one. */
function logoOf({ type, data, width, height }: SiteLogo): ShownLogo {
  let sum = 0;
  for (let at = 0; at < data.length; at += 1) sum = (Math.imul(sum, 31) + data.charCodeAt(at)) | 0;
  return { src: `/logo.${type}?v=${(sum >>> 0).toString(36)}`, width, height };
}

/** From this shape on, width by height, a logo holds the name, which then does not stand beside it. */
const WITH_NAME = 2;
export const holdsName = ({ width, height }: Pick<ShownLogo, 'width' | 'height'>): boolean =>
  width >= WITH_NAME * height;

/** Services of the specification's list that stand for its cards, and for the lines that an agency may leave out. */
const ON_CARDS: readonly string[] = ['Website Builder', 'App Builder', 'Automated Outreach'];

/** What the pages of this content offer; without a list of its own, an enquiry may name these. */
export function offeredServices({ sections = SECTIONS, services, plans }: SiteContent): readonly string[] {
  const isSold = (line: Plan['line'], ...within: Section[]): boolean =>
    (plans ?? SPECIFIED_PLANS).some((plan) => plan.line === line) &&
    within.some((section) => sections.includes(section));
  const cards = services?.map(({ name }) => name) ?? ON_CARDS;
  const offered = [
    ...(sections.includes('services') ? cards : []),
    ...(isSold('documents', 'documents') ? ['Document Intelligence', 'Business Tier'] : []),
    ...(isSold('courses', 'courses', 'launcher') ? ['Course Launcher'] : []),
    ...(sections.includes('phone') ? ['Automated Phone System'] : []),
  ];
  if (offered.length === 0) return ['General enquiry'];
  return services === undefined
    ? ENQUIRY_SERVICES.filter((name) => offered.includes(name))
    : [...new Set(offered)];
}

/**
 * The content in force of one installation, or of one page. Publishing replaces all of it: read it at each use, and keep
 * no copy (decision 0840).
 */
export class PublishedSite {
  #installed: InstalledContent = { content: {} };
  #plans = new Catalogue();
  /** The logo as a PNG, for mails and PDFs; drawn when the content is put in force. */
  drawnLogo: Uint8Array | undefined;

  constructor(installed?: InstalledContent) {
    if (installed !== undefined) this.install(installed);
  }

  /** Puts the agency's content in force. */
  install(next: InstalledContent): void {
    this.#installed = next;
    this.#plans = new Catalogue(next.plans?.sold, next.plans?.former);
  }

  get installed(): InstalledContent {
    return this.#installed;
  }

  get content(): SiteContent {
    return this.#installed.content;
  }

  get plans(): Catalogue {
    return this.#plans;
  }

  /** The agency's logo; undefined if Northline's mark is shown beside the name. */
  get logo(): ShownLogo | undefined {
    const { logo, content } = this.#installed;
    return logo ?? (content.logo && logoOf(content.logo));
  }

  /** The currency in which the agency sells (ISO 4217). A plan that somebody has may be in a former one. */
  get currency(): string {
    return this.content.currency ?? USUAL_CURRENCY;
  }

  /** The sections of the home page, in the order in which they are shown. */
  get sections(): readonly Section[] {
    return this.content.sections ?? SECTIONS;
  }

  /** The cards of the services section. */
  get services(): readonly SiteService[] {
    return this.content.services ?? SPECIFIED_SERVICES;
  }

  /** The services that an enquiry may name. */
  get enquiryServices(): readonly string[] {
    return this.content.enquiryServices ?? offeredServices(this.content);
  }

  /** The text with the word for the agency's currency, such as `pounds`, in place of `{currency}`. */
  withCurrency(text: string): string {
    return text.replaceAll('{currency}', () => currencyWord(this.currency));
  }

  /** The sentence at a place, with `{brand}` and `{contactEmail}` not yet replaced. */
  text(place: SiteTextPlace): string {
    return this.withCurrency(this.content.texts?.[place] ?? SITE_TEXTS[place]);
  }
}
