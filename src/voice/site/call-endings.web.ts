const ENDINGS: Readonly<Record<string, string | null>> = {
  'customer-ended-call': null,
  'assistant-ended-call': null,
  'assistant-said-end-call-phrase': null,
  'assistant-ended-call-after-message-spoken': null,
  'silence-timed-out': 'Nobody spoke for a while, so the assistant hung up.',
  'exceeded-max-duration': 'The call had reached its longest time.',
  'worker-shutdown': 'Our server is being restarted. Call again in a minute.',
};
const FAULT = 'Something went wrong at our end. Please call again, or send us an enquiry.';
const CUT = 'The connection was lost. Check your network and call again.';

/**
 * What a caller reads about the end of a call besides the fact; null where nothing needs saying.
 *
 * @param reason the call's ended reason; undefined when the connection broke before it arrived
 */
export function endingWords(reason: unknown, hungUp: boolean): string | null {
  if (hungUp) return null;
  if (typeof reason !== 'string') return CUT;
  return Object.hasOwn(ENDINGS, reason) ? (ENDINGS[reason] ?? null) : FAULT;
}

/** Why a call could not be started, where the platform has a sentence for the caller: all lines are busy. */
export function refusalWords(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const status: unknown = Reflect.get(error, 'status');
  const type: unknown = Reflect.get(Object(Reflect.get(error, 'error')), 'type');
  if (status === 429) return String(Reflect.get(error, 'message'));
  if (type === 'meeting-full') return String(Reflect.get(error, 'errorMsg'));
  return null;
}
