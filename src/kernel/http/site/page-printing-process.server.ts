// A process of its own: the pages of the site, printed with the content that it is given first.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { serveWorkerRequests } from '../../concurrency/worker-server.server.ts';
import type { PrintedPages, PrintingRequest } from './page-printing.ts';

interface Printer {
  printDocuments(names: readonly string[], files: Readonly<Record<string, unknown>>): PrintedPages;
}

serveWorkerRequests(async ({ printer, content, pages }: PrintingRequest): Promise<PrintedPages> => {
  // `src/ui/brand.ts` reads this when it is loaded and puts the content in force, as it does in a browser.
  (globalThis as { northlineContent?: unknown }).northlineContent = content;
  const { printDocuments } = (await import(pathToFileURL(printer).href)) as Printer;
  const files = JSON.parse(readFileSync(path.join(path.dirname(printer), 'files.json'), 'utf8'));
  return printDocuments(pages, files);
});
