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
  emulators: ['kernel'],
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
 * included, so no floor ever gets a file from one above.
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
    'report',
    'reader',
  ],
};

/** The features that each feature may import, from its own wing or a wing below. */
export const FEATURE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'platform/auth': [],
  'platform/rest': [],
  'platform/realtime': ['platform/rest'],
  'platform/storage': [],
  'emulators/stripe': [],
  'business/avatars': ['platform/storage'],
  'business/backup': ['platform/storage'],
  'business/bookings': [],
  'business/billing': [],
  'business/files': ['platform/storage', 'business/billing'],
  'business/courses': [
    'platform/storage',
    'business/billing',
    'business/files',
    'business/messages',
    'business/operator',
  ],
  'business/analysis': ['platform/storage', 'business/files'],
  'business/enquiries': [],
  'business/mailbox': [],
  'business/messages': ['platform/storage', 'business/files', 'business/operator'],
  'business/monitoring': ['business/operator'],
  'business/news': ['business/operator'],
  'business/operator': [],
  'business/privacy': [],
  'business/push': ['platform/auth'],
  'business/content': ['business/operator', 'business/billing', 'business/files'],
  'business/statistics': [],
  'business/teams': ['business/files'],
  'voice/records': [],
  'voice/engines': ['voice/records'],
  'voice/media': [],
  'voice/files': ['platform/storage', 'business/analysis', 'voice/engines'],
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
    'voice/records',
    'voice/engines',
    'voice/media',
    'voice/files',
    'voice/recording',
    'voice/calls',
    'voice/rooms',
    'voice/telephony',
    'voice/evaluations',
    'voice/desk',
  ],
  'voice/desk': [
    'platform/storage',
    'business/operator',
    'voice/records',
    'voice/engines',
    'voice/files',
    'voice/recording',
    'voice/evaluations',
    'voice/calls',
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
};

/**
 * The sub-folders of each feature with more than 5,000 lines, from the ground up, with the sub-folders that each may
 * import, types included. Files directly in the feature's folder belong to no part: they are contracts that all parts
 * share, and files that put the parts together.
 */
export const PARTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'business/billing': {
    customers: [],
    checkout: ['customers'],
    subscription: ['customers', 'checkout'],
    site: ['customers', 'checkout', 'subscription'],
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
  'voice/desk': {
    assistants: [],
    evaluations: ['assistants'],
    headset: [],
    playback: [],
    meetings: ['playback'],
  },
};

/** Features of that size whose parts still import each other in circles. The list only shrinks. */
export const WITHOUT_PARTS: readonly string[] = ['business/analysis', 'platform/auth'];
/** Lines of production code from which a feature needs parts. */
export const LARGE_FEATURE = 5000;

/** Most source files in a folder, without tests; a folder with more needs sub-folders. */
export const MOST_FILES_IN_A_FOLDER = 25;
/** Fewest source files in a sub-folder of a feature, of the kernel or of a package. */
export const FEWEST_FILES_IN_A_FOLDER = 4;

/** Smaller sub-folders, each with its reason. The list only shrinks. */
export const SMALL_FOLDERS: Readonly<Record<string, string>> = {
  'packages/call/src/adapter': 'a bundle of its own, which another page loads',
  'src/business/analysis/preview': 'analysis is on its way to a package',
  'src/business/avatars/site': 'what the browser has of the feature',
  'src/business/courses/desk': 'the console, on its way to one folder',
  'src/business/files/usage': 'what the browser has of the storage limit',
  'src/business/messages/desk': 'the console, on its way to one folder',
  'src/business/monitoring/desk': 'the console, on its way to one folder',
  'src/business/news/desk': 'the console, on its way to one folder',
  'src/business/news/site': 'what the browser has of the feature',
  'src/business/push/site': 'what the browser has of the feature, its worker too',
  'src/kernel/resources/jobs': 'one resource',
  'src/kernel/resources/log': 'one resource, which everything imports',
  'src/kernel/resources/push': 'one resource',
  'src/kernel/resources/sms': 'one resource',
  'src/voice/calls/background': 'beside 20 files of calls it would be lost',
  'src/voice/calls/takeover': 'beside 20 files of calls it would be lost',
  'src/voice/desk/meetings': 'the console, on its way to one folder',
  'src/voice/engines/activity': 'an engine, with its worker as an entry point',
};
