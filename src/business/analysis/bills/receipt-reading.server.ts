import { findDate } from '../report/value-parsing.server.ts';
import { amountsIn, type PlacedAmount } from './bill-amounts.server.ts';
import type { BillGrid, GridCell } from './bill-grid.server.ts';
import { folded } from './folded-text.server.ts';
import type { HeadValue } from './head-value.server.ts';
import type { FoundLabel } from './label-finding.server.ts';
import { isName, type PartyName } from './party-finding.server.ts';

/** Rows at the top of a till's print that hold the shop's name. */
const NAME_ROWS = 8;
/** How companies end their names, which says more than what a shop is; text from pictures lacks spaces. */
const COMPANY =
  /(?:sdn\.?\s?b?[hn]?[dn]?|s\/b|\bbhd|enterprise|trading(?: co)?|ltd|limited|llp|gmbh|\bkg|b\.v\.|sarl|s\.?r\.?l\.?|s\.l\.|s\.a\.|\binc|\bllc|\bplc)[\s.)]*$/i;
const SHOP =
  /restauran|restoran|hardware|stationery|supermarket|supermarkt|supermercad|hypermarket|\bmart\b|market|\bstore|\bshop|cafe|café|bistro|bakery|pharmacy|apotheke|farmac|\bag$|hotel|marketing|electrical|\bbooks?\b|kitchen|\bhouse\b|centre|center|corporation|holdings|industries|\bgroup\b|\bfood|motor|services?\b|perniagaan|syarikat|kedai|pasar|bäckerei|boulangerie|panader|drogerie|tankstelle/i;
