/**
 * The architecture on one page. Imports point down the list of layers. Inside a wing, a feature imports another one only
 * if its line says so; `app.ts` hands it everything else.
 * `tests/architecture.test.ts` checks this.
 */

/** Each folder of `src` and the ones it may import. Files directly in `src` compose them and may import all but `cli`. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  ui: ['kernel'],
  platform: ['kernel', 'ui'],
  business: ['kernel', 'ui', 'platform'],
  voice: ['kernel', 'ui', 'platform', 'business'],
  site: ['kernel', 'ui', 'platform', 'business', 'voice'],
  cli: ['kernel', 'platform', 'business'],
};

/** Packages that run in a browser too, and therefore import nothing of Node. */
export const BROWSER_PACKAGES: readonly string[] = [
  'packages/call',
  'packages/nearest-word',
  'packages/service-error',
  'packages/vat',
  'packages/voice',
];

/**
 * Floors of a package, from the ground up: a file imports only files of its own floor and of floors before it, types
 * included, so no floor ever gets a file from one above. Files directly in `src` belong to no floor, as in `PARTS`.
 */
export const FLOORS: Readonly<Record<string, readonly string[]>> = {
  'packages/document-reader': [
    'contract',
    'values',
    'layout',
    'ocr',
    'formats',
    'tables',
    'bills',
    'items',
    'facts',
    'own-fields',
    'report',
    'reader',
  ],
  'packages/speech': ['text', 'words', 'sound'],
  'packages/stripe-emulator': ['ledger', 'api', 'pages'],
};

/** The features that each feature may import, from its own wing or a wing below. */
export const FEATURE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'platform/auth': [],
  'platform/rest': [],
  'platform/realtime': ['platform/rest'],
  'platform/storage': [],
  'business/api-keys': ['business/console'],
  'business/avatars': ['platform/storage'],
  'business/backup': ['platform/storage'],
  'business/bookings': ['business/console'],
  'business/billing': [],
  'business/files': ['platform/storage', 'business/billing'],
  'business/courses': ['platform/storage', 'business/billing', 'business/files', 'business/messages'],
  'business/documents': ['platform/storage', 'business/files'],
  'business/enquiries': [],
  'business/inbox': ['platform/storage', 'business/files'],
  'business/mailbox': [],
  'business/mcp': ['business/api-keys', 'business/console', 'business/documents', 'business/messages'],
  'business/messages': ['platform/storage', 'business/files'],
  'business/monitoring': [],
  'business/news': [],
  'business/privacy': [],
  'business/push': ['platform/auth'],
  'business/content': ['business/billing', 'business/files'],
  'business/console': [
    'platform/storage',
    'business/billing',
    'business/files',
    'business/courses',
    'business/messages',
    'business/monitoring',
    'business/news',
    'business/content',
    'business/mailbox',
    'business/backup',
    'business/documents',
  ],
  'business/statistics': [],
  'business/teams': ['business/files'],
  'voice/records': [],
  'voice/engines': ['voice/records'],
  'voice/media': [],
  'voice/files': ['platform/storage', 'business/documents', 'voice/engines'],
  'voice/dialogue': ['platform/storage', 'business/bookings', 'voice/records', 'voice/engines'],
  'voice/recording': ['platform/storage', 'voice/records', 'voice/engines', 'voice/media'],
  'voice/calls': ['voice/records', 'voice/engines', 'voice/media', 'voice/dialogue', 'voice/recording'],
  'voice/rooms': ['voice/records', 'voice/engines', 'voice/media', 'voice/recording', 'voice/calls'],
  'voice/telephony': [
    'business/bookings',
    'voice/records',
    'voice/engines',
    'voice/media',
    'voice/calls',
    'voice/rooms',
  ],
  'voice/evaluations': ['voice/records', 'voice/engines', 'voice/calls', 'voice/site'],
  'voice/api': [
    'platform/storage',
    'business/bookings',
    'voice/records',
    'voice/engines',
    'voice/media',
    'voice/files',
    'voice/recording',
    'voice/calls',
    'voice/rooms',
    'voice/telephony',
    'voice/evaluations',
    'voice/console',
  ],
  'voice/console': [
    'platform/storage',
    'business/console',
    'voice/records',
    'voice/engines',
    'voice/files',
    'voice/dialogue',
    'voice/recording',
    'voice/evaluations',
    'voice/calls',
    'voice/telephony',
    'voice/site',
  ],
  'voice/composition': [
    'business/bookings',
    'voice/records',
    'voice/engines',
    'voice/files',
    'voice/dialogue',
    'voice/calls',
  ],
  'voice/site': [],
  'voice/widget': ['voice/records'],
};

