import type { Item } from '../../packages/document-reader/src/contract/report.contract.ts';
import { readInvoiceXml } from '../../packages/document-reader/src/formats/invoice-xml.ts';
import { buildReport } from '../../packages/document-reader/src/report/report-building.ts';
import type { TrueItem } from '../../packages/document-reader/src/samples/make-invoices.fixture.ts';
import {
  eInvoices,
  madeInvoices,
  oddInvoices,
  receiptTexts,
  type ScoredFile,
  shopInvoices,
  tabledInvoices,
} from './field-corpora.ts';

interface Counted {
  right: number;
  wrong: number;
  missing: number;
  files: number;
  whole: number;
}

/**
 * How many line items are read correctly: amount, quantity and price exactly, and a name for what was sold.
 * E-invoices are read from their print and compared with their data.
 */
export async function measureItems(verbose: boolean): Promise<void> {
  for (const [name, files] of [
    ['E-invoices by their print', (await eInvoices(true)).map(withItems)],
    ['Invoices made here', await madeInvoices()],
    ['Odd invoices made here', await oddInvoices()],
    ['Invoices with other tables made here', await tabledInvoices()],
  ] as const) {
    if (files.length === 0) console.log(`Items of ${name}: skipped, the corpus is absent.`);
    for (const half of ['tuned', 'unseen'] as const)
      printItems(
        `${name}, ${half}`,
        files.filter((file) => file.half === half && (file.items?.length ?? 0) > 0),
        verbose && half === 'tuned',
      );
  }
  const faulty = (await tabledInvoices(true)).filter(({ half }) => half === 'unseen');
  const told = faulty.filter((file) => reportOf(file).attention.some(({ code }) => code.startsWith('item')));
  console.log(
    `Items of which one amount is 10.00 too high: told in ${told.length} of ${faulty.length} files`,
  );
  for (const [name, files] of [
    ['Invoices of shops', await shopInvoices()],
    ['Receipts by their text', await receiptTexts()],
  ] as const)
    printWarned(name, files);
}

/** Sets the lines of an e-invoice's data as its correct values; only its page is read. */
function withItems(file: ScoredFile): ScoredFile {
  const data = readInvoiceXml(file.document.invoiceXml ?? '');
  const items = (data?.lines ?? []).flatMap(({ description, quantity, price, amount }): TrueItem[] =>
    amount === undefined
      ? []
      : [
          {
            text: description,
            quantity: Number(quantity ?? 1),
            price: price === undefined ? undefined : Number(price),
            amount: Number(amount),
          },
        ],
  );
  return { ...file, items, document: { ...file.document, invoiceXml: undefined } };
}

function reportOf({ name, document }: ScoredFile) {
  return buildReport(document, {
    fileName: name,
    sha256: '0'.repeat(64),
    createdAt: '2026-03-10T09:00:00.000Z',
  });
}

function printItems(name: string, files: readonly ScoredFile[], verbose: boolean): void {
  if (files.length === 0) return;
  const counted: Counted = { right: 0, wrong: 0, missing: 0, files: files.length, whole: 0 };
  let warned = 0;
  for (const file of files) {
    const report = reportOf(file);
    const warnings = report.attention.filter(({ code }) => code.startsWith('item'));
    warned += warnings.length;
    const faults = compare(report.items?.rows ?? [], file.items ?? [], counted);
    if (verbose)
      for (const fault of [...faults, ...warnings.map(({ text }) => text)])
        console.log(`    ${file.name}: ${fault}`);
  }
  const { right, wrong, missing, whole } = counted;
  const all = right + missing;
  const percent = (part: number, of: number): string => `${((100 * part) / Math.max(1, of)).toFixed(1)} %`;
  console.log(
    `Items of ${name} (${files.length} files, ${all} items): right ${percent(right, all)}, missing ${percent(missing, all)}, ` +
      `wrong ${percent(wrong, right + wrong)} of those read; whole tables ${percent(whole, files.length)}; warnings ${warned}`,
  );
}

/** Without correct values: how many files have a table, and how many get a warning. */
function printWarned(name: string, files: readonly ScoredFile[]): void {
  if (files.length === 0) return;
  const reports = files.map(reportOf);
  const tables = reports.filter(({ items }) => items !== undefined);
  const warnings = reports.flatMap(({ attention }) =>
    attention.filter(({ code }) => code.startsWith('item')),
  );
  console.log(
    `Items of ${name} (${files.length} files, truth unknown): ${tables.length} tables, ` +
      `${tables.filter(({ items }) => items?.sumIs !== undefined).length} of them add up; warnings ${warnings.length}`,
  );
}

function compare(read: readonly Item[], truth: readonly TrueItem[], counted: Counted): string[] {
  const left = [...truth];
  const faults: string[] = [];
  for (const item of read) {
    const at = left.findIndex((one) => isRight(item, one));
    if (at >= 0) {
      left.splice(at, 1);
      counted.right += 1;
    } else {
      counted.wrong += 1;
      faults.push(`wrong item ${JSON.stringify({ ...item, cites: undefined })}`);
    }
  }
  counted.missing += left.length;
  if (left.length === 0 && read.length === truth.length) counted.whole += 1;
  return [...faults, ...left.map((one) => `missing item ${JSON.stringify(one)}`)];
}

function isRight(item: Item, { text, quantity, price, amount }: TrueItem): boolean {
  if (Number(item.amount).toFixed(2) !== amount.toFixed(2)) return false;
  if (item.quantity !== undefined && Math.abs(Number(item.quantity) - quantity) > 0.0001) return false;
  if (item.price !== undefined && price !== undefined && Math.abs(Number(item.price) - price) > 0.006)
    return false;
  const words = (one: string): string[] => one.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  const named = new Set(words(item.text));
  const wanted = words(text);
  return wanted.length === 0 || wanted.some((word) => named.has(word));
}
