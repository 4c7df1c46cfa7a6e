import type { DocumentGrid, GridCell } from '../layout/document-grid.ts';
import { foldText } from '../values/folded-text.ts';
import { type BillLabel, type BillRole, labelsFor } from './bill-labels.ts';
import { STEM_WEIGHT, stemLabel } from './label-stems.ts';

/** A label and the place where it stands. */
export interface FoundLabel {
  readonly role: BillRole;
  readonly weight: number;
  readonly cell: GridCell;
  /** The label's own extent: the cell that it stands in may hold several. */
  readonly box: GridCell;
  /** Its place in the cell's text. */
  readonly start: number;
  readonly end: number;
  /** The text between this label and the next one in its cell. */
  readonly rest: string;
  /** The text up to the next label with another role: "Facture | N° facture 4711" is one label in two parts. */
  readonly reach: string;
  /** Whether only signs and figures stand before it in its cell, or after the last bar ("Datum / Date"). */
  readonly opens: boolean;
}

/** Number of words at the beginning of a cell in which labels are looked for. */
const WORDS = 14;

/** Every label of a document, row by row. */
export function findLabels(grid: DocumentGrid): FoundLabel[] {
  return grid.flatMap((cells) => cells.flatMap(labelsIn));
}

/** The labels of one cell, left to right; the longest wins where they overlap. */
export function labelsIn(cell: GridCell): FoundLabel[] {
  const { text } = cell;
  const folds = foldText(text);
  const found: Place[] = [];
  let free = 0;
  let words = 0;
  for (let index = 0; index < folds.at.length && words < WORDS; index += 1) {
    const start = folds.at[index] ?? 0;
    if (start < free || !beginsWord(text, start) || folds.at[index - 1] === start) continue;
    words += 1;
    const label = labelAt(text, folds, index);
    if (label === undefined) continue;
    const end = (folds.at[index + label.phrase.length - 1] ?? start) + 1;
    found.push({ label, start, end });
    free = end;
  }
  for (const from of segmentsOf(text)) {
    const stem = byStems(text, from, found);
    if (stem === undefined) continue;
    const at = found.findIndex(({ start }) => start >= from);
    const under = found.filter(({ start }) => start >= from && start < stem.end).length;
    found.splice(at < 0 ? found.length : at, under, stem);
  }
  return found.map(({ label, start, end }, index) => ({
    role: label.role,
    // "Invoice #", "Facture n°": the sign makes the word for the kind a label.
    weight: label.role === 'number' && NUMBER_SIGN.test(text.slice(end)) ? SIGNED : label.weight,
    cell,
    box: boxOf(cell, start, end),
    start,
    end,
    rest: text.slice(end, found[index + 1]?.start ?? text.length),
    reach: text.slice(end, nextOther(found, index)?.start ?? text.length),
    opens: !/\p{L}/u.test(text.slice(0, start).replace(/^.*(?:[|·•;]|\s\/\s)/s, '')),
  }));
}

/** The next label that has another role. */
function nextOther(found: readonly Place[], index: number): Place | undefined {
  const role = found[index]?.label.role;
  return found.slice(index + 1).find(({ label }) => label.role !== role);
}

const NUMBER_SIGN = /^\s*(?:#|№|n[°º])/iu;
const SIGNED = 0.95;

interface Place {
  readonly label: BillLabel;
  readonly start: number;
  readonly end: number;
}

/** Where the parts of a cell begin: it may hold several labels with bars between. */
function segmentsOf(text: string): number[] {
  return [0, ...[...text.matchAll(/[|·•;]\s*/g)].map(({ index, 0: bar }) => index + bar.length)];
}

/** If no listed label opens a part, or only a weak one, the stems of its words may give the role. */
function byStems(text: string, from: number, found: readonly Place[]): Place | undefined {
  const first = found.find(({ start }) => start >= from);
  const isSure =
    first !== undefined && first.label.weight > STEM_WEIGHT && !/\p{L}/u.test(text.slice(from, first.start));
  const stem = isSure ? undefined : stemLabel(text.slice(from));
  if (stem === undefined) return undefined;
  return { label: { role: stem.role, phrase: '', weight: STEM_WEIGHT }, start: from, end: from + stem.end };
}

/** The extent of a part of a cell's text, calculated as if all letters had the same width. */
function boxOf(cell: GridCell, start: number, end: number): GridCell {
  const { left, right, text } = cell;
  const at = (index: number): number => left + ((right - left) * index) / Math.max(1, text.length);
  return start === 0 && end === text.length ? cell : { ...cell, left: at(start), right: at(end) };
}

const SHORT = 3;

function labelAt(
  text: string,
  folds: { text: string; at: readonly number[] },
  index: number,
): BillLabel | undefined {
  const here = folds.text.slice(index, index + 48);
  return labelsFor(here).find(({ phrase }) => {
    if (!here.startsWith(phrase)) return false;
    const last = folds.at[index + phrase.length - 1] ?? 0;
    // "INV-4711" is a number that begins like a label.
    if (phrase.length <= SHORT && /^[-/]?\d/.test(text.slice(last + 1))) return false;
    return !/[\p{L}]/u.test(text[last + 1] ?? '') || folds.at[index + phrase.length] === last;
  });
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '');
}
