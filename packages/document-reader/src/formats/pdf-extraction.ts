import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import {
  BlockList,
  cleanText,
  type ExtractedDocument,
  READ_LIMITS,
  UnreadableDocument,
} from '../contract/extracted-document.ts';
import { isNonsense } from '../layout/nonsense-text.ts';
import { linesOf, paragraphsOf } from '../layout/page-paragraphs.ts';
import { pageRows, type TextRun } from '../layout/page-rows.ts';
import { repairedRuns } from '../layout/run-repair.ts';
import type { OcrSession } from '../ocr/ocr-session.ts';
import { ocrWarnings } from '../ocr/ocr-warnings.ts';
import { damagedPdf, unlockPdf } from './pdf-opening.ts';
import { type ReadPage, readPictures, withPictures } from './scanned-pages.ts';

/** Processor time for the text layers; pages beyond it are reported as skipped. */
const READING_BUDGET_MS = 40_000;
const MAX_SKIPPED = 2000;

/**
 * Reads a PDF: prose in stream order, rows by geometry, form values from annotations, e-invoice XML from attachments.
 * Pages without a text layer are read from their pictures.
 *
 * @throws UnreadableDocument for a password, an XFA form without text, or a file without readable text
 */
export async function extractPdf(
  bytes: Uint8Array,
  session: OcrSession,
  password?: string,
): Promise<ExtractedDocument> {
  const document = await unlockPdf(bytes, password);
  const pages = document.numPages;
  const text = await readTextLayers(document);
  const pictures = await readPictures(document, text.pages, session, async () => {
    const { openPainter } = await import('../ocr/glyph-painting.ts');
    return openPainter(await document.getData(), password);
  });
  const all = [...withPictures(text.pages, pictures.read)].sort((a, b) => a.lines.page - b.lines.page);
  const pagesSkipped = [...text.skipped, ...pictures.skipped].sort((a, b) => a.page - b.page);
  const list = new BlockList();
  for (const block of paragraphsOf(all.map(({ lines }) => lines))) list.add(block);
  const characters = list.blocks.reduce((sum, block) => sum + block.text.length, 0);
  refuseXfa(document, characters);
  if (characters === 0) throw text.failed > 0 ? damagedPdf() : noText(pagesSkipped);
  const pagesOcr = pictures.read.map(({ reading }) => reading);
  return {
    title: await titleOf(document),
    pages,
    blocks: list.blocks,
    rows: all.flatMap(({ rows }) => rows).slice(0, READ_LIMITS.rows),
    pagesRead: all.length - pictures.skipped.length,
    pagesSkipped,
    pagesBlank: pictures.blank,
    pagesOcr,
    warnings: [
      ...warningsOf(list, { ...text, unread: pictures.nonsense.length, pages }),
      ...ocrWarnings(pagesOcr),
    ],
    invoiceXml: await invoiceXml(document),
  };
}

interface TextLayers {
  readonly pages: ReadPage[];
  readonly skipped: { page: number; reason: string }[];
  readonly failed: number;
}

async function readTextLayers(document: PDFDocumentProxy): Promise<TextLayers> {
  const pages: ReadPage[] = [];
  const skipped: { page: number; reason: string }[] = [];
  const last = Math.min(document.numPages, READ_LIMITS.pages);
  const started = cpuMs();
  let rows = 0;
  let failed = 0;
  for (let number = 1; number <= last; number += 1) {
    if (cpuMs() - started > READING_BUDGET_MS || rows > READ_LIMITS.rows) {
      for (let page = number; page <= last; page += 1)
        skipped.push({ page, reason: 'not read: the document takes too long' });
      break;
    }
    try {
      const page = await readTextLayer(document, number);
      pages.push(page);
      rows += page.rows.length;
    } catch (error) {
      failed += 1;
      skipped.push({ page: number, reason: 'this page is damaged' });
      if (failed > 20 && pages.length === 0) throw damagedPdf(error);
    }
  }
  for (let page = last + 1; page <= Math.min(document.numPages, MAX_SKIPPED); page += 1) {
    skipped.push({ page, reason: `only the first ${READ_LIMITS.pages} pages are read` });
  }
  return { pages, skipped, failed };
}

