import type { DocumentGrid } from '../layout/document-grid.ts';
import { amountsIn } from './bill-amounts.ts';

/** Labels of the amount that was due before this bill. */
const BEFORE =
  /\b(?:previous|prior|last (?:bill|statement|invoice)|past due|overdue|arrears|vorherige[rs]?|letzte[rn]? rechnung|r[üu]ckstand|offene (?:forderung|betr[äa]ge)|vorige|openstaande? (?:saldo|facturen)|solde (?:pr[ée]c[ée]dent|ant[ée]rieur)|impay[ée]s?|saldo (?:anterior|precedente|vorige)|deuda (?:anterior|pendiente)|insoluti)\b/iu;
/** Labels of the amount that is carried over into this bill, after payments. */
const CARRIED =
  /\b(?:brought forward|carried (?:forward|over)|remaining balance|unpaid balance|saldovortrag|[üu]bertrag aus|report[ée]? du solde|saldo a cuenta nueva)\b/iu;

/**
 * Whether the amount due includes an older debt or credit, so that it differs from the total of this bill. A balance does
 * not count if it is zero, or if a negative amount of the same size pays it.
 */
export function carriesBalance(grid: DocumentGrid): boolean {
  const all = grid.flatMap((cells) => cells.flatMap((cell) => amountsIn(cell)));
  const isPaid = (cents: number): boolean =>
    all.filter((amount) => Math.abs(amount.cents) === cents).length > 1;
  return grid.some((cells) => {
    const text = cells.map((cell) => cell.text).join(' ');
    const cents = Math.abs(cells.flatMap((cell) => amountsIn(cell)).at(-1)?.cents ?? 0);
    if (cents === 0) return false;
    return CARRIED.test(text) || (BEFORE.test(text) && !isPaid(cents));
  });
}
