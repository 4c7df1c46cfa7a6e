import { fileURLToPath } from 'node:url';
import { getDocument, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import {
  BlockList,
  cleanText,
  type ExtractedDocument,
  READ_LIMITS,
  type Row,
  UnreadableDocument,
} from './extracted-document.server.ts';
import { linesOf, type PageLines, paragraphsOf } from './pdf-paragraphs.server.ts';
import { pageRows, type TextRun } from './pdf-rows.server.ts';

const asset = (folder: string): string => fileURLToPath(import.meta.resolve(`pdfjs-dist/${folder}/`));
/** Pages with fewer characters than this are a scan or empty (contract §2.5). */
const SCAN_CHARACTERS = 20;
/** Pages that one wall clock may hold; the rest is reported as skipped. */
const READING_BUDGET_MS = 40_000;

/**
 * Reads a PDF: prose in stream order, rows by geometry, form values from the
 * annotations, e-invoice XML from the attachments.
 *
 * @throws UnreadableDocument for a password, an XFA form, or a file without readable text
 */
export async function extractPdf(bytes: Uint8Array): Promise<ExtractedDocument> {
  const document = await open(bytes);
  const pages = document.numPages;
  const started = performance.now();
  const read: PageLines[] = [];
  const rows: Row[] = [];
  const pagesSkipped: { page: number; reason: string }[] = [];
  let failed = 0;
  for (let number = 1; number <= pages && number <= READ_LIMITS.pages; number += 1) {
    if (performance.now() - started > READING_BUDGET_MS || rows.length > READ_LIMITS.rows) {
      pagesSkipped.push({ page: number, reason: 'not read: the document takes too long' });
      break;
    }
    try {
      const page = await document.getPage(number);
      const runs = await textRuns(page);
      const characters = runs.reduce((sum, run) => sum + run.text.trim().length, 0);
      const form = await formValues(page);
      if (characters + form.length === 0)
        pagesSkipped.push({ page: number, reason: 'no text (a scan or empty)' });
      else if (characters < SCAN_CHARACTERS && form.length === 0)
        pagesSkipped.push({ page: number, reason: 'hardly any text (probably a scan)' });
      const [, , , height] = page.view;
      read.push({ page: number, height: height ?? 0, lines: linesOf(runs), form });
      rows.push(...pageRows(number, runs, form));
      page.cleanup();
    } catch (error) {
      failed += 1;
      pagesSkipped.push({ page: number, reason: 'this page is damaged' });
      if (failed > 20 && read.length === 0) throw corrupt(error);
    }
  }
  if (pages > READ_LIMITS.pages) {
    pagesSkipped.push({
      page: READ_LIMITS.pages + 1,
      reason: `only the first ${READ_LIMITS.pages} pages are read`,
    });
  }
  const list = new BlockList();
  for (const block of paragraphsOf(read)) list.add(block);
  const characters = list.blocks.reduce((sum, block) => sum + block.text.length, 0);
  await refuseXfa(document, characters);
  if (characters === 0) throw failed > 0 ? corrupt() : noText();
  const warnings: { code: string; text: string }[] = [];
  if (list.full)
    warnings.push({ code: 'text_limit', text: 'The document is very long: the end of it was left out.' });
  if (isGarbled(list.blocks)) {
    warnings.push({
      code: 'garbled',
      text: 'The fonts of this PDF do not say which letters they draw, so part of the text came out as nonsense.',
    });
  }
  if (failed > 0) warnings.push({ code: 'damaged_pages', text: `${failed} of ${pages} pages are damaged.` });
  return {
    title: await titleOf(document),
    pages,
    blocks: list.blocks,
    rows,
    pagesRead:
      read.length - pagesSkipped.filter((skipped) => read.some(({ page }) => page === skipped.page)).length,
    pagesSkipped,
    warnings,
    invoiceXml: await invoiceXml(document),
  };
}

/** Letters and digits are nearly all of any real text. */
function isGarbled(blocks: readonly { text: string }[]): boolean {
  const text = blocks
    .map((block) => block.text)
    .join('')
    .replace(/\s+/g, '')
    .slice(0, 200_000);
  const letters = text.match(/[\p{L}\p{M}\p{N}]/gu)?.length ?? 0;
  return text.length > 500 && letters / text.length < 0.7;
}

async function open(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  try {
    return await getDocument({
      data: bytes,
      verbosity: 0,
      disableFontFace: true,
      useSystemFonts: false,
      useWorkerFetch: false,
      cMapUrl: asset('cmaps'),
      standardFontDataUrl: asset('standard_fonts'),
      wasmUrl: asset('wasm'),
      maxImageSize: 1,
    }).promise;
  } catch (error) {
    if ((error as Error).name === 'PasswordException') {
      throw new UnreadableDocument(
        'password_required',
        'This PDF is locked with a password. Save a copy without the password and upload it again.',
      );
    }
    throw corrupt(error);
  }
}

async function textRuns(page: PDFPageProxy): Promise<TextRun[]> {
  const { items } = await page.getTextContent();
  const runs: TextRun[] = [];
  for (const item of items) {
    if (!('str' in item)) continue;
    const [a = 0, b = 0, , , x = 0, y = 0] = item.transform as number[];
    // Turned text has its direction in a and b; sideways text is read in stream order only.
    const size = Math.hypot(a, b) || item.height || 1;
    runs.push({ text: cleanText(item.str), x, y, width: item.width, size, endOfLine: item.hasEOL });
  }
  return runs;
}

/** Values typed into form fields: they are not part of the page's text. */
async function formValues(page: PDFPageProxy): Promise<{ label: string; value: string }[]> {
  const annotations = (await page.getAnnotations()) as Record<string, unknown>[];
  const values: { label: string; value: string }[] = [];
  for (const annotation of annotations) {
    const { subtype, fieldValue, fieldName, alternativeText, password } = annotation;
    if (subtype !== 'Widget' || password === true) continue;
    const value = Array.isArray(fieldValue) ? fieldValue.join(', ') : fieldValue;
    if (typeof value !== 'string' || value.trim() === '' || value === 'Off') continue;
    const label = cleanText(String(alternativeText || fieldName || 'Field')).trim();
    values.push({ label: label.slice(0, 200), value: cleanText(value).trim().slice(0, 2000) });
  }
  return values.slice(0, 500);
}

async function refuseXfa(document: PDFDocumentProxy, characters: number): Promise<void> {
  const isXfa = (document as { isPureXfa?: boolean }).isPureXfa === true || document.allXfaHtml !== null;
  if (isXfa && characters < 1500) {
    throw new UnreadableDocument(
      'xfa',
      'This is an XFA form, whose text only Adobe Reader can show. Print it to a new PDF and upload that.',
    );
  }
}

async function titleOf(document: PDFDocumentProxy): Promise<string | undefined> {
  const metadata = await document.getMetadata().catch(() => undefined);
  const title = (metadata?.info as { Title?: unknown } | undefined)?.Title;
  return typeof title === 'string' ? cleanText(title).trim() || undefined : undefined;
}

/** Names that e-invoices give their XML (Factur-X, ZUGFeRD, XRechnung). */
const INVOICE_XML = /(factur-?x|zugferd-?invoice|xrechnung|order-x).*\.xml$/i;
const MAX_XML_BYTES = 2_000_000;

async function invoiceXml(document: PDFDocumentProxy): Promise<string | undefined> {
  const attachments = await document.getAttachments().catch(() => null);
  for (const [id, { filename }] of attachments ?? []) {
    if (!INVOICE_XML.test(filename)) continue;
    const content = (await document.getAttachmentContent(id).catch(() => null)) as Uint8Array | null;
    if (content !== null && content.length <= MAX_XML_BYTES) return new TextDecoder().decode(content);
  }
  return undefined;
}

function corrupt(cause?: unknown): UnreadableDocument {
  const error = new UnreadableDocument(
    'corrupt',
    'This PDF is damaged and cannot be read. Open it in a PDF reader, save it again and upload the new copy.',
  );
  if (cause !== undefined) error.cause = cause;
  return error;
}

function noText(): UnreadableDocument {
  return new UnreadableDocument(
    'no_text',
    'This PDF holds pictures of pages and no text, so there is nothing to read yet. Upload a PDF with a text layer.',
  );
}
