import { numbersOf } from '../bills/bill-heads.ts';
import { billEvidence } from '../bills/bill-kind.ts';
import { findLabels } from '../bills/label-finding.ts';
import { sumCandidates } from '../bills/sum-candidates.ts';
import type { Row } from '../contract/extracted-document.ts';
import type { DocumentKind } from '../contract/report.contract.ts';
import { gridOf } from '../layout/document-grid.ts';
import { folded } from '../values/folded-text.ts';
import { findIbans } from '../values/ibans.ts';
import { chosenKind, scoreKinds } from './kind-classification.ts';

/** One document of a stack: its first and last page, and whether it is certain that it begins there. */
export interface StackPart {
  readonly from: number;
  readonly to: number;
  readonly isSure: boolean;
  /** Pages that may belong to another document, although nothing says where one begins. */
  readonly doubtful: readonly number[];
}

/** What a page says about the document to which it belongs. */
interface PageFacts {
  readonly page: number;
  /** "Page 2 of 5": its number, and the number of pages if it is printed. */
  readonly label: { readonly number: number; readonly of: number | undefined } | undefined;
  /** Number of the bill, folded. */
  readonly number: string | undefined;
  /** Accounts, tax numbers and the domains of mail addresses: they name the sender. */
  readonly senders: ReadonlySet<string>;
  readonly kind: DocumentKind | undefined;
  /** Whether its head holds the title of a document or a salutation. */
  readonly opens: boolean;
  readonly greets: boolean;
  /** The sum to pay, in cents, if it is printed here. */
  readonly total: number | undefined;
  readonly closes: boolean;
  readonly firstLine: string;
  readonly lastLine: string;
}

/** Scores of evidence that a document begins on a page. Negative ones speak for the document before it. */
const SCORES = {
  firstOfSeveral: 3.5,
  first: 2,
  nextInOrder: -5,
  laterPage: -2,
  lastBefore: 1,
  moreToCome: -2,
  otherNumber: 3,
  sameNumber: -3,
  title: 1.5,
  otherSender: 1.5,
  sameSender: -0.5,
  otherKind: 1,
  otherTotal: 1.5,
  sameTotal: -1,
  greeting: 1,
  closed: 0.75,
  otherHead: 0.75,
  blank: 1.5,
  continued: -3,
} as const;
type Evidence = keyof typeof SCORES;
/** Evidence without which no document is split: a title alone also stands over a chapter. */
const HARD: ReadonlySet<Evidence> = new Set([
  'firstOfSeveral',
  'first',
  'otherNumber',
  'otherSender',
  'otherTotal',
  'greeting',
  'blank',
]);
const BORDER = 2;
const SURE = 3;
/** From this score on, a page after the sum of a bill may belong to another document. */
const DOUBT = 1.25;
/** Lowest scores of a number and of an amount that count. */
const SURE_NUMBER = 0.85;
const SURE_TOTAL = 0.7;
/** Rows of a page that are its head, and rows at its edges that may hold its number. */
const HEAD_ROWS = 15;
const EDGE_ROWS = 5;
/** In a longer file, chapters look like documents. */
const MOST_PAGES = 120;
const LONGEST_TITLE = 70;

const LABEL =
  /(?:\b(?:page|seite|blatt|pagina|página|feuille|pag|p|s)\b\.?\s*:?\s*(\d{1,3})(?:\s*(?:of|von|sur|de|van|di|\/)\s*(\d{1,3}))?|^\W*(\d{1,3})\s*(?:\/|of|von|sur|van|di)\s*(\d{1,3})\W*$)/iu;
const TITLE =
  /^\W*(?:(?:tax|vat|sales|final|pro ?forma|commercial) )?(?:\p{L}{0,18}rechnung|invoice|bill\b|credit note|quotation|quote\b|estimate|purchase order|order confirmation|delivery note|receipt|(?:bank )?statement|(?:payment )?reminder|pay ?slip|\p{L}{0,14}vertrag|(?:\p{L}+ ){0,3}agreement|lease|contract|minutes of|curriculum vitae|certificate|newsletter|gutschrift|angebot|bestellung|auftragsbest|lieferschein|quittung|kontoauszug|mahnung|zahlungserinnerung|facture|avoir\b|devis|bon de |quittance|factuur|offerte|factura|presupuesto|fattura|preventivo|ricevuta)/iu;
