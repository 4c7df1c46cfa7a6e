import type { ExtractedDocument } from '../../packages/document-reader/src/contract/extracted-document.ts';
import type { Report } from '../../packages/document-reader/src/contract/report.contract.ts';
import { buildReport } from '../../packages/document-reader/src/report/report-building.ts';
import { findDate } from '../../packages/document-reader/src/values/dates.ts';
import {
  eInvoices,
  handWritten,
  madeInvoices,
  madeReceipts,
  oddInvoices,
  receiptTexts,
  type ScoredFile,
  shopInvoices,
  strangeInvoices,
} from './field-corpora.ts';

/** The result for each field of a set of files. */
export type Scores = Map<string, { right: number; wrong: number; missing: number; unprinted: number }>;

const FIELDS = [
  'document_number',
  'issue_date',
  'due_date',
  'total',
  'net_total',
  'tax_total',
  'currency',
  'supplier',
  'customer',
];

/** Reads the fields of every corpus from print, and prints a table for each half of each. */
export async function measureFields(verbose: boolean): Promise<void> {
  for (const [name, files] of [
    ['E-invoices by their print', await eInvoices()],
    ['Invoices of shops', await shopInvoices()],
    ['Invoices made here', await madeInvoices()],
    ['Odd invoices made here', await oddInvoices()],
    ['Strange invoices made here', await strangeInvoices()],
    ['Receipts by their text', await receiptTexts()],
    ['Receipts made here, by their text', await madeReceipts()],
    ['Bills written down by hand', await handWritten()],
  ] as const) {
    if (files.length === 0) console.log(`${name}: skipped, the corpus is absent.`);
    for (const half of ['tuned', 'unseen'] as const)
      printHalf(
        `${name}, ${half}`,
        files.filter((file) => file.half === half),
        verbose && half === 'tuned',
      );
  }
}

/** Prints the table of some files; `verbose` names each wrong and missing value. */
export function printHalf(name: string, files: readonly ScoredFile[], verbose: boolean): void {
  if (files.length === 0) return;
  const scores: Scores = new Map();
  let kinds = 0;
  for (const file of files) {
    const report = reportOf(file.name, file.document);
    if (file.kinds.includes(report.document.kind)) kinds += 1;
    else if (verbose) console.log(`    ${file.name}: kind ${report.document.kind}`);
    for (const fault of score(scores, report, file)) if (verbose) console.log(`    ${file.name}: ${fault}`);
  }
  printScores(`${name} (${files.length} files; kind right ${kinds})`, scores);
}

function reportOf(fileName: string, document: ExtractedDocument): Report {
  return buildReport(document, { fileName, sha256: '0'.repeat(64), createdAt: '2026-03-10T09:00:00.000Z' });
}

/** Counts a report's fields against the truth. */
export function score(
  scores: Scores,
  report: Report,
  { truth, document }: Pick<ScoredFile, 'truth'> & { document?: ExtractedDocument },
): string[] {
  const faults: string[] = [];
  for (const key of FIELDS) {
    const wanted = truth[key] ?? [];
    if (wanted.length === 0) continue;
    const counts = scores.get(key) ?? { right: 0, wrong: 0, missing: 0, unprinted: 0 };
    scores.set(key, counts);
    if (document !== undefined && !wanted.some((one) => isPrinted(key, one, document))) counts.unprinted += 1;
    const field = report.fields.find((candidate) => candidate.key === key);
    const value = field?.normalized ?? field?.value;
    if (value === undefined) counts.missing += 1;
    else if (wanted.some((one) => isRight(key, value, one))) counts.right += 1;
    else counts.wrong += 1;
    if (value === undefined || !wanted.some((one) => isRight(key, value, one)))
      faults.push(`${key} is ${wanted.join(' or ')}, read ${value ?? 'nothing'}`);
  }
  return faults;
}

/**
 * Whether a number or a date is printed on the page at all: a value that is only in the data cannot be read
 * from the page.
 */
function isPrinted(key: string, wanted: string, { rows }: ExtractedDocument): boolean {
  const cells = rows.flatMap((row) => row.cells.map(({ text }) => text));
  if (key === 'document_number') return bare(cells.join('')).includes(bare(wanted));
  if (!key.endsWith('_date')) return true;
  return cells.some((text) =>
    [...text.matchAll(/(?<![\d\p{L}])[\d\p{L}]/gu)].some(({ index }) =>
      [true, false].some((dayFirst) => findDate(text.slice(index, index + 40), dayFirst)?.iso === wanted),
    ),
  );
}

const bare = (text: string): string =>
  text
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

function isRight(key: string, value: string, wanted: string): boolean {
  if (key === 'supplier' || key === 'customer') return isName(bare(value), wanted.split('\n').map(bare));
  return key === 'document_number' ? bare(value) === bare(wanted) : value === wanted;
}

/**
 * True when one name contains the other, or they hardly differ, because the XML may name more or less than
 * the page.
 */
function isName(value: string, lines: readonly string[]): boolean {
  const whole = lines.join('');
  return [...lines, whole].some(
    (line) =>
      line.length > 2 &&
      value.length > 2 &&
      (line.includes(value) || value.includes(line) || near(line, value)),
  );
}

/** People typed the correct values of receipts, so one character in eight may differ. */
function near(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > a.length / 8) return false;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return (row[b.length] ?? 0) <= a.length / 8;
}

/** Prints how often each field was right, wrong and missing. */
export function printScores(name: string, scores: Scores): void {
  console.log(name);
  console.log('  field             right wrong missing   right %  wrong %  not printed');
  for (const key of FIELDS) {
    const counts = scores.get(key);
    if (counts === undefined) continue;
    const { right, wrong, missing, unprinted } = counts;
    const all = right + wrong + missing;
    const share = (count: number): string => ((100 * count) / all).toFixed(1).padStart(8);
    console.log(
      `  ${key.padEnd(17)} ${String(right).padStart(5)} ${String(wrong).padStart(5)} ${String(missing).padStart(7)}  ${share(right)} ${share(wrong)} ${String(unprinted).padStart(12)}`,
    );
  }
}
