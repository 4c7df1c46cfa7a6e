import { fileTypeFromBuffer } from 'file-type';
import { extractOffice, locked } from './extract-office.server.ts';
import { extractPdf } from './extract-pdf.server.ts';
import { extractText } from './extract-text.server.ts';
import { type ExtractedDocument, UnreadableDocument } from './extracted-document.server.ts';

/** Streams' names in a compound file are UTF-16LE. */
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

/**
 * Reads a document by what its bytes are, not by its name.
 *
 * @throws UnreadableDocument with the sentence for its owner
 */
export async function readFileContent(bytes: Buffer): Promise<ExtractedDocument> {
  const sniffed = await fileTypeFromBuffer(bytes);
  switch (sniffed?.ext) {
    case 'pdf':
      return extractPdf(new Uint8Array(bytes));
    case 'docx':
    case 'docm':
      return extractOffice(bytes, 'docx');
    case 'odt':
      return extractOffice(bytes, 'odt');
    case 'rtf':
      return extractOffice(bytes, 'rtf');
    case 'cfb':
      if (bytes.includes(ENCRYPTED_PACKAGE)) throw locked();
      throw new UnreadableDocument(
        'unsupported',
        'Old Word files (.doc) cannot be read yet. Save the document as PDF or DOCX and upload that.',
      );
    case 'zip':
      throw new UnreadableDocument(
        'corrupt',
        'This file is not a document that can be read. Save it again as PDF or DOCX.',
      );
    case undefined:
      return extractUnknown(bytes);
    default:
      throw new UnreadableDocument('unsupported', 'Pictures and videos are kept but cannot be read yet.');
  }
}

function extractUnknown(bytes: Buffer): ExtractedDocument | Promise<ExtractedDocument> {
  const head = bytes.subarray(0, 1024);
  if (head.includes('%PDF-')) return extractPdf(new Uint8Array(bytes));
  if (head.subarray(0, 5).toString('latin1') === '{\\rtf') return extractOffice(bytes, 'rtf');
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (bytes.includes(0) && !isUtf16) {
    throw new UnreadableDocument(
      'unsupported',
      'This file is not text that can be read. Save it as PDF or DOCX and upload that.',
    );
  }
  return extractText(bytes);
}
