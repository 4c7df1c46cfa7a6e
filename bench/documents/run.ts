/**
 * How well documents are read: the fields of invoices and receipts compared with known values, and receipts
 * and pages from pictures. `npm run bench:documents [fields|own-fields|items|warnings|stacks|pages|receipts|
 * receipt-pictures] [seed]`. Each picture goes through the reader's real process. Time is processor time, because the machine
 * may be busy. `fields faults` and `items faults` name each wrong and missing value of the open half,
 * `stacks faults` each border.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { measureFields } from './measure-fields.ts';
import { measureItems } from './measure-items.ts';
import { measureOwnFields } from './measure-own-fields.ts';
import { measurePages } from './measure-pages.ts';
import { measureReceiptPictures } from './measure-receipt-pictures.ts';
import { measureReceipts } from './measure-receipts.ts';
import { measureStacks } from './measure-stacks.ts';
import { measureWarnings } from './measure-warnings.ts';

const [what = 'all', seed = '5000'] = process.argv.slice(2);
const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-bench-documents-'));
try {
  if (what === 'all' || what === 'fields') await measureFields(seed === 'faults');
  if (what === 'all' || what === 'own-fields') await measureOwnFields(seed === 'faults');
  if (what === 'all' || what === 'items') await measureItems(seed === 'faults');
  if (what === 'all' || what === 'warnings') await measureWarnings();
  if (what === 'all' || what === 'stacks')
    await measureStacks(seed === 'faults' ? 5000 : Number(seed), seed === 'faults');
  if (what === 'all' || what === 'receipts') await measureReceipts(folder);
  if (what === 'all' || what === 'receipts' || what === 'receipt-pictures')
    await measureReceiptPictures(folder);
  if (what === 'all' || what === 'pages') await measurePages(folder, Number(seed));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
