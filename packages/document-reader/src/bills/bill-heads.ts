import type { DocumentKind } from '../contract/report.contract.ts';
import { cellsBelow, cellsRight, type DocumentGrid, type GridCell } from '../layout/document-grid.ts';
import { findDate } from '../values/dates.ts';
import { findTitles, ID, isListed, MARK, OTHER_BILL, TITLE_ROWS, type TitleReading } from './bill-titles.ts';
import { datedValue, type HeadValue } from './head-value.ts';
import type { FoundLabel } from './label-finding.ts';
import { labelsIn } from './label-finding.ts';
import { STEM_WEIGHT } from './label-stems.ts';
import { paymentDay } from './payment-day.ts';
import { UNTIL as HOLDS_UNTIL } from './receipt-labels.ts';

/** The head of a bill: its numbers and its dates. */
export interface BillHead {
  readonly number?: HeadValue;
  readonly date?: HeadValue;
  readonly due?: HeadValue;
  readonly delivery?: HeadValue;
  readonly order?: HeadValue;
  readonly customerNumber?: HeadValue;
}

const ID_FIRST = new RegExp(`^[\\s:.#°º\\-–]*${MARK}[\\s(]*${ID}(?![\\p{L}\\d])`, 'iu');

/** Finds numbers and dates by their labels and by the title. */
export function readHead(
  grid: DocumentGrid,
  found: readonly FoundLabel[],
  { kind, dayFirst }: TitleReading,
): BillHead {
  const titled = findTitles(grid, { kind, dayFirst });
  const labels = found.map((label) => asOf(kind, label));
  const number = best([...labels.flatMap((label) => numberAt(grid, label, labels)), ...titled.numbers]);
  const dated = labels
    .filter(({ role }) => role === 'date')
    .flatMap((label) => dateAt(grid, label, dayFirst));
  const placed = placeAndDate(grid, dayFirst);
  const date =
    best([...dated, ...titled.dates, ...(placed === undefined ? [] : [placed])]) ?? loneDate(grid, dayFirst);
  const due = dueDate(grid, labels, { dayFirst, issued: date?.normalized });
  const of = (role: FoundLabel['role'], read: 'id' | 'date'): HeadValue | undefined =>
    best(
      labels
        .filter((label) => label.role === role)
        .flatMap((label) => (read === 'id' ? idAt(grid, label) : dateAt(grid, label, dayFirst))),
    );
  return defined({
    number,
    date,
    due: due !== undefined && due.score < LABELLED && isBefore(due, date) ? undefined : due,
    delivery: of('delivery', 'date'),
    order: of('order', 'id'),
    customerNumber: of('customer_number', 'id'),
  });
}

/** Every number that may be the bill's, from labels and titles. */
export function numbersOf(
  grid: DocumentGrid,
  found: readonly FoundLabel[],
  reading: TitleReading,
): readonly HeadValue[] {
  const labels = found.map((label) => asOf(reading.kind, label));
  return [
    ...labels.flatMap((label) => numberAt(grid, label, labels)),
    ...findTitles(grid, reading, grid.length).numbers,
  ];
}

const NUMBER_OF: Partial<Record<DocumentKind, FoundLabel['role']>> = {
  quotation: 'quote',
  purchase_order: 'order',
};
/** A label that names the invoice on a credit note. */
const OF_INVOICE = /invoice|rechnung(?!skorrektur)|facture|factuur|factura(?! rectificativa)|fattura/i;
/** Factor for a label of another kind of paper, if this paper has labels of its own kind. */
const OF_OTHER = 0.7;

/** The label as this kind of paper means it: an order number is a reference on an invoice, but an order's own number. */
function asOf(kind: DocumentKind, label: FoundLabel): FoundLabel {
  if (label.role === NUMBER_OF[kind]) return { ...label, role: 'number' };
  const isOfInvoice =
    kind === 'credit_note' &&
    (label.role === 'date' || label.role === 'number') &&
    OF_INVOICE.test(label.cell.text.slice(0, label.end));
  return isOfInvoice ? { ...label, weight: label.weight * OF_OTHER } : label;
}

function defined(head: { [key in keyof BillHead]: HeadValue | undefined }): BillHead {
  return Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined)) as BillHead;
}

/** Due dates below this score are dropped if they make an impossible term of payment. */
export const LABELLED = 0.805;