/**
 * The sub-folders of each feature with more than 5,000 lines, from the ground up, with the sub-folders that each may
 * import, types included. Files directly in the feature's folder belong to no part: they are contracts that all parts
 * share, and files that put the parts together.
 */
export const PARTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'business/documents': {
    viewer: [],
    corrections: ['viewer'],
    search: ['viewer'],
    comparison: ['viewer', 'corrections', 'search'],
    exports: ['corrections'],
    'own-fields': ['viewer', 'corrections', 'exports'],
    rules: ['corrections', 'own-fields'],
    invoices: ['corrections', 'exports'],
    questions: ['viewer', 'search'],
    requests: ['corrections', 'own-fields', 'invoices', 'questions'],
    sharing: ['corrections', 'exports'],
    stacks: ['viewer', 'requests'],
    site: [
      'viewer',
      'corrections',
      'own-fields',
      'search',
      'comparison',
      'questions',
      'requests',
      'sharing',
      'stacks',
    ],
  },
  'business/billing': {
    customers: [],
    checkout: ['customers'],
    subscription: ['customers', 'checkout'],
    site: ['customers', 'checkout', 'subscription'],
  },
  'business/console': {
    parts: [],
    content: ['parts'],
    records: ['parts'],
    demo: ['parts'],
    pages: ['parts', 'records', 'demo'],
    settings: ['parts'],
    colleagues: ['parts', 'settings'],
  },
  'voice/calls': {
    background: [],
    conversation: [],
    record: ['conversation'],
    takeover: ['conversation', 'record'],
  },
  'voice/dialogue': {
    spoken: [],
    likeness: ['spoken'],
    knowledge: ['spoken', 'likeness'],
    topics: ['spoken', 'likeness', 'knowledge'],
    model: ['spoken', 'likeness'],
  },
  'voice/console': {
    assistants: [],
    evaluations: ['assistants'],
    headset: [],
    playback: [],
    tools: [],
    campaigns: [],
  },
};

/** Features of that size whose parts still import each other in circles. The list only shrinks. */
export const WITHOUT_PARTS: readonly string[] = ['platform/auth'];
/** Lines of production code from which a feature needs parts. */
export const LARGE_FEATURE = 5000;

