import type { DocumentKind } from '../contract/report.contract.ts';
import { cellsBelow, cellsRight, type DocumentGrid, type GridCell } from '../layout/document-grid.ts';
import { findDate } from '../values/dates.ts';
import { amountsIn } from './bill-amounts.ts';
import { datedValue, type HeadValue } from './head-value.ts';

/** Figures with letters and signs: `RE-2024/0012`, `FA 2017-0008`, `9314110911/00/M/00/N`. */
export const ID =
  '((?:(?-i:[A-Z]{1,6})[ -]?)?(?=[\\p{L}\\d./_-]*\\d)[\\p{Lu}\\d][\\p{L}\\d]*(?:[./_-]+[\\p{L}\\d]+)*)';
/** "No.", "n°", "#" before a number. */
export const MARK = '(?:(?:nr|no|n\\.? ?o|n|num|number|numero|numéro|nummer|id)\\b)?\\s*[.:#°º]*\\s*';
const KINDS =
  'rechnung|gutschrift|korrektur|invoice|facture|avoir|factuur|creditnota|factura|fattura|bolletta|credit note|nota di credito';
/** Titles of papers that are not bills; the number after one is the paper's own only if the paper has this kind. */
const KINDS_OF: Partial<Record<DocumentKind, string>> = {
  quotation:
    'angebot|kostenvoranschlag|quotation|quote|estimate|proposal|pro[ -]?forma|devis|offerte|presupuesto|preventivo|offerta',
  purchase_order:
    'bestellung|auftrag|purchase order|order|bon de commande|commande|inkooporder|bestelling|orden de compra|pedido|ordine',
};
/** Text that may stand between the kind and the number: words, and a code or words in brackets. */
const BETWEEN = '(?:\\s*\\([^()]{1,60}\\)|\\s+(?!n[ro]?\\b|num)\\p{L}+){0,4}?';
/** "Handelsrechnung (380) Nr. 471102", "Final invoice for works (877) No. 12", "Facture n°562044387". */
const titleOf = (kinds: string): RegExp =>
  new RegExp(`(?:^|\\s)\\p{L}*(?:${kinds})${BETWEEN}\\s*${MARK}${ID}(?![\\p{L}\\d%])`, 'iu');
const TITLE = titleOf(KINDS);
const TITLES_OF = new Map(Object.entries(KINDS_OF).map(([kind, kinds]) => [kind, titleOf(kinds)] as const));
/** Words that may stand before the kind: "VAT invoice 2026/0455". */
const SORT_OF = /^\W*(?:(?:vat|tax|sales|commercial|final|interim|partial)\s*)?$/i;

/** Number of rows in which the head of a document ends. */
export const TITLE_ROWS = 60;

/** Words before the number of another bill: the corrected one, or the one that was paid in part. */
export const OTHER_BILL =
  /\b(?:zu|zur|bezug|bez[üu]glich|referen\p{L}*|ursprung\p{L}*|urspr[üu]ng\p{L}*|original\p{L}*|vorausgeg\p{L}*|previous|preceding|corrects?|korrigier\p{L}*|concern\p{L}*|origine|betreffend|relat\p{L}*|(?:for|against) (?:our |the )?(?:invoice|bill|no)|rif|rectifica)\b/iu;

/** The numbers and dates of titles. */
export interface Titles {
  readonly numbers: HeadValue[];
  readonly dates: HeadValue[];
}

/** How to read titles: the kind of paper, and whether 03/04 is the third of April. */
export interface TitleReading {
  readonly kind: DocumentKind;
  readonly dayFirst: boolean;
}

/**
 * Finds the numbers of titles, and the dates after them.
 *
 * @param most number of rows to search; those of the head by default
 */
export function findTitles(
  grid: DocumentGrid,
  { kind, dayFirst }: TitleReading,
  most: number = TITLE_ROWS,
): Titles {
  const pattern = TITLES_OF.get(kind) ?? TITLE;
  const found = grid
    .slice(0, most)
    .flat()
    .map(
      (cell) =>
        titleAt(grid, cell, { pattern, dayFirst }) ??
        wrappedTitle(grid, cell, dayFirst) ??
        underTitle(grid, cell),
    )
    .filter((title) => title !== undefined);
  return { numbers: found.flatMap(({ numbers }) => numbers), dates: found.flatMap(({ dates }) => dates) };
}

/** Whether a line is a bill's title with its number. */
export function isNumberedTitle(text: string): boolean {
  const match = TITLE.exec(text);
  return match !== null && match.index === 0 && isNumberOfTitle(match[1] ?? '', text);
}

