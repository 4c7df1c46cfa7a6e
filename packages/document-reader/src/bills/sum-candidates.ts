import { cellsBelow, cellsRight, type DocumentGrid, type GridCell } from '../layout/document-grid.ts';
import { findDate } from '../values/dates.ts';
import { foldText } from '../values/folded-text.ts';
import { amountsIn, type PlacedAmount } from './bill-amounts.ts';
import { columnsOf } from './item-columns.ts';
import { type FoundLabel, labelsIn } from './label-finding.ts';

/** The role of a sum on a bill. */
export type SumRole = 'gross' | 'payable' | 'net' | 'tax';

/** An amount that may be one of the bill's sums. */
export interface SumCandidate {
  readonly role: SumRole;
  readonly amount: PlacedAmount;
  /** 0 to 1. */
  readonly score: number;
}

const SUMS: ReadonlySet<string> = new Set(['gross', 'payable', 'net', 'tax']);
/** Words that may stand between a label and its amount; any other word makes it another label. */
const REMARKS = new Set(
  `in of on the for this invoice eur euro euros gbp usd chf rm myr sgd inr rs pln sek incl inkl including inclusive
  inclusief incluido inclusa included inklusive compresa comprises comprise toutes excl exkl exclusive excluding ex exclusief
  ohne without sans hors tax taxes taxe vat mwst ust tva btw iva gst due amount payable auf von sur de van di su at
  to pay s normal standard rate reduced regular satz net netto brutto gross ttc ht sin senza con before pounds
  sterling dollars us rounded sr zr and und y e et a am by sum total betrag eu uk il le la der des auf i v
  gesetzliche gesetzl zzgl impuestos imposte tasse impuesto`
    .split(/\s+/)
    .flatMap((word) => foldText(word).text),
);
const NET_WORDS =
  /\b(?:excl|exkl|excluding|exclusive|exclusief|ohne|without|sans|hors|ht|sin|senza|netto|net|before|ex)\b/i;
const TAX_WORDS = /^\W*(?:vat|tax|mwst|ust|tva|btw|iva|gst)\W*$/i;

/** Words between a sum and the tax that it holds or lacks: "Summe inkl. USt", "Total excl. VAT". */
const BEFORE_TAX =
  /^\W*(?:in[ck]l\p{L}*|includ\p{L}*|inclus\p{L}*|mit|with|avec|con|compr\p{L}*|ttc|met|ex[ck]l\p{L}*|exclud\p{L}*|exclus\p{L}*|ohne|without|sans|hors|sin|senza|zonder|net|netto)\W*$/iu;
/** Words that add a tax to a sum: "zzgl. USt: 63,84 €". */
const ADDED = /^\W*(?:zz?gl|zuz[üu]gl\p{L}*|plus|add|hinzu|en sus|m[áa]s|pi[ùu]|plus de)\W*$/iu;

/** The amounts that stand where the label of a sum says. */
export function sumCandidates(grid: DocumentGrid, labels: readonly FoundLabel[]): SumCandidate[] {
  const joined = withTaxWords(labels);
  return joined.flatMap((label, index) => {
    const before = joined[index - 1];
    const follows = before?.cell === label.cell;
    const role = sumRole(label, label.opens || follows || isAdded(label));
    return role === undefined ? [] : amountsFor(grid, label, role);
  });
}

/** The tax that a sum's label names belongs to that label, and its amount is the sum: "Summe inkl. USt: 571,04 €". */
function withTaxWords(labels: readonly FoundLabel[]): FoundLabel[] {
  const joined: FoundLabel[] = [];
  for (const label of labels) {
    const before = joined.at(-1);
    if (before !== undefined && isTaxOfLabel(before, label)) {
      const rest = label.cell.text.slice(before.end, label.end) + label.rest;
      joined[joined.length - 1] = { ...before, rest, weight: Math.max(before.weight, WITH_TAX) };
    } else joined.push(label);
  }
  return joined;
}

const WITH_TAX = 0.93;

function isTaxOfLabel(sum: FoundLabel, label: FoundLabel): boolean {
  return (
    label.role === 'tax' &&
    sum.cell === label.cell &&
    (sum.role === 'gross' || sum.role === 'payable') &&
    BEFORE_TAX.test(sum.rest)
  );
}

function isAdded({ role, cell, start }: FoundLabel): boolean {
  return role === 'tax' && ADDED.test(cell.text.slice(0, start));
}

