import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ExtractedDocument } from '../../packages/document-reader/src/contract/extracted-document.ts';
import { readFileContent } from '../../packages/document-reader/src/formats/file-content.ts';
import { createOcrSession } from '../../packages/document-reader/src/ocr/ocr-session.ts';
import { CUSTOMER_PRINTS } from '../../packages/document-reader/src/samples/customer-prints.fixture.ts';
import {
  INVOICE_LANGUAGES,
  INVOICE_LAYOUTS,
  type InvoiceLanguage,
  type MadeInvoice,
  makeInvoice,
  type TrueItem,
} from '../../packages/document-reader/src/samples/make-invoices.fixture.ts';
import {
  makeOddInvoice,
  ODD_LAYOUTS,
} from '../../packages/document-reader/src/samples/make-odd-invoices.fixture.ts';
import {
  makeReceipt,
  RECEIPT_LAYOUTS,
  RECEIPT_TILLS,
  type ReceiptHalf,
} from '../../packages/document-reader/src/samples/make-receipts.fixture.ts';
import {
  makeStrangeInvoice,
  STRANGE_LAYOUTS,
} from '../../packages/document-reader/src/samples/make-strange-invoices.fixture.ts';
import {
  makeTabledInvoice,
  TABLE_LAYOUTS,
} from '../../packages/document-reader/src/samples/make-tabled-invoices.fixture.ts';
import {
  OFFICE_PRINTS,
  officePdf,
} from '../../packages/document-reader/src/samples/office-prints.fixture.ts';
import { TILL_PRINTS } from '../../packages/document-reader/src/samples/till-prints.fixture.ts';
import { findDate } from '../../packages/document-reader/src/values/dates.ts';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';

const CORPUS = path.join(PROJECT_ROOT, '..', 'shared', 'corpus');

/**
 * Correct values by the report's key; ISO dates, decimal amounts. `total` may be the gross total or the
 * amount due.
 */
export type Truth = Readonly<Record<string, readonly string[]>>;

/** A document with its correct fields. */
export interface ScoredFile {
  readonly name: string;
  readonly half: 'tuned' | 'unseen';
  readonly document: ExtractedDocument;
  readonly truth: Truth;
  readonly kinds: readonly string[];
  /** Its line items, if they are known. */
  readonly items?: readonly TrueItem[];
  /** True when its page is known to differ from its data. */
  readonly isOtherInPrint?: boolean;
}

/** Files of the closed part that somebody has looked at anyway. */
const OPENED: ReadonlySet<string> = new Set(['057_MustangGnuaccountingBeispielRE-20201121_508_withBOM.pdf']);

/**
 * The part of the corpus that contains a file: nobody looks at the unseen part while tuning. It was one half
 * until 22 November 2026, when half of it was opened, so a quarter is unseen.
 */
export function halfOf(name: string): 'tuned' | 'unseen' {
  if (OPENED.has(name)) return 'tuned';
  const [first = 0, second = 0] = createHash('sha256').update(name).digest();
  return first % 2 === 0 || second % 2 === 0 ? 'tuned' : 'unseen';
}

interface EInvoiceTruth {
  readonly invoice_number?: string;
  readonly date?: string;
  readonly total?: string;
  readonly due_amount?: string;
  readonly tax?: string;
  readonly net?: string;
  readonly currency?: string;
  readonly seller?: string;
  readonly buyer?: string;
  readonly due_date?: string;
  readonly type?: string;
}

/** What a page prints where its XML says something else: these fields are compared with the print. */
const PRINTED: Readonly<Record<string, Pick<EInvoiceTruth, 'invoice_number' | 'date' | 'due_date'>>> = {
  'MustangGnuaccountingBeispielRE-20201121_508_withBOM.pdf': {
    invoice_number: 'RE-20190610/507',
    date: '2019-06-10',
    due_date: '2019-07-01',
  },
  'MustangGnuaccountingBeispielRE-20151008_504.pdf': { date: '2015-10-08', due_date: '2015-10-29' },
};

const decimal = (value: string | number | undefined): string[] =>
  value === undefined || value === '' ? [] : [Number(value).toFixed(2)];
const given = (value: string | undefined): string[] => (value === undefined || value === '' ? [] : [value]);

