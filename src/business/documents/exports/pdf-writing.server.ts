import type { Items, Obligation, Report, SensitiveData } from '@northline/document-reader/report.contract';
import { SENSITIVE_NAMES } from '@northline/document-reader/sensitive-names.contract';
import { unlistedTables } from '@northline/document-reader/unlisted-tables.contract';
import {
  LineCapStyle,
  PDFDocument,
  type PDFFont,
  type PDFImage,
  type PDFPage,
  rgb,
  StandardFonts,
} from 'pdf-lib';
import { formatIsoDay } from '../../../kernel/contract/dates.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { holdsName } from '../../../kernel/contract/site-content.ts';
import type { Agency } from '../../../kernel/resources/resources.ts';
import { type Fact, factsOf } from '../corrections/fact-correction.contract.ts';
import { currencyOfDocument, moneyText } from '../corrections/fact-currency.server.ts';

/** A4 in points. */
const [WIDTH, HEIGHT, MARGIN] = [595, 842, 56];
const INK = rgb(0.1, 0.14, 0.24);
const MUTED = rgb(0.36, 0.4, 0.47);
const LINE = rgb(0.16, 0.42, 0.66);
const VALUE_AT = 200;
const MARK_SIZE = 24;
/** The largest logo. */
const LOGO_BOX = { width: 170, height: 40 };
const TEXT_SIZE = 10.5;
/** Distance between base lines, as a multiple of the type size. */
const LEADING = 1.4;
/** Letters with a stroke, which Unicode does not take apart. */
const STROKES: Readonly<Record<string, string>> = { Ł: 'L', ł: 'l', Đ: 'D', đ: 'd', ı: 'i' };
const OBLIGATION_NAMES: Readonly<Record<Obligation['kind'], string>> = {
  notice_day: 'Notice',
  renewal: 'Renewal',
  duty: 'Duty',
};

/**
 * A report as a PDF: the agency's mark, name and colour, title, facts, obligations, summary, warnings, and the number of each page.
 *
 * @throws ServiceError 422 `letters_missing` if it holds letters that the PDF's own typeface lacks
 */
export async function writeReportPdf(
  report: Report,
  facts: readonly Fact[],
  { fileName, agency }: { fileName: string; agency: Agency },
): Promise<Buffer> {
  const { BRAND: brand } = agency.settings;
  const pdf = await PDFDocument.create();
  pdf.setTitle(report.document.title);
  pdf.setProducer(brand);
  pdf.setCreationDate(new Date(report.createdAt));
  const sheet = new ReportSheet(
    pdf,
    await pdf.embedFont(StandardFonts.Helvetica),
    await pdf.embedFont(StandardFonts.HelveticaBold),
  );
  const colour = colourOf(agency.site.content.colours?.accent);
  await sheet.head(agency, colour);
  sheet.text(report.document.title, { size: 20, bold: true });
  sheet.origin(fileName, report.createdAt);
  sheet.rule(colour);
  if (report.attention.length > 0) {
    sheet.heading('Needs your attention');
    for (const { text } of report.attention) sheet.text(`• ${text}`);
  }
  if (facts.length > 0) {
    sheet.heading('Key facts');
    for (const fact of facts) sheet.pair(fact.label, factText(fact, facts));
  }
  writeParts(sheet, report);
  writeObligations(sheet, report.obligations);
  if (report.items !== undefined) writeItems(sheet, report.items, currencyOfDocument(facts));
  writeTables(sheet, report);
  sheet.heading('Summary');
  sheet.text(report.summary.short);
  for (const { text } of report.summary.points)
    if (!report.summary.short.includes(text)) sheet.text(`• ${text}`);
  if (report.pii !== undefined && report.pii.length > 0) writeSensitive(sheet, report.pii);
  if (report.warnings.length > 0) {
    sheet.heading('Quality');
    for (const { text } of report.warnings) sheet.text(`• ${text}`);
  }
  sheet.text('Read the document before you act on this report.', { color: MUTED });
  sheet.numberPages(brand);
  return Buffer.from(await pdf.save());
}

