import { PDFDocument } from 'pdf-lib';
import { makeDocuments } from '../samples/make-documents.fixture.ts';
import { makeStatement } from '../samples/make-long-tables.fixture.ts';

/** Several papers in one file. */
export interface Stack {
  readonly file: Buffer;
  /** The page on which each of them begins. */
  readonly begins: number[];
}

/** One PDF of several. */
export async function makeStack(papers: readonly Buffer[]): Promise<Stack> {
  const stack = await PDFDocument.create();
  const begins: number[] = [];
  for (const paper of papers) {
    begins.push(stack.getPageCount() + 1);
    const source = await PDFDocument.load(paper);
    for (const page of await stack.copyPages(source, source.getPageIndices())) stack.addPage(page);
  }
  return { file: Buffer.from(await stack.save()), begins };
}

/** The post of a day: a lease, a bill, an English statement, a newsletter and a German statement, on twelve pages. */
export function makePost(): Promise<Stack> {
  const {
    'tenancy-agreement.pdf': lease = Buffer.alloc(0),
    'invoice-HF-2041.pdf': bill = Buffer.alloc(0),
    'newsletter-two-columns.pdf': newsletter = Buffer.alloc(0),
  } = makeDocuments();
  const carried = { heads: 'each', carried: true } as const;
  const english = makeStatement({ language: 'en', pages: [20, 20, 20, 20, 9], ...carried });
  const german = makeStatement({ language: 'de', pages: [20, 20, 9], ...carried });
  return makeStack([lease, bill, english.pdf, newsletter, german.pdf]);
}
