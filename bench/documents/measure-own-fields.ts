import { SURE_ENOUGH } from '../../packages/document-reader/src/contract/confidence-threshold.contract.ts';
import { readFileContent } from '../../packages/document-reader/src/formats/file-content.ts';
import { createOcrSession } from '../../packages/document-reader/src/ocr/ocr-session.ts';
import {
  type FieldExample,
  learnField,
} from '../../packages/document-reader/src/own-fields/field-learning.ts';
import { readField } from '../../packages/document-reader/src/own-fields/field-reading.ts';
import {
  makeSenderPaper,
  SENDER_FIELDS,
  SENDERS,
} from '../../packages/document-reader/src/own-fields/make-sender-papers.fixture.ts';
import {
  INVOICE_LANGUAGES,
  INVOICE_LAYOUTS,
  makeInvoice,
} from '../../packages/document-reader/src/samples/make-invoices.fixture.ts';
import {
  makeOddInvoice,
  ODD_LAYOUTS,
} from '../../packages/document-reader/src/samples/make-odd-invoices.fixture.ts';
import { eInvoices, readMade, type ScoredFile } from './field-corpora.ts';

/** Fields that the examples teach, as if the reader did not know them. */
const FIELDS = [
  'document_number',
  'issue_date',
  'due_date',
  'net_total',
  'tax_total',
  'total',
  'supplier',
  'customer',
] as const;
const EXAMPLES = 3;
/** Documents of each layout that are read. */
const READ_OF_EACH = 3;
const PAPERS_OF_EACH = 10;
/** Seeds of the documents that are read, and a multiple of every number of layouts. */
const UNSEEN = 78_000;

interface Counted {
  right: number;
  unsure: number;
  missing: number;
  wrong: number;
  /** Fields that stand in no example, so that nothing could be learned. */
  untaught: number;
}

/**
 * How well fields are read that three examples taught: right and sure, not sure, not found, or wrong and sure. The documents
 * that are read have the layouts of the examples and other content. Without the reader's own knowledge of invoices.
 */
export async function measureOwnFields(verbose: boolean): Promise<void> {
  const makers = [
    ['invoices', INVOICE_LAYOUTS, makeInvoice],
    ['odd invoices', ODD_LAYOUTS, makeOddInvoice],
  ] as const;
  for (const [name, layouts, make] of makers) {
    const made = (seed: number, language: (typeof INVOICE_LANGUAGES)[number]) =>
      readMade(make, seed, language);
    const one = counted();
    const several = counted();
    for (const language of INVOICE_LANGUAGES) {
      for (let layout = 0; layout < layouts; layout += 1) {
        const examples = await Promise.all([0, 1, 2].map((turn) => made(layout + turn * layouts, language)));
        const read = [0, 1, 2].map((turn) =>
          made(UNSEEN - (UNSEEN % layouts) + layout + turn * layouts, language),
        );
        score(examples, await Promise.all(read), one, { verbose });
      }
      for (let first = 0; first + EXAMPLES <= layouts; first += EXAMPLES) {
        const group = [first, first + 1, first + 2];
        const examples = await Promise.all(group.map((layout) => made(layout, language)));
        const read = group.flatMap((layout) =>
          Array.from({ length: READ_OF_EACH }, (_, turn) =>
            made(UNSEEN - (UNSEEN % layouts) + layout + turn * layouts, language),
          ),
        );
        score(examples, await Promise.all(read), several, { verbose });
      }
    }
    print(`${name}, three examples of one layout`, one);
    print(`${name}, three examples of three layouts`, several);
  }
  await measureSenders(verbose);
  await measureSellers(verbose);
}

