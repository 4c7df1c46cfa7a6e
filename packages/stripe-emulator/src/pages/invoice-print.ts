import { formatMoney } from '@northline/vat/money';
import type { Vat } from '@northline/vat/vat';
import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from 'pdf-lib';
import type { InvoiceObject } from '../ledger/invoice-building.ts';

const PAGE = { width: 595, height: 842, margin: 56 };
/** Width between the margins. */
const WRITTEN = PAGE.width - 2 * PAGE.margin;
const INK = rgb(0.1, 0.12, 0.14);
const SOFT = rgb(0.4, 0.43, 0.46);
const ROW = 20;
/** Space between a description and its amount. */
const GUTTER = 16;

/** Seller, buyer, and what was refunded. */
export interface InvoiceParties {
  readonly seller: string;
  readonly contact: string;
  /** Empty for none. */
  readonly vatNumber: string;
  /** The VAT in it; undefined where none is calculated. */
  readonly vat: { readonly amount: number; readonly kind: Vat['kind']; readonly percent: number } | undefined;
  /** One line for each part. */
  readonly buyer: readonly string[];
  readonly refunded: number;
}

/** Prints an invoice as PDF: number, dates, lines and totals; a paid invoice states when it was paid. */
export async function printInvoice(invoice: InvoiceObject, parties: InvoiceParties): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  const title = `Invoice ${String(invoice.number)}`;
  pdf.setTitle(title);
  pdf.setAuthor(plain(parties.seller));
  pdf.setCreationDate(new Date(Number(invoice.created) * 1000));
  pdf.setModificationDate(new Date(Number(invoice.created) * 1000));
  const fonts = {
    regular: await pdf.embedFont(StandardFonts.Helvetica),
    bold: await pdf.embedFont(StandardFonts.HelveticaBold),
  };
  const sheet = new Sheet(pdf.addPage([PAGE.width, PAGE.height]), fonts);
  sheet.text(parties.seller, { size: 20, bold: true });
  const hasNumber = parties.vat !== undefined && parties.vatNumber !== '';
  sheet.text(parties.contact, { soft: true, gap: hasNumber ? 4 : 30 });
  if (hasNumber) sheet.text(`VAT ${parties.vatNumber}`, { soft: true, gap: 30 });
  sheet.text(title, { size: 15, bold: true, gap: 8 });
  sheet.text(`Date: ${day(invoice.created)}`);
  const paidAt = (invoice.status_transitions as { paid_at?: number | null }).paid_at;
  if (typeof paidAt === 'number') sheet.text(`Paid: ${day(paidAt)}`);
  if (invoice.status === 'void') sheet.text('Void: nothing is to be paid.');
  sheet.text('Billed to:', { soft: true, before: 6 });
  for (const line of parties.buyer) sheet.text(line);
  sheet.text('', { gap: 12 });
  sheet.row('Description', 'Amount', true);
  const money = (amount: number): string => printedMoney(amount, invoice.currency);
  for (const line of invoice.lines.data) {
    const period = line.period as { start: number; end: number };
    sheet.row(String(line.description), money(Number(line.amount)));
    const [from, until] = [day(period.start), day(period.end)];
    // What is paid once has no period.
    if (from !== until) sheet.text(`${from} to ${until}`, { soft: true, size: 9 });
  }
  sheet.rule();
  if (parties.vat !== undefined) printVat(sheet, invoice, parties.vat);
  sheet.row('Total', money(invoice.total), true);
  const credit = invoice.total - invoice.amount_due;
  if (credit > 0) sheet.row('From your balance', money(-credit));
  if (invoice.status === 'paid') sheet.row('Paid', money(invoice.amount_paid));
  else sheet.row('To be paid', money(invoice.amount_due));
  if (parties.refunded > 0) sheet.row('Refunded', money(-parties.refunded));
  sheet.text('Test mode: no money has moved.', { soft: true, size: 9, before: 24 });
  return Buffer.from(await pdf.save());
}