/** The documents inside the file, each with its sentence and its facts. */
function writeParts(sheet: ReportSheet, { parts = [] }: Report): void {
  for (const { name, document, reason, short, fields } of parts) {
    sheet.heading(`${name}: ${document?.title ?? 'not read'}`);
    if ((reason ?? short) !== '') sheet.text(reason ?? short);
    const facts = factsOf(fields, []);
    for (const fact of facts) sheet.pair(fact.label, factText(fact, facts));
  }
}

/** Those with a day come first, as on the page. */
function writeObligations(sheet: ReportSheet, obligations: readonly Obligation[] = []): void {
  if (obligations.length === 0) return;
  sheet.heading('Obligations');
  const sorted = [...obligations].sort((a, b) => (a.deadline ?? '9').localeCompare(b.deadline ?? '9'));
  for (const { kind, party, text, deadline } of sorted) {
    const day = deadline === undefined || kind === 'notice_day' ? '' : ` By ${formatIsoDay(deadline)}.`;
    sheet.pair(party ?? OBLIGATION_NAMES[kind], `${text}${day}`, { bold: false });
  }
}

/** `#rrggbb` as a colour of the PDF; without one, that of the product's lines. */
function colourOf(hex: string | undefined): ReturnType<typeof rgb> {
  if (hex === undefined) return LINE;
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  return rgb(parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0);
}

function writeItems(sheet: ReportSheet, { rows, sum }: Items, currency: string | undefined): void {
  sheet.heading('Items');
  for (const { text, quantity, unit, price, amount } of rows) {
    const count = quantity === undefined ? '' : [quantity, unit].filter(Boolean).join(' ');
    sheet.pair(text, [count, price, amount].filter(Boolean).join('  ·  '));
  }
  sheet.pair('Sum', [sum, currency].filter(Boolean).join(' '));
}

/** Lists the tables by name; their rows do not fit on a page of text. */
function writeTables(sheet: ReportSheet, { tables = [], tablesLeftOut = 0 }: Report): void {
  if (tables.length === 0 && tablesLeftOut === 0) return;
  sheet.heading('Tables');
  for (const [index, { page, header, rows, leftOut }] of tables.entries()) {
    const place = page === undefined ? '' : ` (p. ${page})`;
    const heads = header.filter((text) => text !== '').join(' · ');
    sheet.pair(`Table ${index + 1}${place}`, `${rowsText(rows.length, leftOut)}${heads && `: ${heads}`}`);
  }
  if (tablesLeftOut > 0) sheet.text(unlistedTables(tablesLeftOut));
  if (tables.length > 0)
    sheet.text('Their rows are in the Excel and the CSV file of this report.', { color: MUTED });
}

function rowsText(listed: number, leftOut: number): string {
  if (leftOut > 0) return `${listed + leftOut} rows, the first ${listed} of them listed`;
  return listed === 1 ? '1 row' : `${listed} rows`;
}

function writeSensitive(sheet: ReportSheet, pii: readonly SensitiveData[]): void {
  sheet.heading('Sensitive data');
  for (const { class: name, count, cites } of pii) {
    const quotes = cites
      .slice(0, MOST_QUOTES)
      .map(({ quote, page }) => (page ? `${quote} (p. ${page})` : quote));
    sheet.pair(
      SENSITIVE_NAMES[name],
      [...quotes, ...(count > MOST_QUOTES ? [`and ${count - MOST_QUOTES} more`] : [])].join('; '),
    );
  }
}

const MOST_QUOTES = 20;

