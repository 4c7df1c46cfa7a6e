import { findAmounts } from '../values/amounts.ts';
import { findDate } from '../values/dates.ts';

/** Whole numbers; what begins with 0 is a code, and of 1.234 nobody knows whether it is more than a thousand. */
const WHOLE =
  /^[-−]?(?:0|[1-9]\d{0,11}|[1-9]\d?(?:,\d{2})+,\d{3}|[1-9]\d{0,2}(?:[ '’]\d{3})+|[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})+)$/;

/** The number that a cell prints, and nothing but it: `1.234,56 €`, `-12`, `£3.00 CR` is none. Undefined for any other text. */
export function figureOf(text: string): number | undefined {
  // Many print a dash for the minus.
  const bare = text.trim().replace(/^[–—](?=\s?[\d\p{Sc}])/u, '-');
  if (WHOLE.test(bare)) return Number(bare.replace('−', '-').replace(/[ .,'’]/g, ''));
  // Sheets hold 19.5, and 0.0725: of one decimal or of four and more nobody thinks that they are thousands.
  if (/^[-−]?\d{1,12}(?:[.,]\d|\.\d{4,15})$/.test(bare))
    return Number(bare.replace('−', '-').replace(',', '.'));
  const [amount, second] = findAmounts(bare);
  if (amount === undefined || second !== undefined || findDate(bare) !== undefined) return undefined;
  const rest = bare.replace(amount.printed, '').replace(/[\s()%+]/g, '');
  return rest === '' ? Number(amount.value) : undefined;
}

/** Whether a cell holds figures or a day and hardly a word. */
export function isFigureOrDay(text: string): boolean {
  if (figureOf(text) !== undefined) return true;
  const rest = text.replace(findDate(text)?.printed ?? '', '');
  return (/\d/.test(text) && !/\p{L}{3}/u.test(rest)) || (rest.trim() === '' && text !== '');
}