const NO_SHOP =
  /^(?:tax invoice|invoice|receipt|cash ?bill|cash ?sales?|cash$|tel|fax|gst|co\.? ?reg|reg\.? ?no|company|welcome|no\.?\s?\d|lot\b|jalan|jln|date|copy|duplicate|table|original|simplified|kassenbon|quittung|ticket|page|www|http|\()/i;
/** A company's number in its register, which tills print behind or under the name. */
const REGISTERED =
  /^\W*(?:(?:co|roc|br|reg|company|ssm|business)\b.{0,14})?[A-Z]{0,3}\d{5,}\s?-\s?[A-Z]\W*$/i;
const REGISTERED_BEHIND =
  /\s*[(（]?\s*(?:co\.?\s*(?:reg\.?)?\s*(?:no\.?)?|reg\.?\s*no\.?)?\s*:?\s*\d{4,}\s*-?\s*[A-Z]?\s*[)）]?\s*$/i;

interface ShopLine extends PartyName {
  readonly points: number;
}

/** The shop at the top of a receipt: the line that looks most like a company's name, the first of equal ones. */
export function findShop(grid: BillGrid): PartyName | undefined {
  const lines = grid.slice(0, NAME_ROWS + 1).map((cells) => ({
    text: cells
      .map(({ text }) => text)
      .join(' ')
      .trim(),
    cell: cells[0],
  }));
  const names = lines.slice(0, NAME_ROWS).flatMap(({ text, cell }, index): ShopLine[] => {
    if (cell === undefined || NO_SHOP.test(text) || !isName(text)) return [];
    const printed = text.replace(REGISTERED_BEHIND, '').trim();
    const next = lines[index + 1]?.text ?? '';
    const points =
      (COMPANY.test(printed) ? 4 : 0) +
      (isNamedShop(printed) ? 2 : 0) +
      (REGISTERED.test(next) || printed.length < text.length ? 2 : 0) -
      index * 0.5;
    return [{ printed, cell, score: points >= 1.5 ? 0.85 : 0.6, points }];
  });
  const chosen = names.reduce<ShopLine | undefined>(
    (best, name) => (best === undefined || name.points > best.points ? name : best),
    undefined,
  );
  if (chosen === undefined || folded(chosen.printed).length < 3) return undefined;
  return { printed: chosen.printed, cell: chosen.cell, score: chosen.score };
}

/** "Asia Mart", and not "Bistro & Cafe": what a shop is, with a name of its own. */
function isNamedShop(line: string): boolean {
  return SHOP.test(line) && /\p{L}{2}/u.test(line.replace(new RegExp(SHOP.source, 'gi'), ''));
}

/** The date of a receipt: beside its label, else the first one that is printed. */
export function findReceiptDate(
  grid: BillGrid,
  labelled: HeadValue | undefined,
  dayFirst: boolean,
): HeadValue | undefined {
  if (labelled !== undefined && labelled.score > 0.65) return labelled;
  for (const cell of grid.flat()) {
    const date = findDate(cell.text, dayFirst);
    if (date !== undefined) return { printed: date.printed, normalized: date.iso, cell, score: 0.72 };
  }
  return labelled;
}

const TOTAL =
  /(?:^|\W)(?:rounded ?total|total ?rounded|grand ?total|nett? ?total|total ?(?:amount|amt|sales?|due|payable|incl\w*|rm|after ?rounding)?|amount ?due|gesamt(?:betrag)?|summe|total ?ttc|totaal|totale(?: complessivo)?|importe ?total|bar|zu zahlen)(?![\p{L}])/iu;
const NO_TOTAL =
  /sub ?-?total|total ?(?:gst|tax|vat|qty|quantity|items?|saving|discount|disc|excl|exclu|ex\b|before|point|tender|paid|mwst|tva|btw|iva)|gst|excl|\btax\b|mwst|netto|discount|item|qty|saving|tender|change|rounding ?adj|summary/i;

/** The total of a receipt: the lowest line that says so; one that is rounded wins. */
export function findReceiptTotal(grid: BillGrid): (PlacedAmount & { sure: number }) | undefined {
  const found = grid.flatMap((cells, row) => {
    const text = cells.map((cell) => cell.text).join(' ');
    const label = TOTAL.exec(text);
    if (label === null) return [];
    const before = text
      .slice(0, label.index + label[0].length + 16)
      .replace(/incl\w*\.?(?: of)? (?:gst|tax|vat|mwst)|(?:gst|tax) incl\w*|inkl\w*\.? mwst|with gst/gi, '');
    if (NO_TOTAL.test(before)) return [];
    const amount = amountOf(grid, cells, row);
    if (amount === undefined || amount.cents <= 0) return [];
    return [
      {
        ...amount,
        row,
        sure: /round/i.test(text) ? 0.95 : /grand|nett|payable|due|incl/i.test(text) ? 0.92 : 0.88,
      },
    ];
  });
  const paid = paidWithChange(grid);
  const proven = found.findLast(({ cents }) => cents === paid?.cents) ?? paid;
  if (proven !== undefined) return { ...proven, sure: 0.96 };
  const rounded = found.findLast(({ sure }) => sure === 0.95);
  if (rounded !== undefined) return rounded;
  // "Total" stands again in the summary of taxes below, which is smaller.
  return found.reduce<(typeof found)[number] | undefined>(
    (best, value) =>
      best === undefined || value.cents > best.cents || (value.cents === best.cents && value.sure > best.sure)
        ? value
        : best,
    undefined,
  );
}

const GIVEN =
  /^\W*(?:cash|cash (?:tendered|paid|received)|payment|paid|tendered|tender|bar|gegeben|contant|esp[eè]ces|efectivo|contanti)\b/i;
const BACK = /change|r[üu]ckgeld|zur[üu]ck|rendu|wisselgeld|cambio|resto/i;

/** What was given less what was given back, where that is printed too: no other sum says so surely what was paid. */
function paidWithChange(grid: BillGrid): PlacedAmount | undefined {
  const lines = grid.map((cells, row) => ({ cells, row, text: cells.map((cell) => cell.text).join(' ') }));
  const sumOf = (mark: RegExp, not?: RegExp): number | undefined => {
    const line = lines.findLast(({ text }) => mark.test(text) && not?.test(text) !== true);
    return line === undefined ? undefined : amountOf(grid, line.cells, line.row)?.cents;
  };
  const [given, back] = [sumOf(GIVEN, BACK), sumOf(BACK)];
  if (given === undefined || back === undefined || back <= 0 || given <= back) return undefined;
  return lines
    .filter(({ text }) => !GIVEN.test(text) && !BACK.test(text))
    .flatMap(({ cells }) => cells.flatMap((cell) => amountsIn(cell)))
    .findLast(({ cents }) => cents === given - back);
}

function amountOf(grid: BillGrid, cells: readonly GridCell[], row: number): PlacedAmount | undefined {
  const own = cells.flatMap((cell) => amountsIn(cell)).at(-1);
  if (own !== undefined) return own;
  // Text from a picture may put the amount on the line below, or just above.
  for (const near of [row + 1, row + 2]) {
    const line = grid[near] ?? [];
    const text = line.map((cell) => cell.text).join(' ');
    if (/\p{L}{3}/u.test(text)) continue;
    const amount = line.flatMap((cell) => amountsIn(cell)).at(-1);
    if (amount !== undefined) return amount;
  }
  return undefined;
}

/** Whether a bill is a till's print: what was given and what was given back. */
export function isTillPrint(labels: readonly FoundLabel[], text: string): boolean {
  const marks = [
    /\b(?:cash|change|tendered?|cashier|kassierer|bar gegeben|r[üu]ckgeld|rendu|contante|wisselgeld|resto|cambio)\b/i,
    /\bthank ?you|come again|goods sold|vielen dank|merci de|bedankt|gracias/i,
    /\b(?:receipt|kassenbon|quittung|ticket|bon|cash ?bill|cash ?sales?|tax invoice|scontrino|kassabon)\b/i,
    /\b(?:qty|item|cashier|table|counter|till|pos|member|rounding)\b/i,
    /\d{1,2}:\d{2}/,
  ].filter((mark) => mark.test(text)).length;
  return (
    marks >= 3 &&
    text.length < 4500 &&
    !labels.some(({ role, weight, rest }) => role === 'due' && weight > 0.8 && findDate(rest) !== undefined)
  );
}
