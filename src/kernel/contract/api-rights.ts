/**
 * Every right that an API key can have. A key never allows more than its owner's account does, and a right to write
 * includes no right to read.
 */
export const API_RIGHTS = [
  'documents:read',
  'documents:write',
  'enquiries:read',
  'enquiries:write',
  'bookings:read',
  'bookings:write',
  'calls:read',
  'customers:read',
  'messages:read',
  'messages:write',
] as const;
export type ApiRight = (typeof API_RIGHTS)[number];

/** What each right allows, as its owner reads it. */
export const RIGHT_WORDS: Readonly<Record<ApiRight, string>> = {
  'documents:read': 'Read and search your documents and their reports',
  'documents:write': 'Correct values, mark bills as paid, have documents read again',
  'enquiries:read': 'Read enquiries',
  'enquiries:write': 'Answer, assign and note enquiries',
  'bookings:read': 'Read bookings and free times',
  'bookings:write': 'Book, move and cancel calls with a colleague',
  'calls:read': 'Read calls and what was said in them',
  'customers:read': 'Read customers, their plans and credits',
  'messages:read': 'Read messages with customers',
  'messages:write': 'Write messages to customers',
};

/** The rights that every account can give a key; the others need an operator's account. */
export const CUSTOMER_RIGHTS: readonly ApiRight[] = ['documents:read', 'documents:write'];

/** The start of every API key. No token and no other key of the product begins like this. */
export const API_KEY_PREFIX = 'nlk_';

/**
 * The functions that accept an API key, each with the right that it needs; by `do` of the body where one function does
 * several things. Every other address refuses API keys.
 */
export const FUNCTION_RIGHTS: Readonly<Record<string, ApiRight | Readonly<Record<string, ApiRight>>>> = {
  'list-documents': 'documents:read',
  'read-document': 'documents:read',
  'search-documents': 'documents:read',
  'similar-documents': 'documents:read',
  'compare-documents': 'documents:read',
  'ask-documents': 'documents:read',
  'analysis-queue': 'documents:read',
  'list-invoices': 'documents:read',
  'correct-fact': 'documents:write',
  'mark-invoice': 'documents:write',
  analyze: 'documents:write',
  'operator-enquiries': 'enquiries:read',
  'operator-bookings': 'bookings:read',
  'operator-free-times': 'bookings:read',
  'operator-book-call': 'bookings:write',
  'operator-move-booking': 'bookings:write',
  'operator-calls': 'calls:read',
  'operator-call': 'calls:read',
  'operator-customers': 'customers:read',
  'operator-customer': 'customers:read',
  'operator-threads': 'messages:read',
  'operator-thread': 'messages:read',
  'operator-send-message': 'messages:write',
  'operator-act': {
    'enquiry.reply': 'enquiries:write',
    'enquiry.replied': 'enquiries:write',
    'enquiry.note': 'enquiries:write',
    'enquiry.assign': 'enquiries:write',
    'enquiry.not_suspect': 'enquiries:write',
    'booking.cancel': 'bookings:write',
  },
};

/** The right that an API key needs for a call of a function; undefined where no key is accepted. */
export function rightOfFunction(name: string, body: unknown): ApiRight | undefined {
  const right = Object.hasOwn(FUNCTION_RIGHTS, name) ? FUNCTION_RIGHTS[name] : undefined;
  if (right === undefined || typeof right === 'string') return right;
  const action = (body as { do?: unknown } | null | undefined)?.do;
  return typeof action === 'string' && Object.hasOwn(right, action) ? right[action] : undefined;
}

/** Whether a right changes something: such calls are recorded. */
export const isWriting = (right: ApiRight): boolean => right.endsWith(':write');
