import { amountsIn } from '../bills/bill-amounts.ts';
import { numbersOf } from '../bills/bill-heads.ts';
import { findLabels } from '../bills/label-finding.ts';
import { sumCandidates } from '../bills/sum-candidates.ts';
import type { Row } from '../contract/extracted-document.ts';
import type { DocumentKind } from '../contract/report.contract.ts';
import { type DocumentGrid, gridOf } from '../layout/document-grid.ts';
import { folded } from '../values/folded-text.ts';
import { findIbans } from '../values/ibans.ts';
import { chosenKind, scoreKinds } from './kind-classification.ts';

/** What a page says about the document to which it belongs. */
export interface PageFacts {
  readonly page: number;
  readonly text: string;
  /** "Page 2 of 5": its number, and the number of pages if it is printed. */
  readonly label: { readonly number: number; readonly of: number | undefined } | undefined;
  /** Number of the bill, folded. */
  readonly number: string | undefined;
  /** Accounts, tax numbers and the domains of mail addresses: they name the sender. */
  readonly senders: ReadonlySet<string>;
  /** Numbers of accounts that its head names. */
  readonly accounts: ReadonlySet<string>;
  readonly kind: DocumentKind | undefined;
  /** The title of a document in its head, without a page number; undefined if there is none. */
  readonly title: string | undefined;
  /** The first of its first lines that names a kind of document, without a page number. */
  readonly named: string | undefined;
  readonly greets: boolean;
  /** The sum to pay, in cents, if it is printed here. */
  readonly total: number | undefined;
  readonly closes: boolean;
  /** Its first and last lines without page numbers. */
  readonly top: readonly string[];
  readonly bottom: readonly string[];
  readonly money: PageMoney;
  /** Whether its text ends high above its foot. */
  readonly ends: boolean;
  /** Whether its first line looks like a letterhead or a title, not like a sentence that goes on. */
  readonly begins: boolean;
  /** Numbers of at least five digits that are no dates and no amounts. */
  readonly numbers: ReadonlySet<string>;
  /** The first and the last numbered paragraph or item, with the word or sign before the number. */
  readonly sections: readonly { readonly sign: string; readonly number: number }[];
}

/** Sums at the edges of a page, in cents, by which a table goes on or an account begins anew. */
export interface PageMoney {
  /** Sums that its first and its last rows carry over the page. */
  readonly brought: ReadonlySet<number>;
  readonly forward: ReadonlySet<number>;
  /** The balances before its first entry: the balance there with and without the movement. */
  readonly before: readonly number[];
  /** The last amount. */
  readonly last: number | undefined;
  readonly opens: boolean;
  readonly closes: boolean;
}

/** Lowest scores of a number and of an amount that count. */
const SURE_NUMBER = 0.85;
const SURE_TOTAL = 0.7;
/** Rows of a page that are its head, and rows at its edges that may hold its number or a sum that is carried over. */
const HEAD_ROWS = 15;
const EDGE_ROWS = 5;
const CARRYING_ROWS = 10;
const TITLE_ROWS = 6;
const LONGEST_TITLE = 70;
/** Least points of a line that names a kind, and least confidence in the kind of a page. */
const TITLED = 6;
const SURE_KIND = 0.6;
/** Share of the page's height that is empty below its text where the text ends. */
const EMPTY = 0.25;
const PAGE_HEIGHT = 842;

const LABEL =
  /(?:\b(?:page|seite|blatt|sheet|pagina|página|feuille|pag|p|s)\b\.?\s*:?\s*(\d{1,3})(?:\s*(?:of|von|sur|de|van|di|\/)\s*(\d{1,3}))?|^\W*(\d{1,3})\s*(?:\/|of|von|sur|van|di)\s*(\d{1,3})\W*$|^[-–]\s*(\d{1,3})\s*[-–]$)/iu;
const TITLE =
  /^\W*(?:(?:tax|vat|sales|final|pro ?forma|commercial) )?(?:\p{L}{0,18}rechnung|invoice|bill\b|credit note|quotation|quote\b|estimate|purchase order|order confirmation|delivery note|receipt|(?:bank )?statement|(?:payment )?reminder|pay ?slip|\p{L}{0,14}vertrag|(?:\p{L}+ ){0,3}agreement|lease|contract|minutes of|curriculum vitae|certificate|newsletter|gutschrift|angebot|bestellung|auftragsbest|lieferschein|quittung|kontoauszug|mahnung|zahlungserinnerung|facture|avoir\b|devis|bon de |quittance|factuur|offerte|factura|presupuesto|fattura|preventivo|ricevuta)/iu;