/** Whether the due date is before the date of the bill, which is impossible. */
function isBefore(due: HeadValue, date: HeadValue | undefined): boolean {
  return date !== undefined && (due.normalized ?? '') < (date.normalized ?? '');
}

/** The value with the highest score; among equals, the first on the page. */
function best(values: readonly HeadValue[]): HeadValue | undefined {
  return values.reduce<HeadValue | undefined>(
    (chosen, value) => (chosen === undefined || value.score > chosen.score + 0.001 ? value : chosen),
    undefined,
  );
}

const LEAST = 0.6;

function numberAt(grid: DocumentGrid, label: FoundLabel, all: readonly FoundLabel[]): HeadValue[] {
  if (label.role !== 'number') return [];
  // "Number" alone means the bill's number only beside a date.
  if (label.weight < LEAST && !(label.opens && isBesideDate(label, all))) return [];
  const isKindWord = label.weight < STEM_WEIGHT && label.weight >= LEAST;
  if (isKindWord && !label.opens) return [];
  return idAt(grid, label, isKindWord && !isColumnHead(label, all));
}

const HEADS: ReadonlySet<string> = new Set(['date', 'due', 'order', 'customer_number', 'delivery']);

/** "Order | Invoice date | Invoice | Due date": the word for the kind is the head of the column of numbers. */
function isColumnHead({ cell, rest }: FoundLabel, all: readonly FoundLabel[]): boolean {
  if (/[\p{L}\d]/u.test(rest)) return false;
  const heads = all.filter(
    (other) =>
      other.opens && other.cell.row === cell.row && other.cell !== cell && !/[\p{L}\d]/u.test(other.rest),
  );
  return heads.some(({ role }) => HEADS.has(role));
}

function isBesideDate({ cell }: FoundLabel, all: readonly FoundLabel[]): boolean {
  return all.some(
    (other) =>
      other.role === 'date' &&
      other.opens &&
      Math.abs(other.cell.row - cell.row) <= 2 &&
      other.cell.page === cell.page,
  );
}

function idAt(grid: DocumentGrid, label: FoundLabel, ownCellOnly = false): HeadValue[] {
  const own = idIn(label.reach);
  const isOfOther = OTHER_BILL.test(label.cell.text.slice(0, label.start)) || isListed(grid, label.cell);
  if (own !== undefined)
    return [{ printed: own, cell: label.cell, score: label.weight * (isOfOther ? 0.5 : 1) }];
  if (/\p{L}{2}/u.test(label.rest)) return [];
  const right = cellsRight(grid, label.cell)[0];
  const beside = right === undefined || opensLabel(right) ? undefined : idIn(right.text);
  // "Rechnung | 44116": the word for the kind alone is a label only if its value can be nothing but a number.
  const fits = !ownCellOnly || (/^[\s:]*$/.test(label.rest) && isBareId(right?.text));
  if (beside !== undefined && right !== undefined && fits)
    return [{ printed: beside, cell: right, score: label.weight * 0.97 }];
  return ownCellOnly ? [] : idBelow(grid, label);
}

function idBelow(grid: DocumentGrid, label: FoundLabel): HeadValue[] {
  for (const below of cellsBelow(grid, label.box, 2)) {
    if (opensLabel(below)) break;
    const id = idIn(below.text);
    if (id !== undefined) return [{ printed: id, cell: below, score: label.weight * 0.85 }];
  }
  return [];
}

function isBareId(text: string | undefined): boolean {
  const bare = text?.replace(/^[\s:]+/, '').trim() ?? '';
  return bare.length >= 4 && idIn(bare) === bare;
}

function opensLabel(cell: GridCell): boolean {
  return labelsIn(cell).some(({ opens }) => opens);
}

