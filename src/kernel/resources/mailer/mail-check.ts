import type { Mail } from './mail-queue.ts';

// One address and nothing else: no list, no display name, no control character (ASVS 1.3.11).
const ADDRESS = /^[^\s@<>"(),:;\\[\]\p{Cc}]{1,64}@[^\s@<>"(),:;\\\p{Cc}]{1,255}$/u;
const MESSAGE_ID = /^<[^\s<>\p{Cc}]{1,498}>$/u;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const MAX_SUBJECT = 200;
const MAX_BODY = 500_000;

/** Addresses of demo customers end so; no such domain can exist (RFC 2606). */
export const DEMO_DOMAIN = 'demo.invalid';

/** Whether an address is that of a demo customer, who gets no mail. */
export const isDemoAddress = (address: string): boolean =>
  address.trimEnd().toLowerCase().endsWith(`.${DEMO_DOMAIN}`);

/** Whether a text is exactly one mail address that is safe in a header. */
export function isMailAddress(text: string): boolean {
  return text.length <= 254 && ADDRESS.test(text);
}

/** Whether a text is one Message-ID with its angle brackets, and is safe in a header. */
export function isMessageId(text: string): boolean {
  return MESSAGE_ID.test(text);
}

/**
 * Returns the mail after checking that no field can break out of its header.
 *
 * @throws Error when the recipient, the reply address or the subject could inject a header
 */
export function checkedMail(mail: Mail): Mail {
  if (!isMailAddress(mail.to)) throw new Error('The recipient of a mail is not one address.');
  if (mail.replyTo !== undefined && !isMailAddress(mail.replyTo)) {
    throw new Error('The reply address of a mail is not one address.');
  }
  if (mail.inReplyTo !== undefined && !isMessageId(mail.inReplyTo)) {
    throw new Error('The Message-ID that a mail answers is not one.');
  }
  if (CONTROL.test(mail.subject) || mail.subject.length > MAX_SUBJECT) {
    throw new Error('The subject of a mail has a line break or is too long.');
  }
  if ([mail.text, mail.html, mail.calendar ?? ''].some((body) => body.length > MAX_BODY))
    throw new Error('A mail is too long.');
  return mail;
}