const GREETING =
  /^\W*(?:dear |sehr geehrte|guten tag|(?:madame|monsieur)\b|ch(?:er|ère) |geachte |beste |estimad|gentile |egregio )/iu;
const CLOSING =
  /\b(?:yours (?:sincerely|faithfully|truly)|kind regards|best regards|mit freundlichen gr|cordialement|met vriendelijke groet|atentamente|cordiali saluti|distinti saluti|thank you for (?:your|shopping))\b/iu;
const CARRIED =
  /\b(?:carried (?:forward|over)|brought forward|continued|übertrag|report à nouveau|à reporter)\b/iu;
const SENDER_IDS =
  /\b(?:ATU|BE0?|DE|FR|GB|IT|NL|ES|CHE)[ -]?\d{3}[ .]?\d{3,4}[ .]?\d{2,4}\b|@[\w-]+(?:\.[\w-]+)+/g;

/**
 * Finds the documents of a file in which several papers were scanned or saved together. A document ends where the page
 * numbers begin anew, or where number, sender, sum or kind change; blank sheets separate documents too.
 *
 * @param rows the rows of all pages
 * @param blank pages without print
 * @returns the documents in order; one if the file holds a single document, none if the format has no pages
 */
export function findStack(rows: readonly Row[], blank: readonly number[]): StackPart[] {
  const byPage = Map.groupBy(rows, ({ page }) => page ?? 0);
  byPage.delete(0);
  const numbers = [...byPage.keys()].sort((a, b) => a - b);
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (numbers.length > MOST_PAGES) return [{ from: first, to: last, isSure: true, doubtful: [] }];
  const parts: { from: number; to: number; isSure: boolean; doubtful: number[] }[] = [];
  let own: PageFacts[] = [];
  for (const page of numbers) {
    const next = factsOfPage(page, byPage.get(page) ?? []);
    const border = borderBefore(next, own, blank);
    const part = parts.at(-1);
    if (part === undefined || border === 'sure' || border === 'unsure') {
      parts.push({ from: page, to: page, isSure: border !== 'unsure', doubtful: [] });
      own = [next];
      continue;
    }
    part.to = page;
    if (border === 'doubtful') part.doubtful.push(page);
    own.push(next);
  }
  return parts;
}

/** Whether a document begins on a page after the pages `own` of the one before. */
function borderBefore(
  next: PageFacts,
  own: readonly PageFacts[],
  blank: readonly number[],
): 'sure' | 'unsure' | 'doubtful' | 'none' {
  const evidence = evidenceBefore(next, own, blank);
  const score = [...evidence].reduce((sum, each) => sum + SCORES[each], 0);
  const isHard = [...evidence].some((each) => HARD.has(each));
  const has = (each: Evidence): boolean => evidence.has(each);
  const isSoft =
    has('title') && has('otherHead') && (has('closed') || has('otherKind') || next.number !== undefined);
  if (score >= BORDER && (isHard || isSoft)) return isHard && score >= SURE ? 'sure' : 'unsure';
  return score >= DOUBT && own.at(-1)?.total !== undefined ? 'doubtful' : 'none';
}

/** @param own the pages of the document before, in order */
function evidenceBefore(next: PageFacts, own: readonly PageFacts[], blank: readonly number[]): Set<Evidence> {
  const before = own.at(-1);
  if (before === undefined) return new Set();
  const found: (Evidence | undefined)[] = [
    ...labelEvidence(next, before),
    numberEvidence(next, own),
    senderEvidence(next, own),
    totalEvidence(next, own),
    next.opens ? 'title' : undefined,
    next.greets ? 'greeting' : undefined,
    next.kind !== undefined && own[0]?.kind !== undefined && next.kind !== own[0].kind
      ? 'otherKind'
      : undefined,
    before.closes ? 'closed' : undefined,
    next.firstLine === own[0]?.firstLine ? undefined : 'otherHead',
    blank.some((page) => page > before.page && page < next.page) ? 'blank' : undefined,
    isContinued(before, next) ? 'continued' : undefined,
  ];
  return new Set(found.filter((each) => each !== undefined));
}

