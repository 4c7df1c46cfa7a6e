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

/** By what a call came. */
export const typeWords = (type: string): string => TYPES[type] ?? type;

/** Where a call is. */
export const stateWords = (status: string): string => STATES[status] ?? status;

/** Why a call ended; the name on the wire where there are no better words. */
export const reasonWords = (reason: string): string => REASONS[reason] ?? reason;

/** `2:05`, minutes and seconds between two times; empty where one of them is not known. */
export function lengthOf(from: string | null, to: string | null): string {
  if (from === null || to === null) return '';
  return clock((Date.parse(to) - Date.parse(from)) / SECOND);
}

/** `2:05`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** US dollars; four digits, as one call costs cents. */
export const money = (dollars: number): string => `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`;

/** An evaluation as its rubric gave it; true and false in words. */
export function successWords(success: string | null): string | null {
  if (success === 'true') return 'Wish met';
  return success === 'false' ? 'Wish not met' : success;
}
