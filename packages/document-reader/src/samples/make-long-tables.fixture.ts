/**
 * Makes statements whose table continues over several pages, as accounting programs print them in six
 * languages: heads repeated or not, sums carried forward at the end of a page and the beginning of the next,
 * negative credits, amounts with the language's digit groups. Everything in them is invented.
 */
import type { InvoiceLanguage } from './make-invoices.fixture.ts';
import { type PdfText, writePdf } from './write-pdf.fixture.ts';

/** How a statement is laid out. */
export interface StatementLayout {
  readonly language: InvoiceLanguage;
  /** Number of entries on each page. */
  readonly pages: readonly number[];
  /** Heads on every page, or only on the first one. */
  readonly heads: 'each' | 'first';
  /** True for sums carried forward on both sides of a page break. */
  readonly carried: boolean;
  /** How far its total is wrong, in cents. */
  readonly fault?: number;
}

/** A statement with the rows of its table below the heads, and which of them are sums carried forward. */
export interface Statement {
  readonly pdf: Buffer;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly carried: readonly number[];
}

interface Words {
  readonly heads: readonly [string, string, string, string];
  readonly forward: string;
  readonly brought: string;
  readonly total: string;
  readonly entries: readonly string[];
  readonly group: string;
  readonly point: string;
}

const WORDS: Readonly<Record<InvoiceLanguage, Words>> = {
  en: {
    ...{ heads: ['Date', 'Details', 'Reference', 'Amount'], forward: 'Carried forward', total: 'Total' },
    ...{ brought: 'Brought forward', entries: ['Quay rent', 'Transport', 'Report on moorings'] },
    ...{ group: ',', point: '.' },
  },
  de: {
    ...{ heads: ['Datum', 'Text', 'Beleg', 'Betrag'], forward: 'Übertrag', total: 'Summe' },
    ...{ brought: 'Übertrag', entries: ['Liegeplatz', 'Transport', 'Übertragung der Rechte'] },
    ...{ group: '.', point: ',' },
  },
  fr: {
    ...{ heads: ['Date', 'Libellé', 'Pièce', 'Montant'], forward: 'À reporter', total: 'Total' },
    ...{ brought: 'Report', entries: ['Loyer du quai', 'Transport', 'Reportage photo'] },
    ...{ group: ' ', point: ',' },
  },
  nl: {
    ...{ heads: ['Datum', 'Omschrijving', 'Stuk', 'Bedrag'], forward: 'Transport', total: 'Totaal' },
    ...{ brought: 'Transport', entries: ['Kadehuur', 'Vervoer', 'Rapport'] },
    ...{ group: '.', point: ',' },
  },
  es: {
    ...{ heads: ['Fecha', 'Concepto', 'Documento', 'Importe'], forward: 'Suma y sigue', total: 'Total' },
    ...{ brought: 'Suma anterior', entries: ['Alquiler del muelle', 'Transporte', 'Informe'] },
    ...{ group: '.', point: ',' },
  },
  it: {
    ...{ heads: ['Data', 'Descrizione', 'Documento', 'Importo'], forward: 'A riportare', total: 'Totale' },
    ...{ brought: 'Riporto', entries: ['Affitto del molo', 'Trasporto', 'Relazione'] },
    ...{ group: '.', point: ',' },
  },
};

const SIZE = 9;
const STEP = 16;
const RIGHT = 540;
const AT = [50, 130, 330] as const;

/** Makes a statement; the same layout always gives the same one. */
export function makeStatement(layout: StatementLayout): Statement {
  const { language, pages, heads, fault = 0 } = layout;
  const words = WORDS[language];
  const sheets: PdfText[][] = [];
  const rows: string[][] = [];
  const carried: number[] = [];
  let [sum, entry] = [0, 0];
  for (const [page, count] of pages.entries()) {
    const sheet = newSheet(page, pages.length);
    sheets.push(sheet);
    let y = 720;
    const put = (row: readonly string[]): void => {
      drawRow(sheet, y, row);
      y -= STEP;
    };
    const add = (row: string[]): void => {
      rows.push(row);
      put(row);
    };
    const addCarried = (name: string): void => {
      if (!layout.carried) return;
      carried.push(rows.length);
      add(['', name, '', amountText(sum, words)]);
    };
    if (page === 0 || heads === 'each') put(words.heads);
    if (page > 0) addCarried(words.brought);
    for (const end = entry + count; entry < end; entry += 1) {
      const cents = centsOf(entry);
      sum += cents;
      add(entryRow(entry, cents, words));
    }
    if (page < pages.length - 1) addCarried(words.forward);
    else add(['', words.total, '', amountText(sum + fault, words)]);
  }
  return { pdf: writePdf(sheets), heads: words.heads, rows, carried };
}

/** A page with its running header and footer. */
function newSheet(page: number, pages: number): PdfText[] {
  return [
    { x: 50, y: 800, size: 12, text: 'Northbank plc' },
    { x: 470, y: 800, size: SIZE, text: `Sheet ${page + 1}` },
    { x: 50, y: 30, size: 7, text: 'Northbank plc, 14 Quay Street, Bristol' },
    { x: 520, y: 30, size: 7, text: `${page + 1} / ${pages}` },
  ];
}

/** Every fifth entry is a credit; the others go from tens to thousands. */
function centsOf(entry: number): number {
  const cents = 1_250 + ((entry * 73_913) % 480_000);
  return entry % 5 === 4 ? -cents : cents;
}

function entryRow(entry: number, cents: number, words: Words): string[] {
  const day = String(1 + (entry % 28)).padStart(2, '0');
  return [
    `${day}.05.2026`,
    `${words.entries[entry % words.entries.length]} ${entry + 1}`,
    `KX-${4021 + entry}`,
    amountText(cents, words),
  ];
}

function amountText(cents: number, { group, point }: Words): string {
  const [whole = '', parts = ''] = (Math.abs(cents) / 100).toFixed(2).split('.');
  return `${cents < 0 ? '-' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, group)}${point}${parts}`;
}

function drawRow(sheet: PdfText[], y: number, row: readonly string[]): void {
  for (const [column, text] of row.entries())
    if (text !== '') sheet.push({ x: AT[column] ?? RIGHT - widthOf(text), y, size: SIZE, text });
}

/** Width of figures in points in Helvetica, accurate enough for heads. */
function widthOf(text: string): number {
  return [...text].reduce(
    (sum, sign) => sum + SIZE * (/[., ]/.test(sign) ? 0.278 : sign === '-' ? 0.333 : 0.556),
    0,
  );
}
