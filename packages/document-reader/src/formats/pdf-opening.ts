import { fileURLToPath } from 'node:url';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
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