const GREETING =
  /^\W*(?:dear |sehr geehrte|guten tag|(?:madame|monsieur)\b|ch(?:er|ère) |geachte |beste |estimad|gentile |egregio )/iu;
const CLOSING =
  /\b(?:yours (?:sincerely|faithfully|truly)|kind regards|best regards|mit freundlichen gr|cordialement|met vriendelijke groet|atentamente|cordiali saluti|distinti saluti|thank you for (?:your|shopping))\b/iu;
const SENDER_IDS =
  /\b(?:ATU|BE0?|DE|FR|GB|IT|NL|ES|CHE)[ -]?\d{3}[ .]?\d{3,4}[ .]?\d{2,4}\b|@[\w-]+(?:\.[\w-]+)+/g;
const ACCOUNT =
  /(?:\bkonto(?:nummer|[ -]?nr\.?)?|\baccount (?:number|no\.?)|\b(?:numéro|n[°º]) de compte|\brekeningnummer|\bnúmero de cuenta|\bnumero di conto)\s*:?\s*([a-z]{0,3}-?\d[\d./-]{3,}(?: \d[\d./-]*)*)/giu;
/** Rows whose sum goes on over the page. Some of the words have another sense too, so both pages must have the same sum. */
const CARRYING =
  /(?<!\p{L})(?:(?:carried|brought) (?:forward|over)|continued|übertrag|saldovortrag|zwischen-?(?:summe|saldo)|sub-?total|à reporter|report|transport(?:eren)?|suma (?:y sigue|anterior)|a riportare|riporto)(?!\p{L})/iu;
const OPENING_BALANCE =
  /\b(?:opening balance|alter (?:konto)?(?:stand|saldo)|anfangssaldo|ancien solde|vorig saldo|saldo (?:inicial|iniziale))\b/iu;
const CLOSING_BALANCE =
  /\b(?:closing balance|neuer (?:konto)?(?:stand|saldo)|endsaldo|nouveau solde|nieuw saldo|saldo finale?)\b/iu;
/** A first line that is no sentence and no label of a part. */
const HEAD_LINE = /^[\p{Lu}\p{N}].{0,68}[^:,;]$/u;
const LONG_NUMBER = /(?<![\p{L}\d])(?=(?:[^\d\s]*\d){5})[\p{L}\d][\p{L}\d./-]+/gu;
const DATE_OR_AMOUNT = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$|[.,]\d\d$/;
const SECTION =
  /^(§|top|art(?:icle|ikel)?\.?|clause|section|ziffer|no\.|nr\.)?\s*(\d{1,2})(?:[.)]\s*|\s+)(?=\p{L})/iu;

/** Collects what a page says. */
export function factsOfPage(page: number, rows: readonly Row[]): PageFacts {
  const texts = rows.map(textOf).filter((text) => text !== '');
  const text = texts.join('\n');
  const grid = gridOf(rows);
  const labels = findLabels(grid);
  const [number] = numbersOf(grid, labels, { kind: 'invoice', dayFirst: true })
    .filter(({ score }) => score >= SURE_NUMBER)
    .toSorted((a, b) => a.cell.row - b.cell.row);
  const total = sumCandidates(grid, labels).find(
    ({ role, score }) => (role === 'gross' || role === 'payable') && score >= SURE_TOTAL,
  );
  const scores = scoreKinds([{ id: 'b1', type: 'para', text }], rows, '');
  const { kind, confidence } = chosenKind(scores);
  const named = texts
    .slice(0, TITLE_ROWS)
    .find(
      (line) =>
        !line.endsWith(':') &&
        scores.some((each) => each.title >= TITLED && line.includes(each.line ?? '\n')),
    );
  const head = rows.slice(0, HEAD_ROWS).flatMap((row) => row.cells.map((cell) => cell.text));
  const title = head.find((cell) => cell.length <= LONGEST_TITLE && TITLE.test(cell));
  const sections = texts.flatMap((line) => {
    const [, sign = '', digits] = SECTION.exec(line) ?? [];
    return digits === undefined ? [] : [{ sign: sign.toLowerCase(), number: Number(digits) }];
  });
  return {
    page,
    text,
    label: labelOf([...rows.slice(0, EDGE_ROWS), ...rows.slice(-EDGE_ROWS)]),
    number: number === undefined ? undefined : folded(number.printed),
    senders: new Set([
      ...findIbans(text).map(({ compact }) => compact),
      ...(text.match(SENDER_IDS) ?? []).map((each) => each.replace(/[ .-]/g, '').toLowerCase()),
    ]),
    accounts: new Set(
      [...texts.slice(0, HEAD_ROWS).join('\n').matchAll(ACCOUNT)].map(([, printed = '']) => folded(printed)),
    ),
    kind: kind !== 'other' && confidence >= SURE_KIND ? kind : undefined,
    title: title === undefined ? undefined : withoutLabel(title),
    named: named === undefined ? undefined : withoutLabel(named),
    greets: texts.slice(0, 2 * HEAD_ROWS).some((line) => GREETING.test(line) && line.length <= LONGEST_TITLE),
    total: total?.amount.cents,
    closes: total !== undefined || CLOSING.test(text),
    top: texts
      .slice(0, EDGE_ROWS)
      .map(withoutLabel)
      .filter((line) => line !== ''),
    bottom: texts
      .slice(-EDGE_ROWS)
      .map(withoutLabel)
      .filter((line) => line !== ''),
    ends: endsEarly(rows),
    begins: HEAD_LINE.test(texts[0] ?? ''),
    numbers: new Set(
      [...text.matchAll(LONG_NUMBER)]
        .map(([each]) => each)
        .filter((each) => !DATE_OR_AMOUNT.test(each))
        .map(folded),
    ),
    money: moneyOf(grid),
    sections,
  };
}

