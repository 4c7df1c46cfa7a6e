/** Something that happened to a mail after it was handed over. */
export interface DeliveryReport {
  readonly kind: 'bounce' | 'complaint';
  readonly address: string;
  /** The mail's own id, if the report names it. */
  readonly mailId: string | undefined;
  readonly detail: string;
}

const UUID = /<([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@/i;
const MOST_RECIPIENTS = 50;

/**
 * Reads a report from a mail server: a delivery status notification (RFC 3464) about a permanent failure, or
 * a complaint (RFC 5965). Delays and all other mails are ignored.
 */
export function readBounceMail(raw: string): DeliveryReport[] {
  const text = raw.replaceAll('\r\n', '\n');
  const mailId = UUID.exec(/^Message-ID:[^\n]*(?:\n[ \t][^\n]*)*/gim.exec(originalOf(text))?.[0] ?? '')?.[1];
  const complaint = part(text, 'message/feedback-report');
  if (complaint !== undefined) {
    const address = addressOf(field(complaint, 'Original-Rcpt-To'));
    return address === undefined
      ? []
      : [{ kind: 'complaint', address, mailId, detail: field(complaint, 'Feedback-Type') }];
  }
  const status = part(text, 'message/delivery-status');
  if (status === undefined) return [];
  return status
    .split(/\n[ \t]*\n/)
    .slice(0, MOST_RECIPIENTS)
    .flatMap((group) => {
      const address = addressOf(field(group, 'Original-Recipient') || field(group, 'Final-Recipient'));
      const failed =
        field(group, 'Action').toLowerCase() === 'failed' && field(group, 'Status').startsWith('5');
      if (address === undefined || !failed) return [];
      const detail = `${field(group, 'Status')} ${field(group, 'Diagnostic-Code')}`.trim();
      return [{ kind: 'bounce' as const, address, mailId, detail }];
    });
}

/** The body of the first part of that type, up to the next boundary. */
function part(text: string, type: string): string | undefined {
  const start = text.search(new RegExp(`^Content-Type:\\s*${type}`, 'im'));
  if (start === -1) return undefined;
  const body = text.indexOf('\n\n', start);
  if (body === -1) return undefined;
  const end = text.indexOf('\n--', body);
  return text.slice(body + 2, end === -1 ? undefined : end);
}

/** The returned part of the mail itself: its headers, or all of it. */
function originalOf(text: string): string {
  return part(text, 'message/rfc822') ?? part(text, 'text/rfc822-headers') ?? '';
}

/** A field's value with folded lines joined; empty when the field is missing. */
function field(group: string, name: string): string {
  const found = new RegExp(`^${name}:[ \\t]*([^\\n]*(?:\\n[ \\t][^\\n]*)*)`, 'im').exec(group);
  return (found?.[1] ?? '').replace(/\s+/g, ' ').trim();
}

/** `rfc822; <ada@example.com>` */
function addressOf(value: string): string | undefined {
  const address = value
    .replace(/^[^;]*;/, '')
    .trim()
    .replace(/^<|>$/g, '')
    .toLowerCase();
  return /^[^\s@]+@[^\s@]+$/.test(address) ? address : undefined;
}