/** E-invoices, read from their print and compared with their XML. `withXml` keeps the XML in the document. */
export async function eInvoices(withXml = false): Promise<ScoredFile[]> {
  const folder = path.join(CORPUS, 'invoices');
  if (!existsSync(folder)) return [];
  const truths = JSON.parse(readFileSync(path.join(folder, 'zugferd-expected.json'), 'utf8')) as Record<
    string,
    EInvoiceTruth
  >;
  const files: ScoredFile[] = [];
  for (const [name, stated] of Object.entries(truths)) {
    if (stated.total === undefined) continue;
    const truth = { ...stated, ...PRINTED[name.replace(/^\d+_/, '')] };
    const isCredit = truth.type === '381' || Number(truth.total) < 0;
    files.push({
      name,
      half: halfOf(name),
      document: await read(path.join(folder, name), withXml),
      isOtherInPrint: name.replace(/^\d+_/, '') in PRINTED,
      truth: {
        document_number: given(truth.invoice_number),
        issue_date: given(truth.date),
        total: [...decimal(truth.total), ...decimal(truth.due_amount)],
        due_date: given(truth.due_date),
        net_total: decimal(truth.net),
        tax_total: decimal(truth.tax),
        currency: given(truth.currency),
        supplier: given(truth.seller),
        customer: given(truth.buyer),
      },
      kinds: isCredit ? ['credit_note', 'invoice'] : ['invoice'],
    });
  }
  return files;
}

interface PlainTruth {
  readonly amount?: number | string;
  readonly amount_untaxed?: number;
  readonly date?: string;
  readonly date_due?: string;
  readonly invoice_number?: string;
  readonly partner_name?: string;
  readonly issuer?: string;
  readonly currency?: string;
}

/** Invoices of shops, with their fields. */
export async function shopInvoices(): Promise<ScoredFile[]> {
  const folder = path.join(CORPUS, 'invoices');
  const files: ScoredFile[] = [];
  for (const name of globSync('*.json', { cwd: folder }).sort()) {
    const pdf = name.replace('.json', '.pdf');
    if (!existsSync(path.join(folder, pdf))) continue;
    const [truth = {}] = JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as PlainTruth[];
    files.push({
      name: pdf,
      half: halfOf(pdf),
      document: await read(path.join(folder, pdf)),
      truth: {
        document_number: given(truth.invoice_number),
        issue_date: given(truth.date),
        total: decimal(truth.amount),
        due_date: given(truth.date_due),
        net_total: decimal(truth.amount_untaxed),
        currency: given(truth.currency),
        supplier: [...given(truth.partner_name), ...given(truth.issuer)],
      },
      kinds: ['invoice'],
    });
  }
  return files;
}

async function read(file: string, withXml = false): Promise<ExtractedDocument> {
  const document = await readFileContent(
    readFileSync(file),
    createOcrSession(0, () => {}),
  );
  return withXml ? document : { ...document, invoiceXml: undefined };
}

/** Seeds of invoices for tuning rules, and of those for judging them. */
const SEEDS = { tuned: 1000, unseen: 77_000 } as const;

/** Our own generated invoices in every layout and language. */
export function madeInvoices(): Promise<ScoredFile[]> {
  return made(INVOICE_LAYOUTS, makeInvoice);
}

/**
 * Generated invoices with labels and values in other positions, other words, and numbers of other documents.
 */
export function oddInvoices(): Promise<ScoredFile[]> {
  return made(ODD_LAYOUTS * 4, makeOddInvoice);
}

/** Generated invoices with amounts and dates in other forms, several rates, and earlier payments. */
export function strangeInvoices(): Promise<ScoredFile[]> {
  return made(STRANGE_LAYOUTS * 3, makeStrangeInvoice);
}

/**
 * Generated invoices with items in other layouts; with a fault that the report has to find, if `fault` is
 * true.
 */
export function tabledInvoices(fault = false): Promise<ScoredFile[]> {
  return made(TABLE_LAYOUTS * 3, (seed, language) => ({
    ...makeTabledInvoice(seed, language, fault),
    truth: {},
  }));
}

type Maker = (seed: number, language: InvoiceLanguage) => MadeInvoice;

/** One generated invoice. */
export async function readMade(
  make: Maker,
  seed: number,
  language: InvoiceLanguage,
): Promise<Omit<ScoredFile, 'half'> & { readonly half: 'unseen' }> {
  const { name, pdf, truth, items } = make(seed, language);
  const document = await readFileContent(
    pdf,
    createOcrSession(0, () => {}),
  );
  return { name, half: 'unseen', document, truth, items, kinds: ['invoice'] };
}

