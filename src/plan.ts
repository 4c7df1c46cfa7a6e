/**
 * The architecture on one page. Imports point down the list of layers; inside a wing a feature
 * imports another only where its line says so, and is given everything else by `app.ts`.
 * Checked by `tests/architecture.test.ts`.
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

/** Each feature and the features of its own wing or of a wing below that it may import. */
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
  'business/courses': ['platform/storage', 'business/billing', 'business/files', 'business/messages'],
  'business/analysis': ['platform/storage', 'business/files'],
  'business/enquiries': [],
  'business/mailbox': [],
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
  ],
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
    'voice/console',
  ],
  'voice/console': [
    'platform/storage',
    'business/console',
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

/** Most source files that a folder holds, tests not counted: more of them need sub-folders. */
export const MOST_FILES_IN_A_FOLDER = 25;