function sumRole(label: FoundLabel, stands: boolean): SumRole | undefined {
  if (!stands || !SUMS.has(label.role) || !isRemark(label.rest)) return undefined;
  const words = label.rest.replace(/[\d.,%]+/g, ' ');
  if (label.role === 'gross' && NET_WORDS.test(words)) return 'net';
  if (label.role === 'gross' && TAX_WORDS.test(words)) return 'tax';
  return label.role as SumRole;
}

function isRemark(rest: string): boolean {
  const date = findDate(rest)?.printed;
  const words = (date === undefined ? rest : rest.replace(date, ' ')).match(/\p{L}+/gu) ?? [];
  return words.length <= 8 && words.every((word) => REMARKS.has(foldText(word).text));
}

function amountsFor(grid: DocumentGrid, label: FoundLabel, role: SumRole): SumCandidate[] {
  const own = amountsIn(
    label.cell,
    label.end,
    Math.min(label.end + label.rest.length, includedIn(label.cell)?.start ?? Number.POSITIVE_INFINITY),
  );
  const right = amountsRight(grid, label.cell);
  const scored = (amount: PlacedAmount, share: number): SumCandidate => ({
    role,
    amount,
    score: label.weight * share,
  });
  if (right.length > 0) {
    return [
      ...right.map((amount, index) => scored(amount, index === right.length - 1 ? 0.97 : 0.5)),
      ...own.map((amount) => scored(amount, 0.6)),
    ];
  }
  if (own.length > 0) return own.map((amount, index) => scored(amount, index === own.length - 1 ? 1 : 0.55));
  // The amounts below the heads of a table of items are those of the items.
  if (role === 'gross' && columnsOf(grid[label.cell.row] ?? []) !== undefined) return [];
  return amountsUnder(grid, label).map((amount, index, all) =>
    scored(amount, index === all.length - 1 ? 0.85 : 0.6),
  );
}

/** Amounts to the right, up to the next label. */
function amountsRight(grid: DocumentGrid, cell: GridCell): PlacedAmount[] {
  const amounts: PlacedAmount[] = [];
  for (const other of cellsRight(grid, cell)) {
    if (labelsIn(other).some(({ opens, role }) => opens && (SUMS.has(role) || role === 'prepaid'))) break;
    amounts.push(...amountsIn(other, 0, includedIn(other)?.start));
  }
  return amounts;
}

const COLUMN_ROWS = 16;

/** The amounts in the column below a label, up to the first cell that is not an amount. */
function amountsUnder(grid: DocumentGrid, label: FoundLabel): PlacedAmount[] {
  const amounts: PlacedAmount[] = [];
  for (const below of cellsBelow(grid, label.box, COLUMN_ROWS)) {
    const here = amountsIn(below);
    const last = here.at(-1);
    if (last === undefined || /\p{L}{4}/u.test(below.text.replace(last.printed, ''))) {
      if (amounts.length > 0 || labelsIn(below).length > 0) break;
      continue;
    }
    amounts.push(last);
  }
  return amounts;
}

