import type { Attention } from '../../packages/document-reader/src/contract/report.contract.ts';
import { buildReport } from '../../packages/document-reader/src/report/report-building.ts';
import { eInvoices, type ScoredFile } from './field-corpora.ts';

/** Sums of the e-invoice that are changed, one at a time. */
const CHANGED = ['total', 'net_total', 'tax_total'];
/** Added to a changed sum. */
const MORE = 111.11;

/**
 * How reliable warnings are that an e-invoice's data differs from its page. Each e-invoice is read unchanged,
 * where a warning is wrong unless its page is known to differ. It is also read with one of three sums changed
 * throughout its data, where a warning is right if it names the changed figure.
 */
export async function measureWarnings(): Promise<void> {
  const files = (await eInvoices(true)).filter(({ document }) => document.invoiceXml !== undefined);
  if (files.length === 0) return console.log('Warnings of e-invoices: skipped, the corpus is absent.');
  let [right, wrong, changes, told] = [0, 0, 0, 0];
  for (const file of files) {
    const known = mismatches(file, file.document.invoiceXml).map(({ text }) => text);
    for (const text of known) {
      if (file.isOtherInPrint) right += 1;
      else wrong += 1;
      console.log(`    ${file.name}: ${text}${file.isOtherInPrint ? ' (so it is)' : ''}`);
    }
    for (const key of CHANGED) {
      const change = changed(file, key);
      if (change === undefined) continue;
      changes += 1;
      const found = mismatches(file, change.xml).filter(({ text }) => !known.includes(text));
      const meant = found.filter(({ text }) => text.includes(`says ${change.figures}`));
      if (meant.length > 0) told += 1;
      right += meant.length;
      wrong += found.length - meant.length;
    }
  }
  const percent = (part: number, all: number): string => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;
  console.log(
    `Warnings of ${files.length} e-invoices: ${right} right, ${wrong} wrong (precision ${percent(right, right + wrong)}); ` +
      `of ${changes} changed sums ${percent(told, changes)} are told`,
  );
}

function mismatches({ name, document }: ScoredFile, invoiceXml: string | undefined): Attention[] {
  const { attention } = buildReport(
    { ...document, invoiceXml },
    { fileName: name, sha256: '0'.repeat(64), createdAt: '2026-03-10T09:00:00.000Z' },
  );
  return attention.filter(({ code }) => code === 'invoice_mismatch');
}

/**
 * The data with a sum changed wherever it occurs; undefined when the sum does not occur or is always zero.
 */
function changed({ document, truth }: ScoredFile, key: string): { xml: string; figures: string } | undefined {
  const value = Number(truth[key]?.[0]);
  if (!Number.isFinite(value) || value === 0) return undefined;
  const xml = document.invoiceXml ?? '';
  const figures = (value + MORE).toFixed(2);
  const altered = xml.replace(/>\s*(-?\d+(?:\.\d+)?)\s*</g, (all, stated: string) =>
    Number(stated) === value ? `>${figures}<` : all,
  );
  return altered === xml ? undefined : { xml: altered, figures };
}
