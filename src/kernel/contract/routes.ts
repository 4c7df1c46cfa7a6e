/**
 * The pages of the site: the one table that the server (status, redirects,
 * headers, sitemap), the prerenderer and the browser's router read.
 */
export interface PageRoute {
  readonly path: string;
  /** `{brand}` is replaced. */
  readonly title: string;
  readonly description: string;
  /** Listed in the sitemap; search engines may index it. */
  readonly indexable: boolean;
  /** The browser sends a visitor without a session to /login. */
  readonly needsSession: boolean;
  /** Name of the page's module in `src/site/pages`. */
  readonly page: string;
}

type PageText = Pick<PageRoute, 'title' | 'description'>;

/** A page that search engines may index. */
const publicPage = (path: string, page: string, text: PageText): PageRoute => ({
  path,
  page,
  ...text,
  indexable: true,
  needsSession: false,
});

/** A page that anybody may open, but that search engines leave out. */
const plainPage = (path: string, page: string, text: PageText): PageRoute => ({
  ...publicPage(path, page, text),
  indexable: false,
});

/** A page for signed-in users: no search engine and no preview of a link describes it. */
const privatePage = (path: string, page: string, title: string): PageRoute => ({
  ...plainPage(path, page, { title, description: 'For people with an account.' }),
  needsSession: true,
});

export const PAGES = {
  home: publicPage('/', 'home', {
    title: '{brand}: custom automated systems for your business',
    description:
      'Calls answered, documents read, sites built and leads scored by systems made around your business.',
  }),
  enquire: publicPage('/enquire', 'enquire', {
    title: "Let's discuss your project · {brand}",
    description: 'Tell us what you would like to automate; a person replies within 24 hours.',
  }),
  courseInquiry: publicPage('/course-inquiry', 'course-inquiry', {
    title: 'Course inquiry · {brand}',
    description: 'Tell us about the course that you would like to launch.',
  }),
  news: publicPage('/news', 'news', {
    title: 'News · {brand}',
    description: 'What is new at {brand}, and what we read elsewhere.',
  }),
  newsArticle: plainPage('/news/:newsId', 'news-article', {
    title: 'News · {brand}',
    description: 'An article.',
  }),
  login: publicPage('/login', 'login', {
    title: 'Login · {brand}',
    description: 'Sign in to your documents and billing.',
  }),
  signup: publicPage('/signup', 'signup', {
    title: 'Sign up · {brand}',
    description: 'Create a free account.',
  }),
  resetPassword: plainPage('/reset-password', 'reset-password', {
    title: 'Choose a new password · {brand}',
    description: 'Set a new password for your account.',
  }),
  dashboard: privatePage('/dashboard', 'dashboard', 'Files · {brand}'),
  billing: privatePage('/dashboard/billing', 'dashboard', 'Billing · {brand}'),
  courses: privatePage('/dashboard/courses', 'dashboard', 'Course · {brand}'),
  messages: privatePage('/dashboard/messages', 'dashboard', 'Messages · {brand}'),
  account: privatePage('/dashboard/account', 'dashboard', 'Account · {brand}'),
  search: privatePage('/dashboard/search', 'dashboard', 'Search · {brand}'),
  invoices: privatePage('/dashboard/invoices', 'dashboard', 'Bills · {brand}'),
  fields: privatePage('/dashboard/fields', 'dashboard', 'Fields · {brand}'),
  rules: privatePage('/dashboard/rules', 'dashboard', 'Rules · {brand}'),
  analysis: privatePage('/dashboard/files/:fileId/analysis', 'analysis', 'Analysis · {brand}'),
  shared: plainPage('/shared', 'shared-report', {
    title: 'A shared report · {brand}',
    description: 'What a document says, shared by its owner.',
  }),
  success: plainPage('/success', 'success', {
    title: 'Payment · {brand}',
    description: 'Your payment was received.',
  }),
  cancel: plainPage('/cancel', 'cancel', {
    title: 'Payment cancelled · {brand}',
    description: 'No charges were made.',
  }),
  operator: privatePage('/operator', 'operator', 'Console · {brand}'),
  operatorEnquiries: privatePage('/operator/enquiries', 'operator', 'Enquiries · {brand}'),
  operatorMessages: privatePage('/operator/messages', 'operator', 'Messages · {brand}'),
  operatorEvents: privatePage('/operator/events', 'operator', 'Notifications · {brand}'),
  operatorMail: privatePage('/operator/mail', 'operator', 'Mail · {brand}'),
  operatorCustomers: privatePage('/operator/customers', 'operator', 'Accounts · {brand}'),
  operatorCourses: privatePage('/operator/courses', 'operator', 'Courses · {brand}'),
  operatorBookings: privatePage('/operator/bookings', 'operator', 'Bookings · {brand}'),
  operatorCalls: privatePage('/operator/calls', 'operator', 'Calls · {brand}'),
  operatorAssistants: privatePage('/operator/assistants', 'operator', 'Assistants · {brand}'),
  operatorTools: privatePage('/operator/tools', 'operator', 'Tools · {brand}'),
  operatorCredentials: privatePage('/operator/credentials', 'operator', 'Credentials · {brand}'),
  operatorCampaigns: privatePage('/operator/campaigns', 'operator', 'Campaigns · {brand}'),
  operatorNews: privatePage('/operator/news', 'operator', 'News posts · {brand}'),
  operatorHealth: privatePage('/operator/health', 'operator', 'Health · {brand}'),
  operatorSettings: privatePage('/operator/settings', 'operator', 'Settings · {brand}'),
  operatorAudit: privatePage('/operator/audit', 'operator', 'Audit log · {brand}'),
  operatorColleagues: privatePage('/operator/colleagues', 'operator', 'Colleagues · {brand}'),
  operatorKeys: privatePage('/operator/keys', 'operator', 'API keys · {brand}'),
  operatorSite: privatePage('/operator/site', 'operator', 'Content · {brand}'),
  operatorRecord: privatePage('/operator/:section/:recordId', 'operator', 'Console · {brand}'),
  operatorPortal: privatePage(
    '/operator/customers/:recordId/portal',
    'operator',
    'Portal of a customer · {brand}',
  ),
  sampleReport: publicPage('/sample-report', 'sample-report', {
    title: 'A sample report · {brand}',
    description: 'What a document says, with every fact at its place: a whole report on a sample document.',
  }),
  about: publicPage('/about', 'written', {
    title: 'About {brand}',
    description: 'Who builds the systems, and how we work.',
  }),
  faq: publicPage('/faq', 'written', {
    title: 'Questions and answers · {brand}',
    description: 'What people ask about documents, plans, calls and their data.',
  }),
  help: publicPage('/help', 'written', {
    title: 'Help · {brand}',
    description: 'How the dashboard works, and where to write when something does not.',
  }),
  changelog: publicPage('/changelog', 'written', {
    title: 'What changed · {brand}',
    description: 'What is new on this site and in the dashboard.',
  }),
  status: publicPage('/status', 'status', {
    title: 'Status · {brand}',
    description: 'Whether everything works now, and how it has worked.',
  }),
  privacy: publicPage('/privacy', 'written', {
    title: 'Privacy · {brand}',
    description: 'What we keep, why and for how long.',
  }),
  terms: publicPage('/terms', 'written', {
    title: 'Terms · {brand}',
    description: 'The terms of our services.',
  }),
} as const satisfies Record<string, PageRoute>;

