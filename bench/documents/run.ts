/**
 * How well pictures of text are read: receipts whose key fields are known, and pages made with
 * every kind of damage. `npm run bench:documents [pages|receipts] [seed]`. Each file goes through the
 * reader's real process; time is processor time, as the machine may be busy.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { measurePages } from './measure-pages.ts';
import { measureReceipts } from './measure-receipts.ts';

const [what = 'all', seed = '5000'] = process.argv.slice(2);
const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-bench-documents-'));
try {
  if (what !== 'pages') await measureReceipts(folder);
  if (what !== 'receipts') await measurePages(folder, Number(seed));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