/** With the code of a currency whose sign the fonts do not have. */
function printedMoney(amount: number, currency: string): string {
  const words = formatMoney(amount, currency).replace(/\s/g, ' ');
  return words === plain(words) ? words : formatMoney(amount, currency, 'code').replace(/\s/g, ' ');
}

/** Prints the parts of the total, or why it contains no VAT (Directive 2006/112/EC, article 226). */
function printVat(
  sheet: Sheet,
  { total, currency }: InvoiceObject,
  { amount, kind, percent }: NonNullable<InvoiceParties['vat']>,
): void {
  sheet.row('Net', printedMoney(total - amount, currency));
  sheet.row(kind === 'standard' ? `VAT ${percent}%` : 'VAT', printedMoney(amount, currency));
  if (kind === 'reverse_charge')
    sheet.text('Reverse charge: the customer accounts for the VAT.', { soft: true, size: 9 });
  if (kind === 'none')
    sheet.text('No VAT: the place of supply is outside of the country of the seller.', {
      soft: true,
      size: 9,
    });
}

interface TextOptions {
  readonly size?: number;
  readonly bold?: boolean;
  readonly soft?: boolean;
  readonly gap?: number;
  readonly before?: number;
}

/** Writes from top to bottom. One page is enough, since our invoices have few lines. */
class Sheet {
  readonly #page: PDFPage;
  readonly #fonts: { regular: PDFFont; bold: PDFFont };
  #y = PAGE.height - PAGE.margin - 20;

  constructor(page: PDFPage, fonts: { regular: PDFFont; bold: PDFFont }) {
    this.#page = page;
    this.#fonts = fonts;
  }

  text(words: string, options: TextOptions = {}): void {
    const { size = 11, bold = false, soft = false, gap = 4, before = 0 } = options;
    this.#y -= before;
    this.#draw(words, { size, bold, soft });
    this.#y -= size + gap;
  }

  row(words: string, amount: string, bold = false): void {
    const look = { size: 11, bold, soft: false };
    const font = bold ? this.#fonts.bold : this.#fonts.regular;
    const width = font.widthOfTextAtSize(plain(amount), look.size);
    this.#draw(words, look, { left: 0, right: width + GUTTER });
    this.#draw(amount, look, { left: WRITTEN - width, right: 0 });
    this.#y -= ROW;
  }

  rule(): void {
    // Below the descenders of the last line, with space for the ascenders of the next.
    const y = this.#y + 5;
    this.#page.drawLine({
      start: { x: PAGE.margin, y },
      end: { x: PAGE.width - PAGE.margin, y },
      thickness: 1,
      color: SOFT,
    });
    this.#y -= ROW - 6;
  }

  /** @param kept width that is left free within the margins */
  #draw(
    words: string,
    { size, bold, soft }: Required<Pick<TextOptions, 'size' | 'bold' | 'soft'>>,
    kept = { left: 0, right: 0 },
  ): void {
    const font = bold ? this.#fonts.bold : this.#fonts.regular;
    const room = WRITTEN - kept.left - kept.right;
    this.#page.drawText(
      fitted(plain(words), room, (text) => font.widthOfTextAtSize(text, size)),
      {
        x: PAGE.margin + kept.left,
        y: this.#y,
        size,
        font,
        color: soft ? SOFT : INK,
      },
    );
  }
}

/** The built-in fonts of PDF have only Windows-1252; names may contain anything. */
function plain(words: string): string {
  return words.replace(/[^\x20-\x7e\u00a1-\u00ff\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u20ac]/g, '?');
}

/** As much of a line as fits. */
function fitted(line: string, room: number, widthOf: (text: string) => number): string {
  // Rounding errors are no reason to cut.
  if (widthOf(line) <= room + 0.01) return line;
  let kept = line.slice(0, -1);
  while (kept !== '' && widthOf(`${kept}…`) > room) kept = kept.slice(0, -1);
  return `${kept}…`;
}

function day(seconds: unknown): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' }).format(
    Number(seconds) * 1000,
  );
}