/** The page of the console that an address belongs to: `/operator/enquiries` of `/operator/enquiries/ENQ-1-a`. */
export const consolePageOf = (path: string): string => path.split('/').slice(0, 3).join('/');
/** The page on which visitors book a call; the end of a service's address may follow. The server writes it. */
export const BOOK_PATH = '/book';

/** Sent with status 404 for every unknown path. */
export const NOT_FOUND_PAGE: PageRoute = plainPage('*', 'not-found', {
  title: 'No such stop · {brand}',
  description: 'This page does not exist.',
});

/** Addresses of the services and functions, named as in docs/specification/site.md §10. */
export const SERVICES = {
  auth: '/auth/v1',
  rest: '/rest/v1',
  storage: '/storage/v1',
  realtime: '/realtime/v1',
  functions: '/functions/v1',
  checkout: '/functions/v1/checkout',
  checkoutOutcome: '/functions/v1/checkout-outcome',
  linkCustomer: '/functions/v1/link-customer',
  news: '/functions/v1/news',
  newsArticle: '/functions/v1/news-article',
  enquiry: '/functions/v1/enquiry',
  courseInquiry: '/functions/v1/course-inquiry',
  enquiryChallenge: '/functions/v1/enquiry-challenge',
  analyze: '/functions/v1/analyze',
  analysisQueue: '/functions/v1/analysis-queue',
  searchablePdf: '/functions/v1/searchable-pdf',
  statistics: '/functions/v1/statistics',
  billingPortal: '/functions/v1/billing-portal',
  stripeWebhook: '/webhooks/stripe',
  analysisWebhook: '/webhooks/analysis',
  mailWebhook: '/webhooks/mail',
  mailInWebhook: '/webhooks/mail-in',
  sampleCall: '/functions/v1/sample-call',
  voice: '/voice/v1',
  config: '/config.json',
  mcp: '/mcp',
} as const;

/**
 * The schema of what the product adds to the tables that docs/specification/site.md §10 names. The data service and
 * realtime serve it to requests that name it, whatever REST_SCHEMAS says. It cannot be called `northline`: the owner of the
 * database has that name, and PostgreSQL looks for names without a schema in a schema of the role's own name first.
 */
export const OWN_SCHEMA = 'northline_app';

/** `/dashboard/files/{file_id}/analysis` (docs/specification/site.md §10). */
export const analysisPath = (fileId: string): string =>
  `/dashboard/files/${encodeURIComponent(fileId)}/analysis`;

/** The page of one of the agency's news posts. */
export const newsPath = (id: string): string => `/news/${encodeURIComponent(id)}`;

/** The Billing tab, which asks whether to change the user's plan to the one of `priceId`. */
export const changePlanPath = (priceId: string): string =>
  `${PAGES.billing.path}?plan=${encodeURIComponent(priceId)}`;
