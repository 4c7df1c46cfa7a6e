/** What to do about a mail that could not be handed over. */
export type Refusal =
  /** A temporary failure, or a wrong configuration such as the password: the mail waits. */
  | 'again'
  /** The server will never accept this mail; the address may still be valid. */
  | 'never'
  /** The address does not accept mails (RFC 3463 class 5.1). */
  | 'bounced';

/** As nodemailer reports it. */
interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/**
 * SMTP codes that, as replies to RCPT, concern the mailbox, unless an enhanced code says otherwise (RFC 5321
 * §4.2.3).
 */
const MAILBOX_CODES = new Set([550, 551, 553]);

/**
 * Distinguishes a refused address from a refused mail, and both from a temporary failure
 * (docs/contracts/documents.md §7.6).
 */
export function judgeRefusal(error: SmtpError): Refusal {
  const { command = '', responseCode = 0, response = '' } = error;
  if (responseCode < 500) return 'again';
  const enhanced = /\b5\.(\d{1,3})\.\d{1,3}\b/.exec(response)?.[1];
  if (command === 'RCPT TO') {
    // 5.1: addressing; 5.2.1: mailbox disabled. 5.7 is policy: the server does not want the sender, and the
    // address is fine.
    const aboutAddress =
      enhanced === undefined ? MAILBOX_CODES.has(responseCode) : isAddressing(enhanced, response);
    return aboutAddress ? 'bounced' : 'never';
  }
  return command === 'DATA' ? 'never' : 'again';
}

const isAddressing = (subject: string, response: string): boolean =>
  subject === '1' || /\b5\.2\.1\b/.test(response);
