import { createRequire } from 'node:module';
import type { FieldsData } from '@kenjiuno/msgreader/lib/MsgReader.js';
import iconv from 'iconv-lite';
import { UnreadableDocument } from '../contract/extracted-document.ts';
import type { Mail } from './message-extraction.ts';

/** A folder that every message of Outlook has, as the file stores its name (MS-OXMSG §2.2.3). */
const NAMED_PROPERTIES = Buffer.from('__nameid_version1.0', 'utf16le');
const UTF_8 = 65_001;

/** Whether a compound file is a message, whatever documents are attached to it. */
export function isOutlookMessage(bytes: Buffer): boolean {
  return bytes.includes(NAMED_PROPERTIES);
}

/**
 * Opens a message that Outlook stored. A text that it stores only as RTF is left out.
 *
 * @throws UnreadableDocument `corrupt`
 */
export function openOutlookMessage(bytes: Buffer): Mail {
  // The package is CommonJS, and its default export is a property of it.
  const { default: MsgReader } = createRequire(import.meta.url)(
    '@kenjiuno/msgreader',
  ) as typeof import('@kenjiuno/msgreader');
  const reader = new MsgReader(new Uint8Array(bytes).buffer);
  const read = <T>(work: () => T): T => {
    try {
      return work();
    } catch {
      throw damaged();
    }
  };
  const message = read(() => reader.getFileData());
  if (message.error !== undefined) throw damaged();
  const { recipients = [], attachments = [] } = message;
  const people = (kind: 'to' | 'cc') =>
    recipients
      .filter(({ recipType = 'to' }) => recipType === kind)
      .map(({ name, smtpAddress, email }) => personOf(name, smtpAddress ?? email));
  return {
    subject: message.subject ?? '',
    from: personOf(message.senderName, message.senderSmtpAddress ?? message.senderEmail),
    to: people('to'),
    cc: people('cc'),
    date: message.messageDeliveryTime ?? message.clientSubmitTime ?? '',
    headers: [{ key: 'date', value: /^date:(.*)$/im.exec(message.headers ?? '')?.[1]?.trim() ?? '' }],
    text: message.body ?? '',
    html: htmlOf(message),
    attachments: attachments.map((each) => {
      const { fileName, content } = read(() => reader.getAttachment(each));
      return {
        filename: fileName || each.name || null,
        mimeType: each.attachMimeTag ?? 'application/octet-stream',
        related: each.attachmentHidden === true,
        content,
      };
    }),
  };
}

/** An address of the sender's own company is a path in its directory, not an address. */
const personOf = (name = '', address = '') => ({ name, address: address.startsWith('/') ? '' : address });

function htmlOf({ bodyHtml, html, internetCodepage = UTF_8 }: FieldsData): string {
  if (bodyHtml !== undefined || html === undefined) return bodyHtml ?? '';
  const encoding = internetCodepage === UTF_8 ? 'utf-8' : `cp${internetCodepage}`;
  return iconv.decode(Buffer.from(html), iconv.encodingExists(encoding) ? encoding : 'windows-1252');
}

const damaged = (): UnreadableDocument =>
  new UnreadableDocument(
    'corrupt',
    'This message is damaged and cannot be read. Save it again in Outlook, or as EML, and upload the new copy.',
  );
