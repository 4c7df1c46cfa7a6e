/**
 * The pages of the site: the one table that the server (status, redirects,
 * headers, sitemap), the prerenderer and the browser's router read.
 */
export interface PageRoute {
  readonly path: string;
  /** `{brand}` is replaced. */
  readonly title: string;
  readonly description: string;
  /** In the sitemap and open to search engines. */
  readonly indexable: boolean;
  /** The browser sends a visitor without a session to /login. */
  readonly needsSession: boolean;
  /** Name of the page's module in `src/web/pages`. */
  readonly page: string;
}

const page = (
  path: string,
  name: string,
  title: string,
  description: string,
  kind: 'public' | 'plain' | 'private' = 'plain',
): PageRoute => ({
  path,
  page: name,
  title,
  description,
  indexable: kind === 'public',
  needsSession: kind === 'private',
});

export const PAGES = {
  home: page(
    '/',
    'home',
    '{brand}: custom automated systems for your business',
    'Calls answered, documents read, sites built and leads scored by systems made around your business.',
    'public',
  ),
  enquire: page(
    '/enquire',
    'enquire',
    "Let's discuss your project · {brand}",
    'Tell us what you would like to automate; a person replies within 24 hours.',
    'public',
  ),
  courseInquiry: page(
    '/course-inquiry',
    'course-inquiry',
    'Course inquiry · {brand}',
    'Tell us about the course that you would like to launch.',
    'public',
  ),
  login: page('/login', 'login', 'Login · {brand}', 'Sign in to your documents and billing.'),
  signup: page('/signup', 'signup', 'Sign up · {brand}', 'Create a free account.'),
  resetPassword: page(
    '/reset-password',
    'reset-password',
    'Choose a new password · {brand}',
    'Set a new password for your account.',
  ),
  dashboard: page('/dashboard', 'dashboard', 'Files · {brand}', 'Your documents.', 'private'),
  billing: page('/dashboard/billing', 'dashboard', 'Billing · {brand}', 'Your plan and payments.', 'private'),
  account: page(
    '/dashboard/account',
    'dashboard',
    'Account · {brand}',
    'Where you are signed in.',
    'private',
  ),
  analysis: page(
    '/dashboard/files/:fileId/analysis',
    'analysis',
    'Analysis · {brand}',
    'What your document says.',
    'private',
  ),
  success: page('/success', 'success', 'Payment · {brand}', 'Your payment was received.'),
  cancel: page('/cancel', 'cancel', 'Payment cancelled · {brand}', 'No charges were made.'),
  operator: page('/operator', 'operator', 'Enquiries · {brand}', "The agency's desk.", 'private'),
  operatorEvents: page(
    '/operator/events',
    'operator',
    'Events · {brand}',
    'What goes out to automations.',
    'private',
  ),
  operatorMail: page('/operator/mail', 'operator', 'Mail · {brand}', 'What was mailed to whom.', 'private'),
  operatorCustomers: page(
    '/operator/customers',
    'operator',
    'Customers · {brand}',
    'Accounts, plans and credits.',
    'private',
  ),
  privacy: page('/privacy', 'privacy', 'Privacy · {brand}', 'What we keep, why and for how long.', 'public'),
  terms: page('/terms', 'terms', 'Terms · {brand}', 'The terms of our services.', 'public'),
} as const satisfies Record<string, PageRoute>;

/** Served with status 404 for every unknown path. */
export const NOT_FOUND_PAGE: PageRoute = page(
  '*',
  'not-found',
  'No such stop · {brand}',
  'This page does not exist.',
);

/** Addresses of the services and functions, by the names of `spec/readings.md`. */
export const SERVICES = {
  auth: '/auth/v1',
  rest: '/rest/v1',
  storage: '/storage/v1',
  realtime: '/realtime/v1',
  functions: '/functions/v1',
  checkout: '/functions/v1/checkout',
  linkCustomer: '/functions/v1/link-customer',
  news: '/functions/v1/news',
  enquiry: '/functions/v1/enquiry',
  courseInquiry: '/functions/v1/course-inquiry',
  enquiryChallenge: '/functions/v1/enquiry-challenge',
  analyze: '/functions/v1/analyze',
  statistics: '/functions/v1/statistics',
  billingPortal: '/functions/v1/billing-portal',
  stripeWebhook: '/webhooks/stripe',
  analysisWebhook: '/webhooks/analysis',
  mailWebhook: '/webhooks/mail',
  voice: '/voice/v1',
  config: '/config.json',
} as const;

/** `/dashboard/files/{file_id}/analysis` (`spec/readings.md`). */
export const analysisPath = (fileId: string): string =>
  `/dashboard/files/${encodeURIComponent(fileId)}/analysis`;

/** The Billing tab, asking whether the user's plan is to be changed to the one of `priceId`. */
export const changePlanPath = (priceId: string): string =>
  `${PAGES.billing.path}?plan=${encodeURIComponent(priceId)}`;
