import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { programFile } from '../../concurrency/program-file.ts';
import { askOnce } from '../../concurrency/worker-client.server.ts';
import { PROJECT_ROOT } from '../../config/project-root.ts';
import { sitePages } from '../../contract/service-pages.ts';
import { embeddedContent, type InstalledContent } from '../../contract/site-content.ts';

/** A request to `page-printing-process.server.ts`. */
export interface PrintingRequest {
  /** Absolute path of the built printer. */
  readonly printer: string;
  readonly content: InstalledContent;
  /** Names of pages, as `sitePages` has them. */
  readonly pages: readonly string[];
}

/** Whole documents by the name of their page, with placeholders not yet replaced. */
export type PrintedPages = Readonly<Record<string, string>>;

const DIST = path.join(PROJECT_ROOT, 'dist');
const ENTRY = programFile('src/kernel/http/site/page-printing-process.server.ts');

/**
 * The pages of the site with this content. While the agency has changed nothing, these are the pages of the
 * build. Otherwise a new worker prints them, because content is in force for a whole module graph.
 *
 * @throws Error when the site is not built or a page cannot be printed
 */
export async function printPages(
  content: InstalledContent,
  names = Object.keys(sitePages(content.content)),
): Promise<PrintedPages> {
  if (embeddedContent(content) === undefined) return builtPages(names);
  const printer = path.join(DIST, 'printer', 'print-page.js');
  return askOnce<PrintingRequest, PrintedPages>(ENTRY, { printer, content, pages: names });
}

function builtPages(names: readonly string[]): PrintedPages {
  const files = names.map((name) => ({ name, file: path.join(DIST, 'pages', `${name}.html`) }));
  const printed = files.filter(({ file }) => existsSync(file));
  return Object.fromEntries(printed.map(({ name, file }) => [name, readFileSync(file, 'utf8')]));
}
