import { decoded } from './setting-rules.ts';

/** The parts of SMS_URL: the provider's address, credentials, and the number that text messages come from. */
export interface SmsAccount {
  readonly origin: string;
  readonly sid: string;
  readonly token: string;
  /** An E.164 number, or the id of a messaging service (`MG…`). */
  readonly from: string;
}

/**
 * Reads `https://SID:TOKEN@api.twilio.com?from=+15550100`. A returned text is the end of a sentence that says
 * what is wrong.
 */
export function readSmsUrl(text: string): SmsAccount | string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return 'must be an address like https://SID:TOKEN@api.twilio.com?from=+15550100';
  }
  if (url.username === '' || url.password === '') return "must carry the account's id and token";
  // In a query string a plus sign means a space, but operators write the number with its plus.
  const from = (url.searchParams.get('from') ?? '').trim().replace(/^(?=\d)/, '+');
  if (!/^(\+[1-9]\d{1,14}|MG[\da-f]{32})$/.test(from)) {
    return 'must name the sender: ?from=+15550100, or the id of a messaging service';
  }
  const [sid, token] = [decoded(url.username), decoded(url.password)];
  if (sid === undefined || token === undefined) return 'must have its id and token percent-encoded';
  return { origin: url.origin, sid, token, from };
}