async function readTextLayer(document: PDFDocumentProxy, number: number): Promise<ReadPage> {
  const page = await document.getPage(number);
  const runs = document.isPureXfa ? await xfaRuns(page) : await textRuns(page);
  const form = await formValues(page);
  const [, , , height] = page.view;
  page.cleanup();
  return {
    lines: { page: number, height: height ?? 0, lines: linesOf(runs), form },
    rows: pageRows(number, runs, form),
    characters: runs.reduce((sum, run) => sum + run.text.trim().length, 0),
    nonsense: isNonsense(runs.map(({ text }) => text).join(' ')),
  };
}

function warningsOf(
  list: BlockList,
  { failed, unread, pages }: { failed: number; unread: number; pages: number },
): { code: string; text: string }[] {
  const warnings: { code: string; text: string }[] = [];
  if (list.full)
    warnings.push({ code: 'text_limit', text: 'The document is very long: the end of it was left out.' });
  if (unread > 0 || isNonsense(list.blocks.map(({ text }) => text).join('\n'))) {
    warnings.push({
      code: 'garbled',
      text: 'The fonts of this PDF do not say which letters they draw, so part of the text came out as nonsense.',
    });
  }
  if (failed > 0) warnings.push({ code: 'damaged_pages', text: `${failed} of ${pages} pages are damaged.` });
  return warnings;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function textRuns(page: PDFPageProxy): Promise<TextRun[]> {
  const { items } = await page.getTextContent();
  const runs: TextRun[] = [];
  for (const item of items) {
    if (!('str' in item)) continue;
    const [a = 0, b = 0, , , x = 0, y = 0] = item.transform as number[];
    // The direction of rotated text is in a and b; sideways text is read in stream order only.
    const size = Math.hypot(a, b) || item.height || 1;
    runs.push({ text: cleanText(item.str), x, y, width: item.width, size, endOfLine: item.hasEOL });
  }
  return repairedRuns(runs);
}

/** The text of a page of an XFA form, one line for each part. Its parts have no fixed places. */
async function xfaRuns(page: PDFPageProxy): Promise<TextRun[]> {
  const texts: string[] = [];
  collectXfa((await page.getXfa()) as XfaNode | null, texts);
  return texts.map((text, line) => ({
    text,
    x: 50,
    y: XFA_TOP - line * XFA_STEP,
    width: text.length * 5,
    size: 10,
    endOfLine: true,
  }));
}

/** The part of pdf.js's tree of an XFA form that we use. */
interface XfaNode {
  readonly name?: string;
  readonly value?: string;
  readonly attributes?: { readonly value?: unknown; readonly textContent?: unknown };
  readonly children?: readonly (XfaNode | null)[];
}

/** Distance between the parts, points: large enough that no two become one paragraph. */
const XFA_STEP = 30;
const XFA_TOP = 100_000;
const XFA_DEPTH = 200;

function collectXfa(node: XfaNode | null, texts: string[], depth = 0): void {
  if (node === null || depth > XFA_DEPTH) return;
  const own = [
    node.value,
    node.attributes?.textContent,
    node.name === 'input' ? node.attributes?.value : undefined,
  ];
  for (const value of own) {
    const text = typeof value === 'string' ? cleanText(value).replace(/\s+/g, ' ').trim() : '';
    if (text !== '') texts.push(text);
  }
  for (const child of node.children ?? []) collectXfa(child, texts, depth + 1);
}

/** The values of form fields, which are not part of the page's text. */
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

function refuseXfa(document: PDFDocumentProxy, characters: number): void {
  if (!document.isPureXfa || characters > 0) return;
  throw new UnreadableDocument(
    'xfa',
    'This is an XFA form, whose text only Adobe Reader can show. Print it to a new PDF and upload that.',
  );
}

async function titleOf(document: PDFDocumentProxy): Promise<string | undefined> {
  const metadata = await document.getMetadata().catch(() => undefined);
  const title = (metadata?.info as { Title?: unknown } | undefined)?.Title;
  return typeof title === 'string' ? cleanText(title).trim() || undefined : undefined;
}

/** File names of the XML in e-invoices (Factur-X, ZUGFeRD, XRechnung). */
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

function noText(skipped: readonly { reason: string }[]): UnreadableDocument {
  const reason = skipped[0]?.reason;
  return new UnreadableDocument(
    'no_text',
    reason === undefined
      ? 'The pages of this PDF are blank, so there is nothing to read.'
      : `No text was found in this PDF, so there is nothing to read. Page 1: ${reason}.`,
  );
}