function factText(fact: Fact, facts: readonly Fact[]): string {
  const { correction, cites, type, normalized } = fact;
  const page = cites[0]?.page === undefined ? '' : ` (p. ${cites[0].page})`;
  // Writes a day such as `2026-12-01` or `01/12/26` in words, unless somebody has corrected it.
  const isDay = type === 'date' && normalized !== undefined && correction === undefined;
  const value = isDay && /^[\d./-]+$/.test(fact.value) ? formatIsoDay(normalized) : moneyText(fact, facts);
  return correction === undefined ? value + page : `${value} (corrected; read as ${correction.original})`;
}

interface TextLook {
  readonly size?: number;
  readonly bold?: boolean;
  readonly color?: ReturnType<typeof rgb>;
  readonly left?: number;
  /** Up to the right margin if left out. */
  readonly width?: number;
}

/** Writes text on pages, line by line from the top. */
class ReportSheet {
  readonly #pdf: PDFDocument;
  readonly #plain: PDFFont;
  readonly #bold: PDFFont;
  #page: PDFPage;
  #y = HEIGHT - MARGIN;

  constructor(pdf: PDFDocument, plain: PDFFont, bold: PDFFont) {
    this.#pdf = pdf;
    this.#plain = plain;
    this.#bold = bold;
    this.#page = pdf.addPage([WIDTH, HEIGHT]);
  }

  /** The agency's logo, or Northline's mark with the agency's name. */
  async head({ settings, site }: Agency, colour: ReturnType<typeof rgb>): Promise<void> {
    const { logo } = site.content;
    const png = site.drawnLogo;
    const name = this.nameOf(settings.BRAND);
    if (logo === undefined || png === undefined) this.brand(name, colour);
    else this.logo(await this.#pdf.embedPng(png), holdsName(logo) ? '' : name);
  }

  /** Northline's mark, a stop on a line, and beside it the name. */
  brand(name: string, colour: ReturnType<typeof rgb>): void {
    const scale = MARK_SIZE / 32;
    const at = { x: MARGIN - 3 * scale, y: this.#y + 3 };
    const look = { borderColor: colour, scale, borderLineCap: LineCapStyle.Round };
    this.#page.drawSvgPath('M3 25h4L25 7h4', { ...at, ...look, borderWidth: 5 * scale });
    const [middle, radius] = [16 * scale, 6.2 * scale];
    this.#page.drawCircle({
      x: at.x + middle,
      y: at.y - middle,
      size: radius,
      color: rgb(1, 1, 1),
      borderColor: INK,
      borderWidth: 3.6 * scale,
    });
    this.text(name, { size: 13, bold: true, left: MARGIN + MARK_SIZE + 2 });
    this.#y -= 6;
  }

  /** The agency's logo, and the name where the logo does not hold it. */
  logo(picture: PDFImage, name: string): void {
    const { width, height } = picture.scaleToFit(LOGO_BOX.width, LOGO_BOX.height);
    this.#page.drawImage(picture, { x: MARGIN, y: this.#y - height + MARK_SIZE / 2, width, height });
    if (name !== '') this.text(name, { size: 13, bold: true, left: MARGIN + width + 8 });
    this.#y -= name === '' ? height : Math.max(6, height - MARK_SIZE);
  }

  heading(text: string): void {
    this.#need(46);
    this.#y -= 12;
    this.text(text, { size: 13, bold: true });
  }

  rule(colour: ReturnType<typeof rgb>): void {
    this.#y -= 4;
    this.#page.drawLine({
      start: { x: MARGIN, y: this.#y },
      end: { x: WIDTH - MARGIN, y: this.#y },
      thickness: 2,
      color: colour,
    });
    this.#y -= 8;
  }

