import { readVatNumber } from '@northline/vat/vat-number';
import { isName } from '../bills/party-words.ts';
import type { Cell, Row } from '../contract/extracted-document.ts';
import type { Citer } from '../contract/quote-finding.ts';
import type { Field } from '../contract/report.contract.ts';
import { findAmounts } from '../values/amounts.ts';
import { findDate } from '../values/dates.ts';
import { findDuration } from '../values/durations.ts';
import { findIbans } from '../values/ibans.ts';
import { FIELD_LABELS, type FieldLabel } from './field-labels.ts';

/** Country code and number, in groups (EU and UK). */
const VAT_ID = /\b[A-Z]{2} ?[A-Z]?\d{2,4}(?:[ .]?\d{2,4}){1,3}(?:[ .]?[A-Z]?\d{0,2})?\b/;

interface Candidate {
  readonly label: FieldLabel;
  readonly printed: string;
  readonly normalized: string | undefined;
  readonly labelText: string;
  readonly row: Row;
  readonly score: number;
}

/**
 * Finds labelled values: a value stands after the label in its cell, in the cell to the right, or in the row below
 * (docs/contracts/documents.md §3.3). Each field keeps its best place.
 *
 * @param dayFirst whether 03/04/2026 is the third of April
 */
export function findLabelledFields(rows: readonly Row[], citer: Citer, dayFirst: boolean): Field[] {
  const best = new Map<string, Candidate>();
  for (const place of cellPlaces(rows)) {
    for (const label of FIELD_LABELS) {
      const candidate = candidateAt(place, label, dayFirst);
      if (candidate === undefined) continue;
      const known = best.get(label.key);
      if (known === undefined || candidate.score > known.score || beats(candidate, known)) {
        best.set(label.key, candidate);
      }
    }
  }
  return [...best.values()]
    .map((candidate) => asField(candidate, citer))
    .filter((field) => field !== undefined);
}

/** A cell, and the places where its value may stand. */
interface CellPlace {
  readonly row: Row;
  readonly cell: Cell;
  /** Cells to the right, nearest first. */
  readonly right: readonly Cell[];
  readonly below: string | undefined;
}

const CELLS_TO_THE_RIGHT = 4;

function cellPlaces(rows: readonly Row[]): CellPlace[] {
  return rows.flatMap((row, index) =>
    row.cells.map((cell, column) => ({
      row,
      cell,
      right: row.cells.slice(column + 1, column + 1 + CELLS_TO_THE_RIGHT),
      below: isTableHead(rows, index, cell) ? undefined : below(row, rows[index + 1], cell),
    })),
  );
}

/** Whether a candidate replaces a known one; the later of two equally good totals is the grand total. */
function beats(candidate: Candidate, known: Candidate): boolean {
  return candidate.score === known.score && candidate.label.last === true;
}

function candidateAt(place: CellPlace, label: FieldLabel, dayFirst: boolean): Candidate | undefined {
  const match = label.pattern.exec(place.cell.text);
  if (match === null) return undefined;
  // A label begins its cell or follows another label; inside prose it counts less.
  const atStart = match.index <= 2;
  if (!atStart && !label.anywhere) return undefined;
  const behind = place.cell.text.slice(match.index + match[0].length);
  const position = atStart ? 1 : /^\s*:/.test(behind) ? 0.9 : 0.7;
  for (const [text, weight] of valueTexts(place, behind)) {
    const value = readValue(text, label, dayFirst);
    if (value === undefined) continue;
    const score = label.weight * weight * position;
    return { label, ...value, labelText: match[0].trim(), row: place.row, score };
  }
  return undefined;
}

