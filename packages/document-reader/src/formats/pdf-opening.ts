import { fileURLToPath } from 'node:url';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { UnreadableDocument, WRONG_PASSWORD } from '../contract/extracted-document.ts';
import { MAX_PIXELS } from '../ocr/picture.ts';

const asset = (folder: string): string => fileURLToPath(import.meta.resolve(`pdfjs-dist/${folder}/`));

/**
 * Opens a PDF with pdf.js for text and pixels, without canvas, worker or network.
 *
 * @param maxImageSize pixels; pdf.js leaves larger pictures out
 */
export function openPdf(
  bytes: Uint8Array,
  password?: string,
  maxImageSize: number = MAX_PIXELS,
): Promise<PDFDocumentProxy> {
  return getDocument({
    data: bytes,
    ...(password === undefined ? {} : { password }),
    // For XFA forms, pdf.js builds the layout, and we read its text.
    enableXfa: true,
    // Warnings say which pictures were left out; nothing else goes to the console.
    verbosity: 1,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    cMapUrl: asset('cmaps'),
    standardFontDataUrl: asset('standard_fonts'),
    wasmUrl: asset('wasm'),
    maxImageSize,
  }).promise;
}

/**
 * Opens a customer's PDF, which may be locked or damaged.
 *
 * @throws UnreadableDocument `password_required`, `corrupt`
 */
export async function unlockPdf(bytes: Uint8Array, password: string | undefined): Promise<PDFDocumentProxy> {
  try {
    return await openPdf(bytes, password);
  } catch (error) {
    if ((error as Error).name !== 'PasswordException') throw damagedPdf(error);
    throw new UnreadableDocument(
      'password_required',
      password === undefined
        ? 'This PDF is locked with a password. Type the password on the page of its report, or upload a copy without it.'
        : WRONG_PASSWORD,
    );
  }
}

/** The refusal of a PDF that cannot be read. */
export function damagedPdf(cause?: unknown): UnreadableDocument {
  const error = new UnreadableDocument(
    'corrupt',
    'This PDF is damaged and cannot be read. Open it in a PDF reader, save it again and upload the new copy.',
  );
  if (cause !== undefined) error.cause = cause;
  return error;
}
