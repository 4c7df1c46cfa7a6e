import type { GridCell } from '../layout/document-grid.ts';
import { currencyOf } from '../values/amounts.ts';

/** A number in a row, and the place where it is printed. */
export interface RowNumber {
  readonly printed: string;
  /** Its possible values: 1.000 is one or a thousand. */
  readonly values: readonly number[];
  /** Number of decimals. */
  readonly decimals: number;
  /** Whether it is a percentage. */
  readonly percent: boolean;
  /** Whether a currency stands beside it, or it has two decimals. */
  readonly isMoney: boolean;
  /** The letters after it: the unit. */
  readonly unit: string | undefined;
  readonly cell: GridCell;
  /** Its place in the cell's text. */
  readonly start: number;
  readonly box: { readonly left: number; readonly right: number };
}

/** The text that names the goods in a row, and its place. */
export interface RowText {
  readonly text: string;
  readonly cell: GridCell;
}

const FIGURE =
  /(?<![\p{L}\d.,/:-])([-−–]\s?)?(\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d{1,4})?|\d{1,3}(?:[ .'’\u202f,]\d{3})+(?:[.,]\d{1,4})?|\d+(?:[.,]\d{1,6})?)(-(?![\d\p{L}]))?(?![\d\p{L}]|[.,/:-]\d)/gu;
/** Most digits of a number; longer ones are codes. */
const MOST_DIGITS = 9;
/** A cell that holds only an amount in brackets, as accounts write credits. */
const IN_BRACKETS =
  /^(?:\p{Sc}|[A-Z]{3})?\s?\((?:\p{Sc}\s?)?[\d.,'’ ]*\d[.,]\d\d(?:\s?(?:\p{Sc}|[A-Z]{3}))?\)(?:\s?(?:\p{Sc}|[A-Z]{3}))?$/u;
const MONEY_SIGNS = /[£€$₹¥]|(?<!\p{L})(?:[A-Z]{3}|RM|Rs\.?|Fr\.?|kr|zł)(?!\p{L})/gu;
/** Units after a quantity: "Stk.", "Unit(s)", "m2", "hours". */
const UNIT = /^[^\S\n]*(\p{L}[\p{L}().²³2/]{0,11})(?![\p{L}\d])/u;

/** The numbers and texts of a row's cells, left to right. */
export function partsOf(cells: readonly GridCell[]): { numbers: RowNumber[]; texts: RowText[] } {
  const numbers: RowNumber[] = [];
  const texts: RowText[] = [];
  for (const cell of cells) {
    const found = numbersIn(cell);
    if (isOfFigures(cell.text)) {
      numbers.push(...found);
      continue;
    }
    const tail = tailOf(cell, found);
    const end = tail[0]?.start ?? cell.text.length;
    const text = cell.text.slice(0, end).replace(MONEY_SIGNS, (sign) => (/\p{L}/u.test(sign) ? sign : ''));
    if (/\p{L}/u.test(text)) texts.push({ text: text.trim(), cell });
    numbers.push(...tail);
  }
  return { numbers, texts };
}

/** Whether a cell holds only numbers, with currencies, percentages and one short unit after them. */
function isOfFigures(text: string): boolean {
  if (!/\d/.test(text)) return false;
  const bare = text.replace(MONEY_SIGNS, ' ').trim();
  const rest = bare
    .replace(FIGURE, ' ')
    .replace(/[%*x×@()+]/g, ' ')
    .trim();
  return rest === '' || (/^[-–+]?\s?\d/.test(bare) && /^\p{L}[\p{L}.²³2/]{0,11}(?: \p{L})?$/u.test(rest));
}

/** The numbers at the end of a text whose columns are too close to be separate cells; the last one is money. */
function tailOf({ text }: GridCell, numbers: readonly RowNumber[]): RowNumber[] {
  const tail: RowNumber[] = [];
  let end = text.length;
  for (const number of [...numbers].reverse()) {
    const between = text.slice(number.start + number.printed.length, end).replace(MONEY_SIGNS, '');
    if (!/^[\s%]*(?:\p{L}{1,5}\.?\s*)?$/u.test(between)) break;
    tail.unshift(number);
    end = number.start;
  }
  return tail.at(-1)?.isMoney === true ? tail : [];
}

function numbersIn(cell: GridCell): RowNumber[] {
  const { text, left, right } = cell;
  const at = (index: number): number => left + ((right - left) * index) / Math.max(1, text.length);
  const isCredit = IN_BRACKETS.test(text.trim());
  return [...text.matchAll(FIGURE)].flatMap((match): RowNumber[] => {
    const [printed, minus, digits = '', minusBehind] = match;
    if (digits.replace(/\D/g, '').length > MOST_DIGITS) return [];
    const behind = text.slice(match.index + printed.length);
    const before = text.slice(0, match.index);
    const sign = minus !== undefined || minusBehind !== undefined || isCredit ? -1 : 1;
    const percent = /^\s?%/.test(behind);
    const currency =
      currencyOf(/^\s?(\S{1,3})/.exec(behind)?.[1]) ?? currencyOf(/(\S{1,3})\s?$/.exec(before)?.[1]);
    const decimals = /[.,](\d+)$/.exec(digits)?.[1]?.length ?? 0;
    const unit = UNIT.exec(behind)?.[1];
    return [
      {
        printed,
        values: valuesOf(digits).map((value) => sign * value),
        decimals,
        percent,
        isMoney: !percent && (currency !== undefined || decimals === 2),
        unit: unit === undefined || currencyOf(unit) !== undefined ? undefined : unit,
        cell,
        start: match.index,
        box: { left: at(match.index), right: at(match.index + printed.length) },
      },
    ];
  });
}

function valuesOf(digits: string): number[] {
  const bare = digits.replace(/[ '’\u202f]/g, '');
  const last = Math.max(bare.lastIndexOf('.'), bare.lastIndexOf(','));
  if (last < 0) return [Number(bare)];
  const whole = Number(bare.replace(/[.,]/g, ''));
  const parted = Number(`${bare.slice(0, last).replace(/[.,]/g, '')}.${bare.slice(last + 1)}`);
  const marks = bare.match(/[.,]/g) ?? [];
  // Two equal marks group digits; the last of two different ones is the point; one before three digits may be either.
  if (marks.length > 1) return new Set(marks).size === 1 ? [whole] : [parted];
  return bare.length - last - 1 === 3 ? [whole, parted] : [parted];
}
