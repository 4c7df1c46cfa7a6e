/**
 * The roles at the console: an owner may do everything, staff the daily work; a reader sees what staff see and changes
 * nothing (decision 0730). The database's own check of changes is `private.least_role_of`.
 */
export const OPERATOR_ROLES = ['owner', 'staff', 'reader'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Every function of the console, as `operator-NAME`, with the least role that may call it. */
export const LEAST_ROLES = {
  act: 'staff',
  'add-file': 'staff',
  'api-keys': 'owner',
  assistant: 'reader',
  assistants: 'reader',
  audit: 'owner',
  'book-call': 'staff',
  bookings: 'reader',
  call: 'reader',
  'call-figures': 'reader',
  'call-headset': 'staff',
  'call-recording': 'reader',
  calls: 'reader',
  'change-colleague': 'owner',
  'check-logo': 'owner',
  colleagues: 'reader',
  content: 'reader',
  'content-names': 'owner',
  'content-version': 'reader',
  customer: 'reader',
  customers: 'reader',
  'delete-assistant': 'owner',
  'delete-call': 'owner',
  'delete-meeting-recording': 'owner',
  'delete-news': 'staff',
  'delete-test': 'staff',
  'demo-data': 'owner',
  'direct-call': 'staff',
  'end-api-key': 'owner',
  'end-call': 'staff',
  enquiries: 'reader',
  'enquiries.csv': 'staff',
  event: 'reader',
  events: 'reader',
  'free-times': 'reader',
  health: 'reader',
  home: 'reader',
  'import-content': 'owner',
  'invite-colleague': 'owner',
  'keep-draft': 'owner',
  leave: 'reader',
  lesson: 'reader',
  'lesson-answer': 'staff',
  'lesson-state': 'staff',
  'lesson-video': 'reader',
  lessons: 'reader',
  'live-calls': 'reader',
  mails: 'reader',
  'meeting-recording': 'reader',
  'meeting-recordings': 'reader',
  'message-file': 'reader',
  'move-booking': 'staff',
  news: 'reader',
  overview: 'reader',
  'play-meeting-recording': 'reader',
  portal: 'staff',
  'portal-file': 'staff',
  'preview-content': 'owner',
  'publish-content': 'owner',
  'read-thread': 'staff',
  refund: 'owner',
  'remove-colleague': 'owner',
  'restore-assistant': 'staff',
  'run-tests': 'staff',
  'save-assistant': 'staff',
  'save-news': 'staff',
  'save-settings': 'owner',
  'save-test': 'staff',
  search: 'reader',
  'send-message': 'staff',
  settings: 'owner',
  'site.yaml': 'reader',
  'test-run': 'reader',
  tests: 'reader',
  thread: 'reader',
  threads: 'reader',
  'try-assistant': 'staff',
  'try-settings': 'owner',
  'voice-preview': 'staff',
  'withdraw-colleague': 'owner',
} as const satisfies Readonly<Record<string, OperatorRole>>;
export type OperatorFunctionName = keyof typeof LEAST_ROLES;

/** Whether a role may call a function of the console. */
export const mayCall = (role: OperatorRole, name: OperatorFunctionName): boolean =>
  OPERATOR_ROLES.indexOf(role) <= OPERATOR_ROLES.indexOf(LEAST_ROLES[name]);

/** Code of the 403 for an operator whose role does not allow a function. */
export const ROLE_TOO_LOW = 'role_too_low';

/** Who may, for a sentence about a function: `Your role does not allow this: it is for owners.` */
export const WHO_MAY: Readonly<Record<OperatorRole, string>> = {
  owner: 'owners',
  staff: 'owners and staff',
  reader: 'everybody',
};