async function made(count: number, make: Maker): Promise<ScoredFile[]> {
  const files: ScoredFile[] = [];
  for (const [half, from] of Object.entries(SEEDS) as ['tuned' | 'unseen', number][]) {
    for (const language of INVOICE_LANGUAGES) {
      for (let layout = 0; layout < count; layout += 1) {
        files.push({ ...(await readMade(make, from + layout, language)), half });
      }
    }
  }
  return files;
}

/** The correct fields of a receipt. */
export function receiptTruth(id: string): Truth {
  const truth = JSON.parse(readFileSync(path.join(CORPUS, 'receipts', `${id}.key.json`), 'utf8')) as Record<
    string,
    string
  >;
  return {
    issue_date: given(findDate(truth.date ?? '')?.iso),
    total: decimal(truth.total?.replace(/[^\d.]/g, '')),
    supplier: given(truth.company),
  };
}

/** Ids of the receipts. */
export function receiptIds(): string[] {
  return globSync('*.key.json', { cwd: path.join(CORPUS, 'receipts') })
    .map((name) => name.replace('.key.json', ''))
    .sort();
}

/** The text that came with the receipts, as a text file with one line for each printed line. */
export function receiptText(id: string): string {
  const boxes = readFileSync(path.join(CORPUS, 'receipts', `${id}.box.csv`), 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => {
      const parts = line.split(',');
      const [left = 0, top = 0, , , , bottom = 0] = parts.slice(0, 6).map(Number);
      return { left, top, bottom, text: parts.slice(8).join(',') };
    })
    .sort((a, b) => a.top - b.top);
  const lines: (typeof boxes)[] = [];
  for (const box of boxes) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (first !== undefined && (box.top + box.bottom) / 2 < first.bottom) line?.push(box);
    else lines.push([box]);
  }
  return lines
    .map((line) =>
      line
        .sort((a, b) => a.left - b.left)
        .map(({ text }) => text)
        .join('  '),
    )
    .join('\n');
}

/** Receipts, read from the text that came with them. */
export async function receiptTexts(): Promise<ScoredFile[]> {
  const files: ScoredFile[] = [];
  for (const id of receiptIds()) {
    const document = await readFileContent(
      Buffer.from(receiptText(id)),
      createOcrSession(0, () => {}),
    );
    files.push({
      name: id,
      half: halfOf(`${id}.key.json`),
      document,
      truth: receiptTruth(id),
      kinds: ['receipt', 'invoice'],
    });
  }
  return files;
}

/**
 * Our own generated receipts, as the text that a till prints: each layout at the till of each country, in
 * both halves.
 */
export async function madeReceipts(): Promise<ScoredFile[]> {
  const files: ScoredFile[] = [];
  for (const half of ['tuned', 'unseen'] satisfies ReceiptHalf[]) {
    for (let till = 0; till < RECEIPT_TILLS; till += 1) {
      for (let layout = 0; layout < RECEIPT_LAYOUTS; layout += 1) {
        const { name, lines, truth } = makeReceipt(SEEDS[half] + layout, till, half);
        const document = await readFileContent(
          Buffer.from(lines.join('\n')),
          createOcrSession(0, () => {}),
        );
        files.push({ name, half, document, truth, kinds: ['receipt', 'invoice'] });
      }
    }
  }
  return files;
}

/**
 * Bills and receipts written by hand, each in the form of another program or till; somebody has looked at all
 * of them.
 */
export async function handWritten(): Promise<ScoredFile[]> {
  const ocr = createOcrSession(0, () => {});
  const files: ScoredFile[] = [];
  const prints = [...OFFICE_PRINTS.map((print) => ({ ...print, kind: 'invoice' })), ...CUSTOMER_PRINTS];
  for (const { kind, ...print } of prints) {
    const truth = Object.fromEntries(Object.entries(print.truth).map(([key, value]) => [key, [value]]));
    const document = await readFileContent(officePdf(print), ocr);
    files.push({ name: print.name, half: 'tuned', document, truth, kinds: [kind] });
  }
  for (const { text, supplier, issue_date, total } of TILL_PRINTS) {
    const truth = { supplier: [supplier], issue_date: [issue_date], total: [total] };
    const document = await readFileContent(Buffer.from(text), ocr);
    files.push({ name: supplier, half: 'tuned', document, truth, kinds: ['receipt'] });
  }
  return files;
}