/** "No. of the invoice 4711", "N° de pièce A27": words that still belong to the label. */
const STILL_LABEL =
  /^[\s:.#°º]*(?:(?:d[eui]|de la|du|of the|of|der|di|della|pi[eè]ce|elettronica|electr[oó]nica|[eé]lectronique|simplificada|invoice|rechnung|facture|factuur|factura|fattura|documento?|document|bill)[\s:.#°º]+){1,3}(?=\S*\d)/iu;

/** "71 2345 6789 0123": figures in groups that fill the rest of the cell. */
const IN_GROUPS = /^[\s:.#°º]*(\d{2,6}(?: \d{2,6}){1,5})\s*$/;
const LEAST_FIGURES = 9;

function idIn(text: string): string | undefined {
  const value = text.replace(STILL_LABEL, '');
  const groups = IN_GROUPS.exec(value)?.[1];
  if (groups !== undefined && groups.replaceAll(' ', '').length >= LEAST_FIGURES) return groups;
  const id = ID_FIRST.exec(value)?.[1]?.replace(/[.,;:/-]+$/, '');
  // A form's example ("00000-0000") is no number.
  if (id === undefined || id.length < 2 || id.length > 40 || !/[1-9]/.test(id)) return undefined;
  // A date, an amount or a type code in brackets is not the number of a document.
  if (/^\W*\(\d{3}\)/.test(text) || isDateAtEnd(id)) return undefined;
  const isDate = findDate(text.slice(0, text.indexOf(id) + id.length + 12))?.printed.startsWith(id) === true;
  if (isDate || /^\d+[.,]\d{2}$/.test(id)) return undefined;
  const more = MORE_GROUPS.exec(value.slice(value.indexOf(id) + id.length))?.[1];
  return more === undefined || id.replace(/\D/g, '').length < LONG_ID ? id : id + more;
}

/** "2024-0098 4471": groups behind a long number that fill the rest of the cell belong to it. */
const MORE_GROUPS = /^((?: \d{3,6}){1,4})\s*$/;
const LONG_ID = 6;

function isDateAtEnd(id: string): boolean {
  const printed = findDate(id)?.printed;
  return printed !== undefined && id.endsWith(printed);
}

/** A price reduction for early payment has a date of its own. */
const DISCOUNT = /skonto|discount|escompte|korting|descuento|sconto/i;

function dateAt(grid: DocumentGrid, label: FoundLabel, dayFirst: boolean): HeadValue[] {
  const own = findDate(label.rest, dayFirst);
  if (own !== undefined) {
    const between = label.rest.slice(0, label.rest.indexOf(own.printed));
    if (DISCOUNT.test(between) || between.length > 40) return [];
    // "Order no. 4711 dated 3 May": the date belongs to the paper that the words before it name.
    const isOfOther = (!label.opens && label.weight < 0.9) || isListed(grid, label.cell);
    return [datedValue(own, label.cell, isOfOther ? label.weight * 0.75 : label.weight)];
  }
  if (!label.opens && label.end - label.start < 8) return [];
  return dateBeside(grid, label, dayFirst) ?? dateBelow(grid, label, dayFirst) ?? [];
}

function dateBeside(
  grid: DocumentGrid,
  { cell, weight }: FoundLabel,
  dayFirst: boolean,
): HeadValue[] | undefined {
  for (const [distance, right] of cellsRight(grid, cell).slice(0, 2).entries()) {
    if (opensLabel(right)) return undefined;
    const date = findDate(right.text, dayFirst);
    if (date !== undefined) return [datedValue(date, right, weight * (0.97 - distance * 0.05))];
  }
  return undefined;
}

function dateBelow(
  grid: DocumentGrid,
  { box, weight }: FoundLabel,
  dayFirst: boolean,
): HeadValue[] | undefined {
  for (const below of cellsBelow(grid, box)) {
    const date = findDate(below.text, dayFirst);
    if (date !== undefined) return [datedValue(date, below, weight * 0.85)];
    if (opensLabel(below)) return undefined;
  }
  return dateInFrame(grid, box, { weight, dayFirst });
}

/** The date of a label at the left of a frame, with its value at the right of the next line and nothing else there. */
function dateInFrame(
  grid: DocumentGrid,
  box: GridCell,
  { weight, dayFirst }: { weight: number; dayFirst: boolean },
): HeadValue[] | undefined {
  const next = (grid[box.row + 1] ?? []).filter(({ left }) => left > box.left);
  const only = next[0];
  const isLast = (grid[box.row] ?? []).every(({ left }) => left <= box.left + 1);
  if (next.length !== 1 || only === undefined || !isLast || only.page !== box.page) return undefined;
  if (box.y !== undefined && only.y !== undefined && box.y - only.y > FRAME_LINE) return undefined;
  const date = findDate(only.text, dayFirst);
  return date === undefined ? undefined : [datedValue(date, only, weight * 0.8)];
}

/** Greatest distance between the lines of a frame, points. */
const FRAME_LINE = 22;

/** "Zahlbar innerhalb 30 Tagen netto bis 04.04.2018", "Please pay the amount by 3 May 2026". */
const PAYING =
  /(?:zahl|überweis|begleich|fällig|pay|due|settle|remit|transfer|beta[al]|voldoen|pagar|pago|abon[ae]|paga|venc|sald|scad|régl|regl|pai|payer|abbuch|buchen wir|einzieh|eingezogen|pr[ée]l[eè]v|incass|addebit|debit|échéance|echeance)/i;
const UNTIL =
  /(?:\bbis(?: zum| spätestens| spätestens zum)?|\bby|\bbefore|\bup to|\buntil|\bam|\bavant le|\bau plus tard le|\ble|\bvoor|\bvóór|\bop|\buiterlijk|\bantes del|\bel|\bentro il|\bil|\bno later than|\bon)\s*$/i;

/** How dates are read, and the day on which the bill was written. */
interface Days {
  readonly dayFirst: boolean;
  /** ISO. */
  readonly issued: string | undefined;
}

/**
 * Words of a day that is not the due date: of future instalments, of the next bill or reading, of the end of a contract,
 * or of interest on late payment.
 */
const ANOTHER_TIME =
  /(?<!\p{L})(?:(?:neuer?|neuen|nächste[rn]?|künftige[rn]?|monatliche[rn]?|weitere[rn]?) (?:abschl[aä]g|rate|beitr|rechnung|ablesung|zahlung)|abschlagsplan|(?:next|new|future|monthly) (?:bill|payment|statement|invoice|instal|meter|reading)|instal?ments?(?!\p{L})|late (?:payment|fee|charge)|if you (?:leave|cancel|switch)|early termination|contract end|tariff end|vertrag (?:läuft|endet)|prochaine?s? (?:facture|échéance|mensualité|relevé|prélèvement)|mensualités?|échéancier|(?:nieuwe?|volgende) (?:termijn|voorschot|factuur|rekening)|termijnbedrag|próxim[oa]s? (?:factura|cuota|lectura)|fin de contrato|prossim[aei] (?:bollett|fattur|rat|lettur))/iu;

function dueDate(grid: DocumentGrid, labels: readonly FoundLabel[], days: Days): HeadValue | undefined {
  const labelled = labels
    .filter(({ role, rest }) => role === 'due' || (role === 'payable' && /\d/.test(rest)))
    .filter(({ cell, start }) => !PAID.test(cell.text.slice(start)))
    .filter(({ cell, end }) => !ANOTHER_TIME.test(cell.text.slice(0, end)))
    .flatMap((label) =>
      label.role === 'due' ? dateAt(grid, label, days.dayFirst) : onlyOwnDate(label, days.dayFirst),
    );
  return best([...labelled, ...duesInProse(grid, days)]) ?? dueByTerms(grid, days.issued);
}

/** The due date that the terms of payment give if no day is printed, and if they all give the same one. */
function dueByTerms(grid: DocumentGrid, issued: string | undefined): HeadValue | undefined {
  if (issued === undefined) return undefined;
  const found = grid.flatMap((cells) =>
    cells.flatMap((cell) => {
      // "Terms | Net 30": the label says what the number of days means.
      const label = cells[cell.column - 1]?.text ?? '';
      const [first = '', ...others] = cell.text.split(/(?<=\p{L}{2}[.;])\s+/u);
      const sentences = label.length < LONGEST_LABEL ? [`${label}: ${first}`, first] : [first];
      const day = [...sentences, ...others].flatMap((text) => paymentDay(text, issued) ?? [])[0];
      return day === undefined || !cell.text.includes(day.printed) ? [] : [datedValue(day, cell, BY_TERMS)];
    }),
  );
  const days = new Set(found.map(({ normalized }) => normalized));
  return days.size === 1 ? found[0] : undefined;
}

const LONGEST_LABEL = 40;
const BY_TERMS = 0.65;

/** "Payée le 05/02/2021": the day on which it was paid, not the due date. */
const PAID = /^(?:pay[ée]{2}?s?|paid|bezahlt|betaald|pagad[oa]|pagat[oa]|r[ée]gl[ée]{1,2}s?)(?!\p{L})/iu;

function onlyOwnDate(label: FoundLabel, dayFirst: boolean): HeadValue[] {
  const date = findDate(label.rest, dayFirst);
  return date === undefined ? [] : [datedValue(date, label.cell, 0.8)];
}

/** Due dates in sentences. Of several dates the last counts: earlier ones belong to a price reduction. */
function duesInProse(grid: DocumentGrid, days: Days): HeadValue[] {
  return grid.flatMap((cells, row) =>
    cells.flatMap((cell) => {
      const next =
        cell.text.length > 25
          ? grid[row + 1]?.find((other) => Math.abs(other.left - cell.left) < 5)
          : undefined;
      const last = dueInText(cell.text, next?.text, days);
      if (last === undefined) return [];
      return [datedValue(last, cell.text.includes(last.printed) || next === undefined ? cell : next, 0.8)];
    }),
  );
}

/** The due date in a sentence, which may go on in the next line. */
function dueInText(
  own: string,
  next: string | undefined,
  { dayFirst, issued }: Days,
): { printed: string; iso: string } | undefined {
  const text = next === undefined ? own : `${own} ${next}`;
  const start = PAYING.exec(own)?.index;
  const other = ANOTHER_TIME.exec(text)?.index ?? text.length;
  if (start === undefined || text.length > 600 || other < start) return undefined;
  const dates = datesAfter(text.slice(start, other), dayFirst);
  const fitting = dates.filter(({ iso }) => isWithinTerm(iso, issued));
  return (fitting.length > 0 ? fitting : dates).toSorted((a, b) => a.iso.localeCompare(b.iso)).at(-1);
}

/** Longest term of payment of a bill, days. */
export const LONGEST_TERM = 200;

function isWithinTerm(day: string, issued: string | undefined): boolean {
  if (issued === undefined) return true;
  const days = (Date.parse(day) - Date.parse(issued)) / 86_400_000;
  return days >= 0 && days <= LONGEST_TERM;
}

/** "… payée le", "paid on": words before the day on which a bill was paid. */
const PAID_ON =
  /(?<!\p{L})(?:pay[ée]{2}s?|paid|bezahlt|beglichen|betaald|pagad[oa]|pagat[oa]|r[ée]gl[ée]{1,2}s?|received|erhalten|re[çc]u)\s+(?:on|le|am|op|el|il)\s*$/iu;

function datesAfter(text: string, dayFirst: boolean): { printed: string; iso: string }[] {
  const dates: { printed: string; iso: string }[] = [];
  let rest = text;
  for (let number = 0; number < 4; number += 1) {
    const date = findDate(rest, dayFirst);
    if (date === undefined) break;
    const at = rest.indexOf(date.printed);
    const before = rest.slice(0, at);
    if (UNTIL.test(before) && !PAID_ON.test(before) && at < 160) dates.push(date);
    rest = rest.slice(at + date.printed.length);
  }
  return dates;
}

/** "Berlin, den 5. März 2020". */
const PLACE = /^\p{Lu}[\p{L} .'-]{2,30},\s*(?:den|le|the|il|a|li|el)?\s*(?=\d|\p{Lu}\p{L}+ \d)/u;

function placeAndDate(grid: DocumentGrid, dayFirst: boolean): HeadValue | undefined {
  for (const cell of grid.slice(0, TITLE_ROWS).flat()) {
    const match = cell.text.length > 60 ? null : PLACE.exec(cell.text);
    const date = match === null ? undefined : findDate(cell.text.slice(match[0].length), dayFirst);
    if (date !== undefined) return datedValue(date, cell, 0.66);
  }
  return undefined;
}

/** The date of a bill without a label for it: the only date at the head of the first page. */
function loneDate(grid: DocumentGrid, dayFirst: boolean): HeadValue | undefined {
  const found: HeadValue[] = [];
  for (const cell of grid.slice(0, LONE_ROWS).flat()) {
    const labels = labelsIn(cell);
    if (labels.some(({ role }) => !OWN.has(role))) continue;
    const before = grid[cell.row]?.[cell.column - 1];
    if (
      before !== undefined &&
      /\p{L}/u.test(before.text) &&
      labelsIn(before).every(({ role }) => !OWN.has(role))
    )
      continue;
    const date = findDate(cell.text, dayFirst);
    if (date === undefined || cell.text.length >= 40) continue;
    // The date until which an offer is valid.
    if (HOLDS_UNTIL.test(cell.text.slice(0, cell.text.indexOf(date.printed)))) continue;
    found.push(datedValue(date, cell, 0.6));
  }
  const distinct = new Set(found.map(({ normalized }) => normalized));
  return distinct.size === 1 ? found[0] : undefined;
}

const LONE_ROWS = 30;
/** Labels beside which a date is the date of the paper. */
const OWN: ReadonlySet<string> = new Set(['date', 'number', 'quote']);
