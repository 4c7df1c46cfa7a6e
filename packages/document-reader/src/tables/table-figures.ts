import { findAmounts } from '../values/amounts.ts';
import { findDate } from '../values/dates.ts';

/** Whole numbers. A leading 0 marks a code, and 1.234 may be more than a thousand or hardly more than one. */
const WHOLE =
  /^[-−]?(?:0|[1-9]\d{0,11}|[1-9]\d?(?:,\d{2})+,\d{3}|[1-9]\d{0,2}(?:[ '’]\d{3})+|[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})+)$/;

/** The number of a cell that holds nothing else, as `1.234,56 €` or `-12`; undefined for others, as `£3.00 CR`. */
export function figureOf(text: string): number | undefined {
  // Many documents print a dash for the minus sign.
  const bare = text.trim().replace(/^[–—](?=\s?[\d\p{Sc}])/u, '-');
  if (WHOLE.test(bare)) return Number(bare.replace('−', '-').replace(/[ .,'’]/g, ''));
  // Sheets hold 19.5 and 0.0725: one decimal, or four and more, cannot be a group of thousands.
  if (/^[-−]?\d{1,12}(?:[.,]\d|\.\d{4,15})$/.test(bare))
    return Number(bare.replace('−', '-').replace(',', '.'));
  const [amount, second] = findAmounts(bare);
  if (amount === undefined || second !== undefined || findDate(bare) !== undefined) return undefined;
  const rest = bare.replace(amount.printed, '').replace(/[\s()%+]/g, '');
  return rest === '' ? Number(amount.value) : undefined;
}

/** Whether a cell holds figures or a day, and hardly any words. */
export function isFigureOrDay(text: string): boolean {
  if (figureOf(text) !== undefined) return true;
  const rest = text.replace(findDate(text)?.printed ?? '', '');
  return (/\d/.test(text) && !/\p{L}{3}/u.test(rest)) || (rest.trim() === '' && text !== '');
}