function textOf({ cells }: Row): string {
  return cells
    .map(({ text }) => text)
    .join('  ')
    .trim();
}

/** A line without the number of its page. */
function withoutLabel(line: string): string {
  return line
    .split('  ')
    .map((cell) => cell.replace(LABEL, '').trim())
    .filter((cell) => cell !== '')
    .join('  ');
}

/** Whether a large part of a page is empty below its text; a line at the foot does not count. Slides are no such pages. */
function endsEarly(rows: readonly Row[]): boolean {
  const heights = rows.flatMap(({ y }) => (y === undefined ? [] : [y])).sort((a, b) => b - a);
  const height = Math.max(PAGE_HEIGHT, heights[0] ?? 0);
  const right = Math.max(...rows.flatMap(({ cells }) => cells.map((cell) => cell.right)));
  if (heights.length === 0 || right > height) return false;
  return [...heights, 0].some(
    (y, index) => index > 0 && y < height / 2 && (heights[index - 1] ?? 0) - y > EMPTY * height,
  );
}

function moneyOf(grid: DocumentGrid): PageMoney {
  const rows = grid
    .map((cells) => ({
      text: cells.map(({ text }) => text).join('  '),
      amounts: cells.flatMap((cell) => amountsIn(cell).map(({ cents }) => cents)),
    }))
    .filter(({ text }) => text !== '');
  const carrying = (among: typeof rows): Set<number> =>
    new Set(
      among
        .flatMap(({ text, amounts }) => (CARRYING.test(text) ? amounts : []))
        .filter((cents) => cents !== 0),
    );
  const [top, bottom] = [rows.slice(0, CARRYING_ROWS), rows.slice(-CARRYING_ROWS)];
  const paid = rows.filter(({ amounts }) => amounts.length > 0);
  const [movement, balance] = paid[0]?.amounts.slice(-2) ?? [];
  return {
    brought: carrying(top),
    forward: carrying(bottom),
    before: movement === undefined || balance === undefined ? [] : [balance - movement, balance + movement],
    last: paid.at(-1)?.amounts.at(-1),
    opens: top.some(({ text, amounts }) => amounts.length > 0 && OPENING_BALANCE.test(text)),
    closes: bottom.some(({ text, amounts }) => amounts.length > 0 && CLOSING_BALANCE.test(text)),
  };
}

/** The number of a page from the rows at its edges; one with the number of pages counts more. */
function labelOf(edges: readonly Row[]): PageFacts['label'] {
  const found = edges
    .flatMap((row) => [textOf(row), ...row.cells.map(({ text }) => text)])
    .filter((text) => text.length <= LONGEST_TITLE * 2)
    .flatMap((text) => {
      const match = LABEL.exec(text);
      const number = Number(match?.[1] ?? match?.[3] ?? match?.[5] ?? 0);
      const of = match?.[2] ?? match?.[4];
      return number >= 1 && (of === undefined || number <= Number(of))
        ? [{ number, of: of === undefined ? undefined : Number(of) }]
        : [];
    });
  return found.find(({ of }) => of !== undefined) ?? found[0];
}