function labelEvidence({ label }: PageFacts, before: PageFacts): (Evidence | undefined)[] {
  const ended = before.label?.of === undefined ? undefined : before.label.number >= before.label.of;
  if (label === undefined) return [ended === false ? 'moreToCome' : ended ? 'lastBefore' : undefined];
  if (label.number === 1)
    return [label.of === undefined ? 'first' : 'firstOfSeveral', ended ? 'lastBefore' : undefined];
  return [before.label?.number === label.number - 1 ? 'nextInOrder' : 'laterPage'];
}

function numberEvidence({ number }: PageFacts, own: readonly PageFacts[]): Evidence | undefined {
  const known = own.findLast((page) => page.number !== undefined)?.number;
  if (number === undefined || known === undefined) return undefined;
  return number === known ? 'sameNumber' : 'otherNumber';
}

function senderEvidence({ senders }: PageFacts, own: readonly PageFacts[]): Evidence | undefined {
  const known = new Set(own.flatMap((page) => [...page.senders]));
  if (senders.size === 0 || known.size === 0) return undefined;
  return [...senders].some((each) => known.has(each)) ? 'sameSender' : 'otherSender';
}

function totalEvidence({ total }: PageFacts, own: readonly PageFacts[]): Evidence | undefined {
  const known = own.findLast((page) => page.total !== undefined)?.total;
  if (total === undefined || known === undefined) return undefined;
  return total === known ? 'sameTotal' : 'otherTotal';
}

/** Whether a sentence or a table goes on over the page. */
function isContinued(before: PageFacts, { firstLine }: PageFacts): boolean {
  if (CARRIED.test(before.lastLine) || CARRIED.test(firstLine)) return true;
  return /^\p{Ll}/u.test(firstLine) && /[\p{L},-]$/u.test(before.lastLine);
}

/** The kind that the titles at the head of a page say; undefined where they say none. */
function titledKind(rows: readonly Row[]): DocumentKind | undefined {
  const { kind } = chosenKind(scoreKinds([], rows, ''));
  return kind === 'other' ? undefined : kind;
}

function factsOfPage(page: number, rows: readonly Row[]): PageFacts {
  const texts = rows
    .map(({ cells }) =>
      cells
        .map(({ text }) => text)
        .join('  ')
        .trim(),
    )
    .filter((text) => text !== '');
  const text = texts.join('\n');
  const grid = gridOf(rows);
  const labels = findLabels(grid);
  const [number] = numbersOf(grid, labels, { kind: 'invoice', dayFirst: true })
    .filter(({ score }) => score >= SURE_NUMBER)
    .toSorted((a, b) => a.cell.row - b.cell.row);
  const total = sumCandidates(grid, labels).find(
    ({ role, score }) => (role === 'gross' || role === 'payable') && score >= SURE_TOTAL,
  );
  const evidence = billEvidence(rows, text);
  const head = texts.slice(0, HEAD_ROWS);
  const cells = rows.slice(0, HEAD_ROWS).flatMap((row) => row.cells.map((cell) => cell.text));
  return {
    page,
    label: labelOf([...texts.slice(0, EDGE_ROWS), ...texts.slice(-EDGE_ROWS)]),
    number: number === undefined ? undefined : folded(number.printed),
    senders: new Set([
      ...findIbans(text).map(({ compact }) => compact),
      ...(text.match(SENDER_IDS) ?? []).map((each) => each.replace(/[ .-]/g, '').toLowerCase()),
    ]),
    kind: evidence.points >= 5.5 ? titledKind(rows) : undefined,
    opens: cells.some((cell) => cell.length <= LONGEST_TITLE && TITLE.test(cell)),
    greets: texts.slice(0, 2 * HEAD_ROWS).some((line) => GREETING.test(line) && line.length <= LONGEST_TITLE),
    total: total?.amount.cents,
    closes: total !== undefined || CLOSING.test(text),
    firstLine: head[0] ?? '',
    lastLine: texts.at(-1) ?? '',
  };
}

function labelOf(edges: readonly string[]): PageFacts['label'] {
  for (const edge of edges) {
    const match = edge.length > LONGEST_TITLE * 2 ? null : LABEL.exec(edge);
    if (match === null) continue;
    const number = Number(match[1] ?? match[3]);
    const of = match[2] ?? match[4];
    if (number >= 1 && (of === undefined || number <= Number(of)))
      return { number, of: of === undefined ? undefined : Number(of) };
  }
  return undefined;
}