function titleAt(
  grid: DocumentGrid,
  cell: GridCell,
  { pattern, dayFirst }: { pattern: RegExp; dayFirst: boolean },
): Titles | undefined {
  const { text } = cell;
  const match = text.length > 160 ? null : pattern.exec(text);
  const id = match?.[1]?.replace(/[.,;:/-]+$/, '');
  if (match === null || id === undefined || !isNumberOfTitle(id, text)) return undefined;
  const before = text.slice(0, match.index);
  const opens = !/\p{L}/u.test(before) || SORT_OF.test(before);
  if (!opens || OTHER_BILL.test(match[0]) || isListed(grid, cell)) return undefined;
  const behind = text.slice(match.index + match[0].length);
  return {
    numbers: [{ printed: id, cell, score: 0.9 }],
    dates: dateOfTitle(grid, cell, { behind, dayFirst }),
  };
}

/** "Rechnung Nr. AR-71 vom 02.02.2026 | 2.975,00": whether the cell names one bill in a list, with date and amount. */
export function isListed(grid: DocumentGrid, cell: GridCell): boolean {
  if (findDate(cell.text) === undefined) return false;
  return cellsRight(grid, cell).some((right) => amountsIn(right).length > 0);
}

const ENDS_IN_MARK = new RegExp(
  `^\\W*\\p{L}*(?:${KINDS}).{0,90}(?:nr|no|n|number|nummer|numero|num)\\W*$`,
  'iu',
);
const NUMBER_AND_DATE = new RegExp(`^\\W*${ID}\\W+(?:vom|du|of|dated|van|del|den)\\b`, 'iu');

/** The number of a title that is too long for its line: it begins the next line. */
function wrappedTitle(grid: DocumentGrid, cell: GridCell, dayFirst: boolean): Titles | undefined {
  if (!ENDS_IN_MARK.test(cell.text)) return undefined;
  const below = cellsBelow(grid, cell, 1)[0];
  const id = below === undefined ? undefined : NUMBER_AND_DATE.exec(below.text)?.[1];
  if (below === undefined || id === undefined) return undefined;
  const behind = below.text.slice(below.text.indexOf(id) + id.length);
  return {
    numbers: [{ printed: id, cell: below, score: 0.9 }],
    dates: dateOfTitle(grid, below, { behind, dayFirst }),
  };
}

const TITLE_ALONE = new RegExp(
  `^\\W*(?:(?:tax|vat|sales) )?(?:${KINDS}|bolletta)(?:\\s+(?:vom|du|of|dated|van|del)\\b.{6,30})?\\W*$`,
  'iu',
);
/** "No. 118", "n° 10 154 887 412". */
const MARKED_ID =
  /^(?:nr|no|n|num|nummer|number|numero|numéro)\s*[.:#°º]+\s*(\d{2,6}(?: \d{2,6}){1,5}|[\p{Lu}\d][\p{L}\d./_-]*\d[\p{L}\d./_-]*)$/iu;

/** The number on the line below a title, if it has a number sign. */
function underTitle(grid: DocumentGrid, cell: GridCell): Titles | undefined {
  if (cell.text.length > LONGEST_TITLE || !TITLE_ALONE.test(cell.text)) return undefined;
  const below = cellsBelow(grid, cell, 1)[0];
  const id = below === undefined ? undefined : MARKED_ID.exec(below.text.trim())?.[1];
  if (below === undefined || id === undefined || findDate(id) !== undefined) return undefined;
  return { numbers: [{ printed: id, cell: below, score: 0.9 }], dates: [] };
}

const LONGEST_TITLE = 60;

/** "… vom 05.03.2018"; the date may stand on the next line. */
function dateOfTitle(
  grid: DocumentGrid,
  cell: GridCell,
  { behind, dayFirst }: { behind: string; dayFirst: boolean },
): HeadValue[] {
  if (!/^\W*(?:vom|du|of|dated|van|del|de|le|den)\b/i.test(behind)) return [];
  const date = findDate(behind, dayFirst);
  if (date !== undefined) return [datedValue(date, cell, 0.9)];
  const next = cellsBelow(grid, cell, 1)[0];
  const below = next === undefined ? undefined : findDate(next.text, dayFirst);
  return below === undefined || next === undefined ? [] : [datedValue(below, next, 0.9)];
}

function isNumberOfTitle(id: string, text: string): boolean {
  if (id.length < 3 || !/\d{2}/.test(id) || !/[1-9]/.test(id) || /^(?:19|20)\d\d$/.test(id)) return false;
  const date = findDate(text);
  return date === undefined || !date.printed.includes(id);
}
