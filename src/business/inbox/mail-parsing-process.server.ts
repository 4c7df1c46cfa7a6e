import { createHash } from 'node:crypto';
import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { serveWorkerRequests } from '../../kernel/concurrency/worker-server.server.ts';

/** A file of a mail. */
export interface MailFile {
  readonly name: string;
  /** As the sender declared it, lower case; often wrong. */
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** A mail, taken apart. */
export interface ParsedMail {
  /** Addresses of the header From, lower case. */
  readonly from: readonly string[];
  readonly subject: string;
  /** With its angle brackets; empty without one. */
  readonly messageId: string;
  /** In the order of the mail, the newest trace first; names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly files: readonly MailFile[];
  /** SHA-256 of what the sender wrote, without what mail servers add on the way; hex. */
  readonly digest: string;
}

/** Deepest nesting of parts in parts. */
const MOST_DEPTH = 30;
/** Deepest nesting of mails in mails whose attachments are taken. */
const MOST_MAILS_DEEP = 3;
/** Smaller pictures inside the text are logos and signatures, bytes. As in the reader's `message-extraction.ts`. */
const LEAST_PICTURE = 60 * 1024;
/** Parts that mail programs add, and nobody sends as a document. */
const BY_PROGRAMS = new Set([
  'application/pgp-signature',
  'application/pkcs7-signature',
  'application/x-pkcs7-signature',
  'text/calendar',
  'application/ics',
]);

/** Parses a mail in a thread that can be ended: a mail from a stranger may be made to take long. */
serveWorkerRequests(
  async ({ raw }: { raw: Uint8Array }): Promise<ParsedMail> => {
    const message = await parse(raw);
    const files = await filesOf(message, 0);
    const own = files.length > 0 || !saysSomething(message) ? files : [asFile(message, raw)];
    return {
      from: addressesOf(message),
      subject: message.subject ?? '',
      messageId: message.messageId ?? '',
      headers: message.headers.map(({ key, value }) => [key.toLowerCase(), value] as const),
      files: own,
      digest: digestOf(message, files),
    };
  },
  ({ files }) => files.map(({ bytes }) => bytes.buffer as ArrayBuffer),
);

const parse = (raw: Uint8Array): Promise<Email> =>
  PostalMime.parse(raw, { maxNestingDepth: MOST_DEPTH, forceRfc822Attachments: true });

function addressesOf({ from }: Email): string[] {
  const boxes = from === undefined ? [] : 'group' in from && from.group ? from.group : [from];
  return boxes.flatMap(({ address }) => (address ? [address.toLowerCase()] : []));
}

const saysSomething = ({ text, html }: Email): boolean => `${text ?? ''}${html ?? ''}`.trim() !== '';

/** Its attachments; those of an attached mail in that mail's place. */
async function filesOf({ attachments }: Email, depth: number): Promise<MailFile[]> {
  const files: MailFile[] = [];
  for (const each of attachments) {
    const mimeType = each.mimeType.toLowerCase();
    if (BY_PROGRAMS.has(mimeType) || isDecoration(each)) continue;
    // A copy, as attachments may share their memory, and each one's is handed over.
    const bytes = copyOf(each);
    if (mimeType === 'message/rfc822' && depth < MOST_MAILS_DEEP) {
      const inner = await parse(bytes);
      const within = await filesOf(inner, depth + 1);
      files.push(...(within.length > 0 ? within : [asFile(inner, bytes)]));
    } else files.push({ name: each.filename ?? '', mimeType, bytes });
  }
  return files;
}

/** A mail without attachments as a document. */
function asFile({ subject }: Email, raw: Uint8Array): MailFile {
  return { name: `${subject?.trim() || 'Mail'}.eml`, mimeType: 'message/rfc822', bytes: raw.slice() };
}

function isDecoration(each: Attachment): boolean {
  return each.related === true && each.mimeType.startsWith('image/') && copyOf(each).length < LEAST_PICTURE;
}

function copyOf({ content }: Attachment): Uint8Array {
  if (typeof content === 'string') return new TextEncoder().encode(content);
  return new Uint8Array(content).slice();
}

function digestOf({ messageId, date, from, subject, text, html }: Email, files: readonly MailFile[]): string {
  const hash = createHash('sha256');
  const parts = [messageId, date, from?.address, subject, text, html];
  hash.update(JSON.stringify(parts.map((part) => part ?? '')));
  for (const { name, bytes } of files)
    hash.update(JSON.stringify([name, createHash('sha256').update(bytes).digest('hex')]));
  return hash.digest('hex');
}
