const TYPES: Readonly<Record<string, string>> = {
  webCall: 'Browser',
  inboundPhoneCall: 'Telephone, they called',
  outboundPhoneCall: 'Telephone, we called',
};
const STATES: Readonly<Record<string, string>> = {
  scheduled: 'Planned',
  queued: 'Begins',
  ringing: 'Rings',
  'in-progress': 'Talking',
  forwarding: 'Put through',
  ended: 'Ended',
};
const REASONS: Readonly<Record<string, string>> = {
  'customer-ended-call': 'Caller hung up',
  'customer-did-not-answer': 'Nobody answered',
  'customer-busy': 'Busy',
  voicemail: 'Answering machine',
  'assistant-ended-call': 'Assistant said goodbye',
  'assistant-said-end-call-phrase': 'Assistant said goodbye',
  'assistant-ended-call-after-message-spoken': 'Message was spoken',
  'assistant-forwarded-call': 'Put through',
  'silence-timed-out': 'Silence',
  'exceeded-max-duration': 'Longest time reached',
  'manually-canceled': 'Hung up by us',
  'worker-shutdown': 'Server was stopped',
  'call.in-progress.error-vapifault-worker-died': 'Server failed',
};
const SECOND = 1000;

/** The words for a call's type. */
export const typeWords = (type: string): string => TYPES[type] ?? type;

/** The words for a call's state. */
export const stateWords = (status: string): string => STATES[status] ?? status;

/** The words for the reason why a call ended; the API's name where there are none. */
export const reasonWords = (reason: string): string => REASONS[reason] ?? reason;

/** The time between two moments as `2:05`, minutes and seconds; empty where one of them is not known. */
export function lengthOf(from: string | null, to: string | null): string {
  if (from === null || to === null) return '';
  return clock((Date.parse(to) - Date.parse(from)) / SECOND);
}

/** Seconds as `2:05`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** US dollars; below one dollar with four digits, since a call costs cents. */
export const money = (dollars: number): string => `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`;

/** An evaluation in the form of its rubric; true and false in words. */
export function successWords(success: string | null): string | null {
  if (success === 'true') return 'Wish met';
  return success === 'false' ? 'Wish not met' : success;
}