/** Charges and deductions that are neither net sum nor tax; with a subtotal they add up to the total too. */
const OTHER_CHARGE =
  /^\W*(?:shipping|postage|p ?& ?p|delivery|carriage|freight|handling|insurance|tip|gratuity|service charge|discount|deposit|voucher|versand\p{L}*|porto|fracht\p{L}*|lieferkosten|verpackung|trinkgeld|rabatt|pfand|gutschein|frais d[e’' ]|livraison|exp[ée]dition|pourboire|remise|verzend\p{L}*|bezorg\p{L}*|fooi|korting|statiegeld|gastos? de env[ií]o|env[ií]o|propina|descuento|spedizione|spese di|trasporto|mancia|sconto)(?!\p{L})/iu;

/** Whether a row is a charge other than tax. */
export function isOtherCharge(cells: DocumentGrid[number]): boolean {
  const words = cells.find(({ text }) => /\p{L}/u.test(text))?.text ?? '';
  return OTHER_CHARGE.test(words);
}

/** "£74.85 (includes £12.48 VAT)", "inkl. 19 % MwSt. 3,80 €": words that shops print after the total. */
const INCLUDED =
  /(?<!\p{L})(?:includ(?:es|ing|ed)|incl\.?|of which|davon|darin enthalten\p{L}*|enth[äa]lt|inkl(?:usive|\.)?|dont|waarvan|inclusief|incluye|incluid[oa]s?|di cui|include|compresa)(?=[\s\d.,:%@\p{Sc}]|\p{L})[^()]{0,40}?(?<!\p{L})(?:vat|tax|gst|mwst|ust|umsatzsteuer|mehrwertsteuer|tva|btw|iva)(?!\p{L})/iu;

/** Where the words about the tax within a total begin; undefined if no total stands before them. */
function includedIn(cell: GridCell): { start: number } | undefined {
  const match = INCLUDED.exec(cell.text);
  // Without a total before them these words are a label, whose amount stands after or beside it.
  if (match === null || amountsIn(cell, 0, match.index).length === 0) return undefined;
  return { start: match.index };
}

/** Taxes that the words after a total name as part of it. */
export function includedTaxes(grid: DocumentGrid): SumCandidate[] {
  return grid.flatMap((cells) =>
    cells.flatMap((cell): SumCandidate[] => {
      const included = includedIn(cell);
      if (included === undefined) return [];
      const [amount] = amountsIn(cell, included.start);
      return amount === undefined ? [] : [{ role: 'tax', amount, score: 0.85 }];
    }),
  );
}

/** Sums of rows that hold net, tax and gross beside each other: a + b = c, where b can be a tax of a. */
export function sumRows(grid: DocumentGrid): SumCandidate[] {
  return grid.flatMap((cells) => {
    const amounts = cells.flatMap((cell) => amountsIn(cell));
    if (amounts.length < 3 || amounts.length > 8) return [];
    const [a, b, c] = amounts.slice(-3);
    if (a === undefined || b === undefined || c === undefined || b.cents === 0) return [];
    if (a.cents + b.cents !== c.cents || !isTaxOf(b.cents, a.cents)) return [];
    return [
      { role: 'net' as const, amount: a, score: 0.4 },
      { role: 'tax' as const, amount: b, score: 0.4 },
      { role: 'gross' as const, amount: c, score: 0.45 },
    ];
  });
}

/** Rows at the foot of a bill that hold its sums. */
const FOOT = 6;
const RATE = /(?<![\d.,])(\d{1,2}(?:[.,]\d{1,2})?)\s?%/;
/** How far amounts of one column may be out of line, in points, and how far rounding may be off, in cents. */
const OUT_OF_LINE = 14;
const ROUNDED = 2;

/** The last amount of a row, with the rate that the row prints. */
interface FootRow {
  readonly amount: PlacedAmount;
  readonly rate: number | undefined;
}

/**
 * Sums in a column, found without labels: an amount, one or two taxes with printed rates, and the total of all of them.
 * This works in any language: "9 % … 1.082,76" under 12.030,65 can be nothing else.
 */
export function sumColumns(grid: DocumentGrid): SumCandidate[] {
  const rows = grid.flatMap((cells): FootRow[] => {
    const amount = cells.flatMap((cell) => amountsIn(cell)).at(-1);
    const rate = RATE.exec(cells.map(({ text }) => text).join(' '))?.[1];
    return amount === undefined
      ? []
      : [{ amount, rate: rate === undefined ? undefined : Number(rate.replace(',', '.')) }];
  });
  return rows.flatMap((net, at) => sumsUnder(net, rows.slice(at + 1, at + FOOT)));
}

function sumsUnder(net: FootRow, below: readonly FootRow[]): SumCandidate[] {
  const column = below.filter(
    ({ amount }) =>
      amount.cell.page === net.amount.cell.page &&
      Math.abs(amount.cell.right - net.amount.cell.right) <= OUT_OF_LINE,
  );
  const [first, second] = column;
  if (net.amount.cents <= 0 || first?.rate === undefined) return [];
  const taxes = isAtRate(net, first) ? [first] : second?.rate === undefined ? [] : [first, second];
  const sum = taxes.reduce((cents, { amount }) => cents + amount.cents, 0);
  if (taxes.length === 0 || !isTaxOf(sum, net.amount.cents) || sum === 0) return [];
  const total = column
    .slice(taxes.length)
    .find(({ amount }) => Math.abs(amount.cents - net.amount.cents - sum) <= (taxes.length - 1) * ROUNDED);
  if (total === undefined) return [];
  return [
    { role: 'net', amount: net.amount, score: 0.45 },
    ...taxes.map(({ amount }) => ({ role: 'tax' as const, amount, score: 0.45 })),
    { role: 'gross', amount: total.amount, score: 0.5 },
  ];
}

function isAtRate(net: FootRow, { amount, rate = 0 }: FootRow): boolean {
  return Math.abs(amount.cents - (net.amount.cents * rate) / 100) <= ROUNDED;
}

/** The highest rate of value added tax in use is 27 %, in Hungary. */
const HIGHEST_RATE = 0.28;

/** Whether an amount can be the tax of a net sum. */
export function isTaxOf(tax: number, net: number): boolean {
  return tax === 0 || (net !== 0 && tax / net > 0 && tax / net <= HIGHEST_RATE);
}