/** The texts where a value may stand, most likely first, with the weight of each place. */
function valueTexts(place: CellPlace, behind: string): [text: string, weight: number][] {
  const sameCell = behind.replace(/^\s*[:#.\-–]?\s*/, '');
  const nextCell = sameCell === '' || isRemark(sameCell) ? 0.95 : 0.7;
  return [
    [sameCell, 1],
    ...place.right.map(({ text }, distance): [string, number] => [text, nextCell - distance * 0.05]),
    ...(place.below === undefined ? [] : [[place.below, 0.75] satisfies [string, number]]),
  ];
}

function isRemark(text: string): boolean {
  return /^\(?[\p{L}%\d ,.]{0,30}\)?:?$/u.test(text);
}

/**
 * Whether a cell is the head of a table's column, not the label of a field: two rows below have values of one kind under
 * it, and other values beside them.
 */
function isTableHead(rows: readonly Row[], index: number, cell: Cell): boolean {
  const row = rows[index];
  const [first, second] = [rows[index + 1], rows[index + 2]];
  if (row === undefined || row.cells.length < 3 || first === undefined || second === undefined) return false;
  const values = [below(row, first, cell), below(first, second, cell)];
  return (
    first.cells.length > 2 &&
    second.cells.length > 1 &&
    row.cells.every(({ text }) => !/\d/.test(text)) &&
    values.every((value) => value !== undefined && /\d/.test(value))
  );
}

/** The text in the row below a cell, from the cell at the same horizontal place. */
function below(row: Row, next: Row | undefined, cell: Cell): string | undefined {
  if (next === undefined || next.page !== row.page) return undefined;
  return next.cells.find((other) => other.left < cell.right + 12 && other.right > cell.left - 12)?.text;
}

/** Greatest distance of a duration from its label; beyond it, the duration belongs to something else. */
const DURATION_REACH = 140;

interface FoundValue {
  readonly printed: string;
  readonly normalized: string | undefined;
}

function readValue(text: string, label: FieldLabel, dayFirst: boolean): FoundValue | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  switch (label.type) {
    case 'date': {
      const date = findDate(trimmed, dayFirst);
      return date && { printed: date.printed, normalized: date.iso };
    }
    case 'money': {
      const amounts = findAmounts(trimmed);
      const amount = label.last ? amounts.at(-1) : amounts[0];
      return amount && { printed: amount.printed, normalized: amount.value };
    }
    case 'iban': {
      const [iban] = findIbans(trimmed);
      return iban && { printed: iban.printed, normalized: iban.compact };
    }
    case 'id':
      return label.key === 'vat_id' ? readVatId(trimmed) : readId(trimmed);
    case 'duration':
      return asPrinted(findDuration(trimmed.slice(0, DURATION_REACH))?.printed);
    case 'party': {
      const words = readWords(trimmed);
      return words !== undefined && isName(words.printed) ? words : undefined;
    }
    default:
      return readWords(trimmed);
  }
}

function asPrinted(printed: string | undefined): FoundValue | undefined {
  return printed === undefined ? undefined : { printed, normalized: undefined };
}

/** A VAT number with valid check digits; a wrong number is worse than none. */
function readVatId(text: string): FoundValue | undefined {
  const printed = VAT_ID.exec(text)?.[0].trim();
  const vat = printed === undefined ? undefined : readVatNumber(printed);
  return printed === undefined || vat === undefined ? undefined : { printed, normalized: vat.value };
}

function readId(text: string): FoundValue | undefined {
  const id = /^(?:(?:no|nr|number)\.?\s*[:#]?\s*)?([A-Z]{0,6}[-/ ]?(?=[\w/-]*\d)[A-Z\d][\w/.-]{1,28})/i
    .exec(text)?.[1]
    ?.replace(/[.,;]$/, '');
  // A date is not the number of a document.
  return id === undefined || /^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/.test(id) ? undefined : asPrinted(id);
}

function readWords(text: string): FoundValue | undefined {
  const value = text.split(/\s{2,}|(?<=\D)[;|]|(?<=\p{L}{2})\.\s|\n|(?<=\d[A-Z]{2})\.\s/u)[0]?.trim() ?? '';
  if (!/\p{L}{3}/u.test(value)) return undefined;
  return value.length < 3 || value.length > 90 || /[:]$/.test(value) ? undefined : asPrinted(value);
}

function asField(candidate: Candidate, citer: Citer): Field | undefined {
  const { label, printed, normalized, labelText, row, score } = candidate;
  const cite = citer.find(printed, row.page, labelText) ?? citer.find(printed, row.page);
  if (cite === undefined) return undefined;
  return {
    key: label.key,
    label: label.label,
    value: printed,
    ...(normalized === undefined ? {} : { normalized }),
    type: label.type,
    confidence: Math.round(Math.min(0.95, score) * 100) / 100,
    source: 'text',
    cites: [cite],
  };
}
