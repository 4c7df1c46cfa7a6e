import type { Address, Attachment, Email } from 'postal-mime';
import { BlockList, cleanText, type ExtractedDocument, type Row } from '../contract/extracted-document.ts';
import { textRows } from '../layout/spanned-cells.ts';
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

/**
 * Reads a mail: subject, sender, receivers, date, text, and the names of the attachments, which are not read themselves.
 *
 * @throws UnreadableDocument `no_text` for a mail without text
 */
export async function extractMessage(bytes: Buffer): Promise<ExtractedDocument> {
  // Loaded only when a mail is read.
  const { default: PostalMime } = await import('postal-mime');
  const message = await PostalMime.parse(bytes, { maxNestingDepth: MOST_DEPTH });
  const list = new BlockList();
  const rows: Row[] = [];
  const subject = cleanText(message.subject ?? '').trim();
  list.add({ type: 'heading', level: 1, text: subject });
  for (const line of headLines(message)) {
    list.add({ type: 'para', text: line });
    rows.push(...textRows(line));
  }
  addBody(message, { list, rows });
  const attached = message.attachments.filter(({ disposition }) => disposition !== 'inline');
  for (const each of attached) list.add({ type: 'list', text: cleanText(`Attached: ${nameOf(each)}`) });
  return unpagedDocument(list, {
    title: subject || undefined,
    rows,
    warnings:
      attached.length === 0
        ? []
        : [
            {
              code: 'attachments_unread',
              text: `${attached.length === 1 ? 'One attachment of this message is' : `${attached.length} attachments of this message are`} listed, but not read. To have one read, upload it by itself.`,
            },
          ],
  });
}

function headLines({ from, to = [], cc = [], date }: Email): string[] {
  const people = (label: string, list: readonly Address[]): string[] =>
    list.length === 0 ? [] : [cleanText(`${label}: ${list.map(personOf).join(', ')}`).slice(0, 2000)];
  const sent = date === undefined || Number.isNaN(Date.parse(date)) ? [] : [`Date: ${dayOf(date)}`];
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

const dayOf = (date: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(
    new Date(date),
  );

/** Adds the plain text, which the sender wrote; the HTML only if there is no plain text. */
function addBody({ text, html }: Email, gathered: { list: BlockList; rows: Row[] }): void {
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

function nameOf({ filename, mimeType, content }: Attachment): string {
  const bytes = typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength;
  const size =
    bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  return `${filename ?? 'without a name'} (${mimeType}, ${size})`;
}