  /** A label with its value beside it, on one page as far as they fit on one. */
  pair(label: string, value: string, { bold = true }: { bold?: boolean } = {}): void {
    const shown = { size: TEXT_SIZE, left: VALUE_AT, bold };
    const named = { size: TEXT_SIZE, width: VALUE_AT - MARGIN - 10, color: MUTED };
    const lines = Math.max(this.#lines(label, named).length, this.#lines(value, shown).length);
    this.#need(Math.min(lines * TEXT_SIZE * LEADING + 6, HEIGHT - 3 * MARGIN));
    const top = this.#y;
    const page = this.#page;
    this.text(label, named);
    const below = this.#y;
    if (this.#page === page) this.#y = top;
    this.text(value, shown);
    if (this.#page === page) this.#y = Math.min(this.#y, below);
  }

  text(text: string, look: TextLook = {}): void {
    const { size = TEXT_SIZE, bold = false, color = INK, left = MARGIN } = look;
    const font = bold ? this.#bold : this.#plain;
    for (const line of this.#lines(text, look)) {
      this.#need(size * 1.5);
      this.#y -= size * LEADING;
      this.#page.drawText(line, { x: left, y: this.#y, size, font, color });
    }
    this.#y -= 3;
  }

  #lines(text: string, { size = TEXT_SIZE, bold = false, left = MARGIN, width }: TextLook): string[] {
    const font = bold ? this.#bold : this.#plain;
    return linesOf(drawable(text, font), font, { size, width: width ?? WIDTH - MARGIN - left });
  }

  /** The file that was read, and the day. A name in another script would keep its ending alone, so it is left out. */
  origin(fileName: string, createdAt: string): void {
    const day = `analysed on ${formatIsoDay(createdAt.slice(0, 10))}`;
    const name = this.nameOf(fileName);
    this.text(/^(\.\w+)?$/.test(name) ? day : `${name} · ${day}`, { color: MUTED });
  }

  /**
   * A name in the letters that the typeface has: one with a mark that it lacks loses the mark, others are left out. Only the
   * names of the file and of the agency are changed so, never a word of the report.
   */
  nameOf(name: string): string {
    const known = new Set(this.#plain.getCharacterSet());
    const isKnown = (letter: string): boolean => known.has(letter.codePointAt(0) ?? 0);
    return [...name.normalize('NFC')]
      .map((letter) =>
        isKnown(letter) ? letter : [...(STROKES[letter] ?? letter.normalize('NFD'))].filter(isKnown).join(''),
      )
      .join('')
      .replace(/\s+/g, ' ')
      .trim();
  }

  /** At the foot of every page: the agency, and which page of how many. */
  numberPages(brand: string): void {
    const pages = this.#pdf.getPages();
    for (const [index, page] of pages.entries()) {
      const text = `Page ${index + 1} of ${pages.length}`;
      const look = { y: MARGIN / 2, size: 9, font: this.#plain, color: MUTED };
      page.drawText(this.nameOf(brand), { x: MARGIN, ...look });
      page.drawText(text, { x: WIDTH - MARGIN - this.#plain.widthOfTextAtSize(text, 9), ...look });
    }
  }

  /** Begins another page if less than `height` is left. */
  #need(height: number): void {
    if (this.#y - height > MARGIN) return;
    this.#page = this.#pdf.addPage([WIDTH, HEIGHT]);
    this.#y = HEIGHT - MARGIN;
  }
}

/** @throws ServiceError 422 `letters_missing` */
function drawable(text: string, font: PDFFont): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  try {
    font.encodeText(plain);
    return plain;
  } catch (cause) {
    throw new ServiceError(
      422,
      'letters_missing',
      'This report holds letters that the PDF’s typeface does not have. Print the page instead, or take the Excel file.',
      { cause },
    );
  }
}

function linesOf(text: string, font: PDFFont, { size, width }: { size: number; width: number }): string[] {
  const lines: string[] = [];
  let line = '';
  const fits = (words: string): boolean => font.widthOfTextAtSize(words, size) <= width;
  for (const word of text.split(' ').flatMap((one) => pieces(one, fits))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** Splits a word that is wider than the page into narrower pieces. */
function pieces(word: string, fits: (text: string) => boolean): string[] {
  if (fits(word)) return [word];
  const half = Math.ceil(word.length / 2);
  return [...pieces(word.slice(0, half), fits), ...pieces(word.slice(half), fits)];
}