/** What each folder of `src`, and each folder in it, holds; `npm run docs` writes the listing of ARCHITECTURE.md from it. */
export const FOLDERS: Readonly<Record<string, string>> = {
  site: 'pages and routing in the browser: the top layer',
  'site/pages': 'one file for each route',
  'site/dashboard': 'the tabs of the dashboard, each fetched when it is opened',
  'site/frame': 'navigation, footer, shell of a page',
  'site/home': 'sections of the home page',
  'site/app': 'printing, starting and routing in the browser',
  'site/public': 'files that are served unchanged',
  voice: 'calls with an assistant',
  'voice/composition': 'puts the engines of a call together',
  'voice/api': 'REST resources, rooms, analytics',
  'voice/calls': 'a call from creation to end: turns, echo, {{variables}}, spending caps, take-over',
  'voice/rooms': 'meeting rooms, their tokens and who is in them',
  'voice/recording': 'sound and picture of calls and meetings, of people who have agreed',
  'voice/dialogue': 'answers without a language model, asks for consent to recording',
  'voice/engines': 'voice activity, recognition, speech, providers',
  'voice/media': 'WebRTC, Opus, pacing, RTP of telephones',
  'voice/files': 'files that assistants consult',
  'voice/telephony': 'numbers and their providers',
  'voice/records': 'stored assistants, tools and numbers, with their secrets',
  'voice/evaluations': 'tests of assistants: what a caller says, and what the replies are worth',
  'voice/console': "calls and assistants at the operator's console",
  'voice/site': 'the Test Now section',
  'voice/widget': 'the assistant on pages of other sites',
  business: 'what the agency sells',
  'business/documents': 'requests for reports, and the use of reports: search, questions, sharing, exports',
  'business/api-keys': 'keys with rights and an expiry for programs that act for a person',
  'business/avatars': 'the picture of an account',
  'business/backup': 'backup, restore to a day or a second, verification, schedules',
  'business/billing': 'plans, checkout, credits by invoice',
  'business/bookings': 'calls with a colleague: times, holds, notices, their page',
  'business/courses': 'lessons of course customers',
  'business/console': "the operator's console",
  'business/content': 'the parts of the site that an agency edits',
  'business/enquiries': 'forms, proof of work, delivery, reminders to reply',
  'business/files': "the dashboard's documents",
  'business/inbox': 'documents that customers send by mail',
  'business/mailbox': '/dev/mail, bounces, unsubscribing',
  'business/mcp': 'the MCP server: tools and resources for assistants of customers and of the agency',
  'business/messages': 'threads between customers and the agency',
  'business/monitoring': 'metrics for Prometheus, checks of the doctor',
  'business/news': "feeds and the agency's own posts",
  'business/privacy': 'export, erasure and retention of personal data',
  'business/push': 'browsers that show notices, and their worker',
  'business/statistics': 'measured figures',
  'business/teams': 'people who share files, reports and credits',
  platform: 'the services behind the client library',
  'platform/auth': 'accounts, sessions, factors, providers',
  'platform/rest': 'data',
  'platform/realtime': 'sockets and changes',
  'platform/storage': 'buckets, objects, uploads',
  ui: 'browser components that know no feature',
  'ui/parts': 'dialogs, forms, buttons, meters',
  'ui/people': 'names and pictures of people',
  'ui/session': 'the client and its session',
  'ui/styles': 'tokens and base styles',
  'ui/fonts': 'the type family',
  kernel: 'the ground layer, which everything uses',
  'kernel/config': 'settings',
  'kernel/contract': 'shared by server and browser: limits, routes, plans, UUIDs',
  'kernel/http': 'the server',
  'kernel/functions': 'declaring functions',
  'kernel/resources': 'database, jobs, mailer, object store, log, webhooks sent and replayed',
  'kernel/concurrency': 'the fair queue, slices of the event loop, worker threads and processes',
  cli: "the operator's commands",
  'cli/release': 'installing and upgrading a release as a service',
};

/** Most source files in a folder, without tests; a folder with more needs sub-folders. */
export const MOST_FILES_IN_A_FOLDER = 25;
/** Fewest source files in a sub-folder of a feature, of the kernel or of a package. */
export const FEWEST_FILES_IN_A_FOLDER = 4;

/** Smaller sub-folders, each with its reason. The list only shrinks. */
export const SMALL_FOLDERS: Readonly<Record<string, string>> = {
  'packages/call/src/adapter': 'a separate bundle, which another page loads',
  'src/business/avatars/site': 'the browser part of the feature',
  'src/business/files/usage': 'the browser part of the storage limit',
  'src/business/news/site': 'the browser part of the feature',
  'src/business/push/site': 'the browser part of the feature, with its worker',
  'src/kernel/resources/jobs': 'one resource',
  'src/kernel/resources/log': 'one resource, which everything imports',
  'src/kernel/resources/push': 'one resource',
  'src/kernel/resources/sms': 'one resource',
  'src/voice/calls/takeover': 'nobody would find it among 20 files of calls',
  'src/voice/engines/activity': 'an engine, with its worker as an entry point',
};
