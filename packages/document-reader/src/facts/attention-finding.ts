import { SURE_ENOUGH } from '../contract/confidence-threshold.contract.ts';
import type { Citer } from '../contract/quote-finding.ts';
import type { Attention, Block, Field } from '../contract/report.contract.ts';
import { findAmounts } from '../values/amounts.ts';
import { readableDay } from '../values/dates.ts';

/** Text that gives orders to a machine (docs/security-attacks.md, attack 39). */
const INSTRUCTIONS =
  /\b(?:ignore|disregard|forget) (?:all |any |the )?(?:previous|prior|above|earlier) (?:instructions?|prompts?|messages?)|\b(?:you are now|act as) (?:an? )?(?:ai|assistant|language model)|\bsystem prompt\b|\breveal (?:other|all) (?:files|documents|users)\b/i;
/** Largest difference from rounding, in units of the currency. */
const ROUNDING = 0.02;

/**
 * Warnings for the owner: dates to keep, sums that do not add up, unread pages, suspicious text. No alarm about
 * money relies on a value that is not sure.
 */
export function findAttention(
  blocks: readonly Block[],
  fields: readonly Field[],
  unread: readonly { page: number; reason: string }[],
  citer: Citer,
): Attention[] {
  const attention: Attention[] = [];
  const field = (key: string): Field | undefined => fields.find((candidate) => candidate.key === key);
  const sure = (key: string): Field | undefined => {
    const found = field(key);
    return found !== undefined && found.confidence >= SURE_ENOUGH ? found : undefined;
  };
  const due = sure('due_date');
  if (due?.normalized !== undefined) {
    // An amount that was paid earlier is not due again.
    const total = sure('amount_due') ?? sure('total');
    if (!isSettled(total))
      attention.push({
        code: 'payment_due',
        severity: 'warn',
        text:
          total === undefined
            ? `Payment is due on ${dayOf(due)}.`
            : `${total.value} is due on ${dayOf(due)}.`,
        cites: due.cites,
      });
  }
  const end = field('end_date');
  if (end !== undefined) {
    attention.push({ code: 'ends', severity: 'info', text: `It ends on ${dayOf(end)}.`, cites: end.cites });
  }
  const notice = field('notice_period');
  if (notice !== undefined) {
    attention.push({
      code: 'notice',
      severity: 'info',
      text: `Notice: ${notice.value}.`,
      cites: notice.cites,
    });
  }
  attention.push(...sumMismatch([sure('net_total'), sure('tax_total'), sure('total')], blocks));
  attention.push(...instructionsTo(blocks, citer));
  if (unread.length > 0) {
    const pages = unread
      .slice(0, 8)
      .map(({ page }) => page)
      .join(', ');
    attention.push({
      code: 'pages_not_read',
      severity: 'warn',
      text: `${unread.length === 1 ? 'Page' : 'Pages'} ${pages}${unread.length > 8 ? ' …' : ''} could not be read: ${unread[0]?.reason ?? ''}.`,
      cites: [],
    });
  }
  return attention;
}

/** Whether nothing is left to pay, or the customer gets money back. */
function isSettled(total: Field | undefined): boolean {
  return total?.normalized !== undefined && Number(total.normalized) <= 0;
}

/** A day in words: 04/05/2026 could mean two days. */
function dayOf({ value, normalized }: Field): string {
  return readableDay(normalized) || value;
}

function sumMismatch(
  [net, tax, total]: readonly (Field | undefined)[],
  blocks: readonly Block[],
): Attention[] {
  const [sum, base, vat] = [total, net, tax].map((field) => Number(field?.normalized ?? Number.NaN));
  if (sum === undefined || base === undefined || vat === undefined || Number.isNaN(sum + base + vat))
    return [];
  const difference = Math.abs(base + vat - sum);
  if (difference <= ROUNDING || isPrinted(difference, blocks)) return [];
  return [
    {
      code: 'sum_mismatch',
      severity: 'info',
      text: `Net total ${net?.value} and VAT ${tax?.value} do not add up to the total ${total?.value}: check the figures.`,
      cites: [...(total?.cites ?? []), ...(net?.cites ?? [])],
    },
  ];
}

/** Whether the document prints the difference: a withheld income tax, a deposit, a rounding. */
function isPrinted(difference: number, blocks: readonly Block[]): boolean {
  const printed = difference.toFixed(2);
  return blocks.some(({ text }) => findAmounts(text).some(({ value }) => value.replace('-', '') === printed));
}

function instructionsTo(blocks: readonly Block[], citer: Citer): Attention[] {
  for (const block of blocks) {
    const match = INSTRUCTIONS.exec(block.text);
    if (match === null) continue;
    return [
      {
        code: 'instructions',
        severity: 'high',
        text: 'The document holds text that gives orders to a machine. It was treated as text and nothing else.',
        cites: [citer.at(block, match.index, match.index + match[0].length)],
      },
    ];
  }
  return [];
}
