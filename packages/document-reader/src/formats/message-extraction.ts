import type { Address, Attachment, Email } from 'postal-mime';
import {
  BlockList,
  cleanText,
  type ExtractedAttachment,
  type ExtractedDocument,
  type Row,
  UnreadableDocument,
} from '../contract/extracted-document.ts';
import { textRows } from '../layout/spanned-cells.ts';
import type { OcrSession } from '../ocr/ocr-session.ts';
import { addHtml } from './html-extraction.ts';
import { unpagedDocument } from './office-extraction.ts';

const HEADERS =
  /^(?:received|return-path|delivered-to|from|to|cc|subject|date|message-id|mime-version|content-type|reply-to|in-reply-to|references|dkim-signature|x-[\w-]+|arc-[\w-]+):/gim;
const LEAST_HEADERS = 3;
/** Deepest nesting of messages in messages and of parts in parts. */
const MOST_DEPTH = 30;

/** Whether a file of no other known format begins like a mail: headers, with a sender among them, and an empty line. */
export function isMessage(head: string): boolean {
  const end = /\r?\n\r?\n/.exec(head)?.index ?? head.length;
  const headers = head.slice(0, end);
  if (!/^[\w-]+:[ \t]?/.test(headers) || !/^from:/im.test(headers)) return false;
  return new Set((headers.match(HEADERS) ?? []).map((name) => name.toLowerCase())).size >= LEAST_HEADERS;
}

/** Reads a file inside a mail, as `readFileContent` does. */
type ReadFile = (bytes: Buffer, session: OcrSession) => Promise<ExtractedDocument>;

/** Most attachments that are read; further ones are listed. */
const MOST_READ = 20;
/** Smaller pictures inside the text are logos and signatures, bytes. */
const LEAST_PICTURE = 60 * 1024;

/**
 * Reads a mail: subject, sender, receivers, date, text, and its attachments, each as a document of its own. Attachments of
 * a mail that is attached itself are listed only.
 *
 * @param readFile reads an attachment; undefined if attachments are listed only
 * @throws UnreadableDocument `no_text` for a mail without text and without a readable attachment
 */
export async function extractMessage(
  bytes: Buffer,
  session: OcrSession,
  readFile: ReadFile | undefined,
): Promise<ExtractedDocument> {
  // Loaded only when a mail is read.
  const { default: PostalMime } = await import('postal-mime');
  return readMail(await PostalMime.parse(bytes, { maxNestingDepth: MOST_DEPTH }), session, readFile);
}

/**
 * Reads a mail that Outlook stored (.msg) like any other.
 *
 * @throws UnreadableDocument `corrupt`, and as `extractMessage` does
 */
export async function extractOutlook(
  bytes: Buffer,
  session: OcrSession,
  readFile: ReadFile | undefined,
): Promise<ExtractedDocument> {
  const { openOutlookMessage } = await import('./outlook-message.ts');
  return readMail(openOutlookMessage(bytes), session, readFile);
}

/** The parts of a mail that are read. */
export type Mail = Pick<Email, 'subject' | 'from' | 'to' | 'cc' | 'date' | 'text' | 'html'> & {
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly attachments: readonly Pick<Attachment, 'filename' | 'mimeType' | 'related' | 'content'>[];
};
type Attached = Mail['attachments'][number];

