import type { DocumentGrid, GridCell } from '../layout/document-grid.ts';
import { amountsIn, type PlacedAmount } from './bill-amounts.ts';
import { isRounding, labelOf, type ReceiptLine, receiptLineOf } from './receipt-labels.ts';

/** How strongly each kind of line says that its amount is the total. */
const POINTS: Readonly<Partial<Record<ReceiptLine, number>>> = {
  'rounded total': 3.3,
  total: 3,
  'plain total': 2.4,
};
/** Points for the sum that equals cash minus change, the surest proof. */
const PROVEN = 3;
/** Points for the sum that a printed rounding makes of another total. */
const ROUNDED = 2;
/** Points for the sum that was charged to a card. */
const CHARGED = 1;
/** Points for each further print of the sum: beside a card, in a table of taxes. */
const REPEATED = 0.25;
const MOST_SURE = 0.96;

interface SumLine {
  readonly what: ReceiptLine;
  readonly amount: PlacedAmount;
}

/** The total of a receipt: of the sums whose lines call them a total, the one that fits the payment best. */
export function findReceiptTotal(grid: DocumentGrid): (PlacedAmount & { sure: number }) | undefined {
  const lines = sumLines(grid);
  const paid = paidWithChange(lines);
  const charged = new Set(lines.filter(({ what }) => what === 'card').map(({ amount }) => amount.cents));
  const counts = countsOf(grid);
  const rounded = roundedSum(grid, lines);
  const totals = lines.filter(({ what }) => POINTS[what] !== undefined);
  const score = ({ what, amount: { cents } }: SumLine): number =>
    (POINTS[what] ?? 0) +
    (cents === paid ? PROVEN : 0) +
    (cents === rounded ? ROUNDED : 0) +
    (charged.has(cents) ? CHARGED : 0) +
    ((counts.get(cents) ?? 0) > 1 ? REPEATED : 0);
  // "Total" may stand again in the summary of taxes below, with a smaller sum.
  const best = totals.reduce<SumLine | undefined>(
    (chosen, line) =>
      chosen === undefined ||
      score(line) > score(chosen) + 0.001 ||
      (Math.abs(score(line) - score(chosen)) <= 0.001 && line.amount.cents > chosen.amount.cents)
        ? line
        : chosen,
    undefined,
  );
  const proven = paid ?? rounded;
  const unsaid = proven === undefined || best?.amount.cents === proven ? undefined : placeOf(grid, proven);
  // Cash and change, or the rounding, prove another sum than the labelled one.
  if (unsaid !== undefined && (best === undefined || score(best) < PROVEN + 1))
    return { ...unsaid, sure: 0.9 };
  if (best === undefined) return chargedAlone(lines);
  return { ...best.amount, sure: Math.min(MOST_SURE, 0.7 + score(best) / 16) };
}

/** The total without a label: the amount that the card was charged, if only one was. */
function chargedAlone(lines: readonly SumLine[]): (PlacedAmount & { sure: number }) | undefined {
  const cards = lines.filter(({ what }) => what === 'card');
  const [first] = cards;
  if (first === undefined || cards.some(({ amount }) => amount.cents !== first.amount.cents))
    return undefined;
  return { ...first.amount, sure: 0.75 };
}

function sumLines(grid: DocumentGrid): SumLine[] {
  return grid.flatMap((cells, row): SumLine[] => {
    const what = receiptLineOf(labelOf(cells));
    const amount = what === undefined ? undefined : (ownAmount(cells) ?? amountBelow(grid, what, row));
    return what === undefined || amount === undefined || amount.cents <= 0 ? [] : [{ what, amount }];
  });
}

/** Cash minus change in hundredths, if both are printed. */
function paidWithChange(lines: readonly SumLine[]): number | undefined {
  const given = lines.findLast(({ what }) => what === 'given')?.amount.cents;
  const back = lines.findLast(({ what }) => what === 'back')?.amount.cents;
  return given === undefined || back === undefined || given <= back ? undefined : given - back;
}

/** Coins of five hundredths are the smallest where tills round, so no rounding is larger than this. */
const LARGEST_ROUNDING = 5;
const COIN = 5;

/**
 * The sum after rounding: a total that no coins can pay, plus the printed rounding, if a line prints that sum too. Some
 * tills leave out the sign of the rounding.
 */
function roundedSum(grid: DocumentGrid, lines: readonly SumLine[]): number | undefined {
  const roundings = grid
    .filter((cells) => isRounding(labelOf(cells)))
    .flatMap((cells) => ownAmount(cells)?.cents ?? [])
    .filter((cents) => cents !== 0 && Math.abs(cents) <= LARGEST_ROUNDING);
  const sums = lines
    .filter(({ what, amount }) => POINTS[what] !== undefined && amount.cents % COIN !== 0)
    .flatMap(({ amount }) =>
      roundings.flatMap((by) => (by < 0 ? [amount.cents + by] : [amount.cents + by, amount.cents - by])),
    );
  return sums.find((cents) => cents % COIN === 0 && placeOf(grid, cents) !== undefined);
}

/** The last place of a sum on a line that is neither cash nor change. */
function placeOf(grid: DocumentGrid, cents: number): PlacedAmount | undefined {
  return grid
    .filter((cells) => !['given', 'back'].includes(receiptLineOf(labelOf(cells)) ?? ''))
    .flatMap((cells) => cells.flatMap((cell) => amountsIn(cell)))
    .findLast((amount) => amount.cents === cents);
}

function countsOf(grid: DocumentGrid): Map<number, number> {
  const counts = new Map<number, number>();
  for (const cell of grid.flat())
    for (const { cents } of amountsIn(cell)) counts.set(cents, (counts.get(cents) ?? 0) + 1);
  return counts;
}

function ownAmount(cells: readonly GridCell[]): PlacedAmount | undefined {
  return cells.flatMap((cell) => amountsIn(cell)).at(-1);
}

/** The amount on the line below a label. Tills print totals like that, and text from pictures may be split. */
function amountBelow(grid: DocumentGrid, what: ReceiptLine, row: number): PlacedAmount | undefined {
  if (POINTS[what] === undefined) return undefined;
  for (const near of [row + 1, row + 2]) {
    const line = grid[near] ?? [];
    const text = line.map((cell) => cell.text).join(' ');
    if (/\p{L}{3}/u.test(text)) continue;
    const amount = line.flatMap((cell) => amountsIn(cell)).at(-1);
    if (amount !== undefined) return amount;
  }
  return undefined;
}
