import { type PlanLine, SPECIFIED_PLANS } from './plans.ts';
import { NOT_FOUND_PAGE, PAGES, type PageRoute } from './routes.ts';
import {
  offeredServices,
  SECTIONS,
  type Section,
  type ServicePicture,
  type SiteContent,
  SPECIFIED_SERVICES,
  USUAL_CALL_MINUTES,
} from './site-content.ts';

/** The content of a service's page. */
export interface ServicePage {
  readonly slug: string;
  readonly path: string;
  readonly name: string;
  /** One sentence. */
  readonly lead: string;
  readonly picture: ServicePicture | 'course' | 'report';
  /** The service that an enquiry from this page names; undefined when it names none. */
  readonly enquiry: string | undefined;
  /** How long a call about it takes, minutes; 0 where visitors cannot book one. */
  readonly callMinutes: number;
}

/** The service that an enquiry from a page names (docs/specification/site.md §5), by the page's slug. */
const ENQUIRIES: Readonly<Record<string, string>> = {
  'chat-bot-services': 'Automated Outreach',
  'website-creation': 'Website Builder',
  'automated-phone-caller': 'Automated Phone System',
  'lead-generation': 'Automated Outreach',
  'course-launcher': 'Course Launcher',
  'document-analysis': 'Document Intelligence',
};

/**
 * The last part of a service's address: `Loft Conversions & more` gives `loft-conversions-more`; empty for a
 * name without Latin letters.
 */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/**
 * The services that have a page, in the order of the home page: those on the cards, then courses and
 * documents while they are sold.
 */
export function servicePages(content: SiteContent): readonly ServicePage[] {
  const { sections = SECTIONS, services = SPECIFIED_SERVICES } = content;
  const lines = (content.plans ?? SPECIFIED_PLANS).map(({ line }): PlanLine => line);
  const isSold = (line: PlanLine, section: Section): boolean =>
    lines.includes(line) && sections.includes(section);
  const cards = sections.includes('services') ? services : [];
  const sold = [
    ...cards.map(({ name, text, picture, callMinutes = USUAL_CALL_MINUTES }, at) => ({
      slug: slugOf(name) || `service-${at + 1}`,
      name,
      lead: text,
      picture,
      callMinutes,
    })),
    ...(isSold('courses', 'launcher')
      ? [
          {
            slug: 'course-launcher',
            name: 'Personal Course Launcher',
            lead: LEADS.courses,
            picture: 'course' as const,
            callMinutes: USUAL_CALL_MINUTES,
          },
        ]
      : []),
    ...(isSold('documents', 'documents')
      ? [
          {
            slug: 'document-analysis',
            name: 'Document Analysis',
            lead: LEADS.documents,
            picture: 'report' as const,
            callMinutes: USUAL_CALL_MINUTES,
          },
        ]
      : []),
  ];
  const known = content.enquiryServices ?? offeredServices(content);
  const once = sold.filter(({ slug }, at) => sold.findIndex((other) => other.slug === slug) === at);
  return once.map((service) => {
    const filed = [ENQUIRIES[service.slug], service.name].find(
      (name) => name !== undefined && known.includes(name),
    );
    return { ...service, path: `/services/${service.slug}`, enquiry: filed };
  });
}

const LEADS = {
  courses: 'You send the recordings; we build the course around them, and you see where we are with each.',
  documents: 'Upload a document, press Analyze, and read the answer instead of the file.',
} as const;

/** Every page of the site by its name, including the pages of services. */
export function sitePages(content: SiteContent): Readonly<Record<string, PageRoute>> {
  const services = servicePages(content).map(({ slug, path, name, lead }): [string, PageRoute] => [
    `service.${slug}`,
    {
      path,
      page: 'service',
      title: `${name} · {brand}`,
      description: lead,
      indexable: true,
      needsSession: false,
    },
  ]);
  return { ...PAGES, ...Object.fromEntries(services), notFound: NOT_FOUND_PAGE };
}