async function readMail(
  message: Mail,
  session: OcrSession,
  readFile: ReadFile | undefined,
): Promise<ExtractedDocument> {
  const list = new BlockList();
  const rows: Row[] = [];
  const subject = cleanText(message.subject ?? '').trim();
  list.add({ type: 'heading', level: 1, text: subject });
  for (const line of headLines(message)) {
    list.add({ type: 'para', text: line });
    rows.push(...textRows(line));
  }
  addBody(message, { list, rows });
  const attached = message.attachments.filter((each) => !isDecoration(each));
  for (const each of attached) list.add({ type: 'list', text: cleanText(`Attached: ${nameOf(each)}`) });
  const ownBlocks = list.blocks.length;
  const attachments: ExtractedAttachment[] = [];
  for (const each of attached.slice(0, readFile === undefined ? 0 : MOST_READ))
    attachments.push(await readAttachment(each, { list, session, readFile }));
  const unread = attached.length - attachments.filter(({ document }) => document !== undefined).length;
  return {
    ...unpagedDocument(list, { title: subject || undefined, rows, warnings: unreadWarning(unread) }),
    ownBlocks,
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

/** Whether an attachment is a small picture that the text shows: a logo, a signature. */
function isDecoration({ related, mimeType, content }: Attached): boolean {
  return related === true && mimeType.startsWith('image/') && bytesOf(content).length < LEAST_PICTURE;
}

function unreadWarning(count: number): ExtractedDocument['warnings'] {
  if (count === 0) return [];
  const what = count === 1 ? 'One attachment of this message is' : `${count} attachments of this message are`;
  return [
    {
      code: 'attachments_unread',
      text: `${what} listed, but not read. To have one read, upload it by itself.`,
    },
  ];
}

/** Reads an attachment, and adds its text below the mail's, without pages, as the mail has none. */
async function readAttachment(
  attachment: Attached,
  { list, session, readFile }: { list: BlockList; session: OcrSession; readFile: ReadFile | undefined },
): Promise<ExtractedAttachment> {
  const name = cleanText(attachment.filename ?? 'Attachment without a name').slice(0, 300);
  try {
    // Page 1 of one attachment is not page 1 of another.
    const own = { ...session, recall: () => undefined };
    const document = await readFile?.(bytesOf(attachment.content), own);
    if (document === undefined) return { name, document };
    list.add({ type: 'heading', level: 1, text: name });
    const blocks = document.blocks.flatMap(({ id: _, page, ...block }) => {
      const before = list.blocks.length;
      list.add(block);
      return list.blocks.slice(before).map((added) => (page === undefined ? added : { ...added, page }));
    });
    return { name, document: { ...document, blocks } };
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error;
    return { name, document: undefined, reason: error.message };
  }
}

const bytesOf = (content: Attachment['content']): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content));

function headLines({ from, to = [], cc = [], date, headers }: Mail): string[] {
  const people = (label: string, list: readonly Address[]): string[] =>
    list.length === 0 ? [] : [cleanText(`${label}: ${list.map(personOf).join(', ')}`).slice(0, 2000)];
  const written = headers.find(({ key }) => key === 'date')?.value ?? '';
  const sent = date === undefined || Number.isNaN(Date.parse(date)) ? [] : [`Date: ${dayOf(date, written)}`];
  return [
    ...people('From', from === undefined ? [] : [from]),
    ...people('To', to),
    ...people('Cc', cc),
    ...sent,
  ];
}

function personOf({ name, address }: Address): string {
  if (address === undefined || address === '') return name;
  return name === '' || name === address ? address : `${name} <${address}>`;
}

/**
 * The time as its sender's clock showed it, with the zone.
 *
 * @param date ISO 8601
 * @param written the header, such as `Mon, 2 Mar 2026 09:59:00 +0100` (RFC 5322 §3.3)
 */
function dayOf(date: string, written: string): string {
  const [, sign = '+', hours = '00', minutes = '00'] =
    /([+-])(\d\d)(\d\d)\s*(?:\([^()]*\)\s*)?$/.exec(written) ?? [];
  const shift = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const shown = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(new Date(Date.parse(date) + shift * 60_000));
  return `${shown} ${shift === 0 ? 'UTC' : `UTC${sign}${hours}:${minutes}`}`;
}

/** Adds the plain text, which the sender wrote; the HTML only if there is no plain text. */
function addBody({ text, html }: Mail, gathered: { list: BlockList; rows: Row[] }): void {
  const plain = cleanText((text ?? '').replace(/\r\n?/g, '\n')).trim();
  if (plain === '') {
    if (html !== undefined) addHtml(html, gathered);
    return;
  }
  for (const part of plain.split(/\n[^\S\n]*\n+/)) {
    gathered.list.add({ type: 'para', text: part });
    gathered.rows.push(...textRows(part));
  }
}

function nameOf({ filename, mimeType, content }: Attached): string {
  const bytes = bytesOf(content).length;
  const size =
    bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  return `${filename ?? 'without a name'} (${mimeType}, ${size})`;
}
