import { fileTypeFromBuffer } from 'file-type';
import { type ExtractedDocument, UnreadableDocument } from '../contract/extracted-document.ts';
import type { OcrSession } from '../ocr/ocr-session.ts';
import { extractHtml, isHtml } from './html-extraction.ts';
import { extractMessage, extractOutlook, isMessage } from './message-extraction.ts';
import { extractLocked, extractOffice } from './office-extraction.ts';
import { extractOldWord } from './old-word-extraction.ts';
import { isOutlookMessage } from './outlook-message.ts';
import { decodeText, extractText } from './text-extraction.ts';
import { extractXml } from './xml-extraction.ts';

/** In UTF-16LE, as a compound file stores the names of its streams. */
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');
const WORD_STREAM = Buffer.from('WordDocument', 'utf16le');

/** The root element of an e-invoice. XML 1.0 does not require the declaration `<?xml …?>` before it. */
const INVOICE_ROOT =
  /^(?:\xef\xbb\xbf)?\s*(?:<(?:\?[^>]*\?|!--(?:[^-]|-(?!->))*--)>\s*)*<(?:[\w.-]+:)?(?:Invoice|CreditNote|CrossIndustry(?:Invoice|Document))[\s>]/;

/** Large libraries are loaded only when a document needs them. */
const pictures = () => import('./picture-extraction.ts');
const pdfs = () => import('./pdf-extraction.ts');

/** Number of bytes that suffice to recognise a web page or a mail. */
const HEAD = 16 * 1024;

/** An attachment of a mail; a mail inside it lists its attachments, and does not read them. */
const readAttached = (bytes: Buffer, session: OcrSession): Promise<ExtractedDocument> =>
  readByBytes(bytes, session, { attachments: false });

/**
 * Reads a document by its bytes, not by its name.
 *
 * @param password for a locked PDF, Office file or OpenDocument
 * @throws UnreadableDocument with a sentence for the document's owner
 */
export function readFileContent(
  bytes: Buffer,
  session: OcrSession,
  password?: string,
): Promise<ExtractedDocument> {
  return readByBytes(bytes, session, { password, attachments: true });
}

interface ReadOptions {
  readonly password?: string | undefined;
  /** Whether attachments are read too. */
  readonly attachments: boolean;
}

async function readByBytes(
  bytes: Buffer,
  session: OcrSession,
  options: ReadOptions,
): Promise<ExtractedDocument> {
  const { password } = options;
  const kind = (await fileTypeFromBuffer(bytes))?.ext;
  switch (kind) {
    case 'pdf':
      return (await pdfs()).extractPdf(new Uint8Array(bytes), session, password);
    case 'docx':
    case 'docm':
      return extractOffice(bytes, 'docx', { session, password });
    case 'odt':
    case 'rtf':
    case 'xlsx':
    case 'ods':
    case 'pptx':
    case 'odp':
      return extractOffice(bytes, kind, { session, password });
    case 'cfb':
      if (isOutlookMessage(bytes))
        return extractOutlook(bytes, session, options.attachments ? readAttached : undefined);
      if (bytes.includes(ENCRYPTED_PACKAGE)) return extractLocked(bytes, password);
      if (bytes.includes(WORD_STREAM)) return extractOldWord(bytes);
      throw new UnreadableDocument(
        'unsupported',
        'Old Office files other than Word’s cannot be read. Save it as PDF or DOCX and upload that.',
      );
    case 'zip':
      throw new UnreadableDocument(
        'corrupt',
        'This file is not a document that can be read. Save it again as PDF or DOCX.',
      );
    case undefined:
      return extractUnknown(bytes, session, options);
    case 'xml':
      return isHtml(bytes.toString('latin1', 0, HEAD)) ? extractHtml(bytes) : extractXml(bytes);
    case 'jpg':
    case 'png':
    case 'apng':
    case 'webp':
    case 'gif':
    case 'tif':
      return (await pictures()).extractPicture(bytes, kind, session);
    default:
      // A text with the letter G at characters 0 and 188 looks like a video.
      if (!SOURCES.has(kind) && isText(bytes)) return extractUnknown(bytes, session, options);
      throw new UnreadableDocument(
        'unsupported',
        `Files of this kind (${kind.toUpperCase()}) cannot be read. Save it as PDF, DOCX, JPEG or PNG and upload that.`,
      );
  }
}

/** Formats that are written in text, but not to be read as it. */
const SOURCES: ReadonlySet<string> = new Set(['ps', 'eps']);
const TEXT_HEAD = 4096;

/** Whether bytes are text: UTF-8 or a western encoding without control characters. */
function isText(bytes: Buffer): boolean {
  const head = bytes.subarray(0, TEXT_HEAD);
  return !head.some(
    (byte) => (byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte)) || byte === 0x7f,
  );
}

async function extractUnknown(
  bytes: Buffer,
  session: OcrSession,
  { password, attachments }: ReadOptions,
): Promise<ExtractedDocument> {
  const head = bytes.subarray(0, 1024);
  // Some programs write lines before the header.
  const header = head.indexOf('%PDF-');
  if (header >= 0) {
    return (await pdfs()).extractPdf(new Uint8Array(bytes.subarray(header)), session, password);
  }
  if (head.subarray(0, 5).toString('latin1') === '{\\rtf') return extractOffice(bytes, 'rtf', { session });
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (bytes.includes(0) && !isUtf16) {
    throw new UnreadableDocument(
      'unsupported',
      'This file is not text that can be read. Save it as PDF or DOCX and upload that.',
    );
  }
  const start = isUtf16 ? decodeText(bytes.subarray(0, HEAD)).text : bytes.toString('latin1', 0, HEAD);
  if (INVOICE_ROOT.test(start)) return extractXml(bytes);
  if (isHtml(start)) return extractHtml(bytes);
  return isMessage(start)
    ? extractMessage(bytes, session, attachments ? readAttached : undefined)
    : extractText(bytes);
}