/** Papers of invented senders, whose labels and places the examples show. */
export async function measureSenders(verbose: boolean): Promise<void> {
  const [one, several] = [counted(), counted()];
  for (let first = 0; first < SENDERS; first += EXAMPLES) {
    const senders = [first, first + 1, first + 2];
    for (const sender of senders) {
      const examples = await Promise.all([0, 1, 2].map((seed) => readPaper(sender, seed)));
      score(examples, await papersOf(sender), one, { verbose, fields: SENDER_FIELDS });
    }
    const examples = await Promise.all(senders.map((sender) => readPaper(sender, sender % EXAMPLES)));
    const papers = (await Promise.all(senders.map(papersOf))).flat();
    score(examples, papers, several, { verbose, fields: SENDER_FIELDS });
  }
  print('papers of a sender, three examples of it', one);
  print('papers of three senders, one example of each', several);
}

const papersOf = (sender: number): Promise<ScoredFile[]> =>
  Promise.all(Array.from({ length: PAPERS_OF_EACH }, (_, turn) => readPaper(sender, 500 + turn)));

async function readPaper(sender: number, seed: number): Promise<ScoredFile> {
  const { name, pdf, truth } = makeSenderPaper(sender, seed);
  const ocr = createOcrSession(0, () => {});
  return {
    name,
    half: 'unseen',
    kinds: ['other'],
    document: await readFileContent(pdf, ocr),
    truth: Object.fromEntries(Object.entries(truth).map(([key, value]) => [key, [value]])),
  };
}

/** E-invoices of sellers with more than three: the first three teach, and the others are read. */
export async function measureSellers(verbose: boolean): Promise<void> {
  const bySeller = new Map<string, ScoredFile[]>();
  for (const file of await eInvoices()) {
    if (file.isOtherInPrint === true) continue;
    const seller = file.truth.supplier?.[0] ?? '';
    bySeller.set(seller, [...(bySeller.get(seller) ?? []), file]);
  }
  if (bySeller.size === 0) console.log('Own fields of e-invoices: skipped, the corpus is absent.');
  const all = counted();
  for (const [seller, files] of bySeller) {
    if (seller === '' || files.length <= EXAMPLES) continue;
    score(files.slice(0, EXAMPLES), files.slice(EXAMPLES), all, { verbose });
  }
  if (bySeller.size > 0) print('e-invoices, three examples of the seller', all);
}

const counted = (): Counted => ({ right: 0, unsure: 0, missing: 0, wrong: 0, untaught: 0 });

function score(
  examples: readonly ScoredFile[],
  files: readonly ScoredFile[],
  sum: Counted,
  { verbose, fields = FIELDS }: { verbose: boolean; fields?: readonly string[] },
): void {
  for (const key of fields) {
    const taught = examples.flatMap(({ document, truth }): FieldExample[] =>
      (truth[key] ?? []).slice(0, 1).map((value) => ({ rows: document.rows, value })),
    );
    const learned = learnField(taught);
    for (const file of files) {
      const truth = file.truth[key] ?? [];
      if (learned === undefined) {
        sum.untaught += 1;
        continue;
      }
      const read = readField(learned, file.document.rows);
      const isRight =
        read === undefined
          ? truth.length === 0
          : truth.some((each) => same(each, read.value) || same(each, read.normalized ?? ''));
      if (read === undefined && !isRight) sum.missing += 1;
      else if (read === undefined) sum.right += 1;
      else if (read.confidence < SURE_ENOUGH) sum.unsure += 1;
      else if (isRight) sum.right += 1;
      else sum.wrong += 1;
      if (verbose && (!isRight || (read !== undefined && read.confidence < SURE_ENOUGH)))
        console.log(`    ${file.name} ${key}: ${truth.join(' | ')} read as ${JSON.stringify(read)}`);
    }
  }
}

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}.]/gu, '');
const same = (a: string, b: string): boolean => plain(a) === plain(b);

function print(name: string, { right, unsure, missing, wrong, untaught }: Counted): void {
  const all = right + unsure + missing + wrong;
  const percent = (part: number): string => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;
  console.log(
    `Own fields of ${name} (${all} values): right ${percent(right)}, not sure ${percent(unsure)}, ` +
      `not found ${percent(missing)}, wrong ${percent(wrong)}; without an example in print ${untaught}`,
  );
}
