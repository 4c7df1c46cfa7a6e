import type { Citer } from './cite-text.server.ts';
import type { Cell, Row } from './extracted-document.server.ts';
import { FIELD_LABELS, type FieldLabel } from './field-labels.server.ts';
import { findAmounts, findDate, findIbans } from './parse-values.server.ts';
import type { Field } from './report.contract.ts';

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
 * Labelled values: the value stands behind the label in its cell, in the cell to the
 * right, or in the row below (contract §3.3). Each field keeps its best place.
 *
 * @param dayFirst whether 03/04/2026 is the third of April
 */
export function findLabelledFields(rows: readonly Row[], citer: Citer, dayFirst: boolean): Field[] {
  const best = new Map<string, Candidate>();
  for (const [index, row] of rows.entries()) {
    for (const [column, cell] of row.cells.entries()) {
      for (const label of FIELD_LABELS) {
        const candidate = candidateAt(rows, index, column, cell, label, dayFirst);
        if (candidate === undefined) continue;
        const known = best.get(label.key);
        if (known === undefined || candidate.score > known.score || beats(candidate, known)) {
          best.set(label.key, candidate);
        }
      }
    }
  }
  return [...best.values()]
    .map((candidate) => asField(candidate, citer))
    .filter((field) => field !== undefined);
}

/** Of two equally good totals the later one is the grand total. */
function beats(candidate: Candidate, known: Candidate): boolean {
  return candidate.score === known.score && candidate.label.last === true;
}

function candidateAt(
  rows: readonly Row[],
  index: number,
  column: number,
  cell: Cell,
  label: FieldLabel,
  dayFirst: boolean,
): Candidate | undefined {
  const row = rows[index];
  const match = label.pattern.exec(cell.text);
  if (match === null || row === undefined) return undefined;
  // A label opens its cell or follows the label before it; inside prose it counts less.
  const atStart = match.index <= 2;
  if (!atStart && !label.anywhere) return undefined;
  const behind = cell.text.slice(match.index + match[0].length).replace(/^\s*[:#.\-–]?\s*/, '');
  const places: [text: string, weight: number][] = [[behind, 1]];
  for (const [distance, next] of row.cells.slice(column + 1, column + 5).entries()) {
    places.push([
      next.text,
      behind === '' || isRemark(behind) ? 0.95 - distance * 0.05 : 0.7 - distance * 0.05,
    ]);
  }
  const under = below(rows, index, cell);
  if (under !== undefined) places.push([under, 0.75]);
  for (const [text, weight] of places) {
    const value = readValue(text, label, dayFirst);
    if (value === undefined) continue;
    const isMarked = /^\s*:/.test(cell.text.slice(match.index + match[0].length));
    const score = label.weight * weight * (atStart ? 1 : isMarked ? 0.9 : 0.7);
    return { label, ...value, labelText: match[0].trim(), row, score };
  }
  return undefined;
}

function isRemark(text: string): boolean {
  return /^\(?[\p{L}%\d ,.]{0,30}\)?:?$/u.test(text);
}

/** The text below a cell: the cell of the next row that shares its horizontal extent. */
function below(rows: readonly Row[], index: number, cell: Cell): string | undefined {
  const row = rows[index];
  const next = rows[index + 1];
  if (row === undefined || next === undefined || next.page !== row.page) return undefined;
  return next.cells.find((other) => other.left < cell.right + 12 && other.right > cell.left - 12)?.text;
}

function readValue(
  text: string,
  label: FieldLabel,
  dayFirst: boolean,
): { printed: string; normalized: string | undefined } | undefined {
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
    case 'id': {
      if (label.key === 'vat_id') {
        const vat = VAT_ID.exec(trimmed)?.[0];
        return vat === undefined ? undefined : { printed: vat, normalized: vat.replace(/[ .]/g, '') };
      }
      const id = /^(?:(?:no|nr|number)\.?\s*[:#]?\s*)?([A-Z]{0,6}[-/ ]?(?=[\w/-]*\d)[A-Z\d][\w/.-]{1,28})/i
        .exec(trimmed)?.[1]
        ?.replace(/[.,;]$/, '');
      if (id === undefined || /^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/.test(id)) return undefined;
      return { printed: id, normalized: undefined };
    }
    case 'duration': {
      const duration =
        /\b(?:\d{1,3}|one|two|three|four|five|six|seven|twelve|thirty|sixty|ninety)(?: \(\d+\))? (?:calendar |working |business )?(?:day|week|month|year)s?\b/i.exec(
          trimmed,
        )?.[0];
      return duration === undefined ? undefined : { printed: duration, normalized: undefined };
    }
    default: {
      const value =
        trimmed.split(/\s{2,}|(?<=\D)[;|]|(?<=\p{L}{2})\.\s|\n|(?<=\d[A-Z]{2})\.\s/u)[0]?.trim() ?? '';
      if (!/\p{L}{3}/u.test(value)) return undefined;
      if (value.length < 3 || value.length > 90 || /[:]$/.test(value)) return undefined;
      return { printed: value, normalized: undefined };
    }
  }
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
