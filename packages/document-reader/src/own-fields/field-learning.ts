import type { Row } from '../contract/extracted-document.ts';
import { phrasePattern } from '../contract/text-pattern.contract.ts';
import { labelLikeness } from './label-likeness.ts';
import { candidatesOf } from './value-candidates.ts';
import { formOf, type ValueForm, valuesIn } from './value-form.ts';
import {
  type Beside,
  type PlacedRows,
  placeRows,
  type Surroundings,
  surroundingsOf,
  type TextPlace,
} from './value-surroundings.ts';

/** A value that somebody gave for a field in one document. */
export interface FieldExample {
  readonly rows: readonly Row[];
  readonly value: string;
  /** Page of the value, from 1, and its place there as shares of width and height, if it was drawn. */
  readonly at?: { readonly page: number; readonly x: number; readonly y: number };
}

/** A text beside an example's value, with what it counts. */
interface WeighedText extends Beside {
  readonly weight: number;
}

/** The surroundings of an example, with the weights of its texts. */
export interface LearnedExample extends Surroundings {
  readonly beside: readonly WeighedText[];
}

/** What was learned about a field: the form of its values, and the surroundings of each example. It can be stored as JSON. */
export interface LearnedField {
  readonly form: ValueForm;
  readonly examples: readonly LearnedExample[];
}

/** Labels that are this alike are the same label. */
const ALIKE = 0.85;
/** Places of one value that are compared with those of other examples. */
const MOST_PLACES = 20;
/** How much a text counts by its side, if it is the nearest there. */
const SIDE_WEIGHTS = { before: 1, left: 0.95, above: 0.8, behind: 0.15 } as const;

/**
 * Learns a field from examples: no example's document is asked for anything but its rows. Returns undefined if no value
 * stands in its document.
 */
export function learnField(examples: readonly FieldExample[]): LearnedField | undefined {
  const possible = examples
    .map((example) => {
      const placed = placeRows(example.rows);
      return placesOfValue(placed, example).map((at) => ({
        ...{ placed, ...at, around: surroundingsOf(placed, at.place) },
      }));
    })
    .filter(({ length }) => length > 0);
  const found = possible.map((places, index) => {
    const others = possible.filter((_, other) => other !== index);
    const agreement = ({ around }: (typeof places)[number]): number =>
      sumOf(others.map((theirs) => Math.max(...theirs.map((each) => sharedLabel(around, each.around)))));
    return mostBy(places, agreement);
  });
  if (found.length === 0) return undefined;
  const form = formOf(found.map(({ printed }) => printed));
  const all = found.map(({ around }) => around);
  return {
    form,
    examples: found.map(({ placed, around }) =>
      weighed(around, {
        others: candidatesOf(placed, form, []).map(({ place }) => surroundingsOf(placed, place)),
        all,
      }),
    ),
  };
}

/** How alike the nearest labels of two places are, 0 to 1. */
function sharedLabel(a: Surroundings, b: Surroundings): number {
  const nearest = ({ beside }: Surroundings): string[] =>
    beside.filter(({ side, step }) => step === 0 && side !== 'behind').map(({ text }) => text);
  return Math.max(0, ...nearest(a).flatMap((text) => nearest(b).map((other) => labelLikeness(text, other))));
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

/** The first of the entries with the highest figure. */
function mostBy<Entry>(entries: readonly Entry[], figure: (entry: Entry) => number): Entry {
  const scored = entries.map((entry) => ({ entry, score: figure(entry) }));
  return scored.reduce((best, each) => (each.score > best.score ? each : best)).entry;
}

/**
 * The texts beside an example's value with their weights: a text that stands beside many values of the document says
 * little, and one that stands beside the field's values of several documents says much.
 */
function weighed(
  { beside, x, y }: Surroundings,
  { others, all }: { others: readonly Surroundings[]; all: readonly Surroundings[] },
): LearnedExample {
  const has = (around: Surroundings, text: string): boolean =>
    around.beside.some((each) => labelLikeness(text, each.text) >= ALIKE);
  const hasBefore = beside.some(({ side }) => side === 'before');
  const hasLeft = beside.some(({ side }) => side === 'left');
  return {
    x,
    y,
    beside: beside.slice(0, 20).map((each) => {
      const shared = others.filter(({ beside: theirs }) =>
        theirs.some(({ side, text }) => side === each.side && text === each.text),
      ).length;
      const agreeing = all.filter((around) => has(around, each.text)).length;
      const hidden = (hasBefore && each.side !== 'before') || (hasLeft && each.side === 'above') ? 0.3 : 1;
      const agreement = agreeing > 1 ? 1.6 : all.length > 1 ? 0.5 : 1;
      const weight =
        (SIDE_WEIGHTS[each.side] * 0.5 ** each.step * hidden * agreement) /
        (1 + Math.log2(Math.max(1, shared)));
      return { ...each, text: each.text.slice(0, 200), weight };
    }),
  };
}

/** A value that was found in a document, as it is printed there. */
export interface PlacedValue {
  readonly place: TextPlace;
  readonly printed: string;
  readonly page: number | undefined;
  /** ISO date, decimal amount or compact IBAN, if the printed text is one. */
  readonly normalized?: string;
}

/** The rows of a document, for {@link placesOfValue}. */
export const placedRows = placeRows;

/**
 * The places of a given value in the rows, the best first: the printed text, in any case and spacing, or another print of
 * the same day or amount. If it was drawn, only the place nearest to the box; otherwise those with the nearest label first.
 */
export function placesOfValue(
  { rows, width }: PlacedRows,
  { value, at }: Omit<FieldExample, 'rows'>,
): PlacedValue[] {
  const phrase = phrasePattern(value);
  if (phrase === '') return [];
  const pattern = new RegExp(`(?<![\\p{L}\\d])${phrase}(?![\\p{L}\\d])`, 'giu');
  const places: PlacedValue[] = [];
  const inRows = (read: (text: string) => { printed: string; start: number }[]): void => {
    for (const [row, { cells, page }] of rows.entries()) {
      if (at !== undefined && page !== undefined && page !== at.page) continue;
      for (const [cell, { text }] of cells.entries())
        for (const { printed, start } of read(text))
          places.push({ place: { row, cell, start, end: start + printed.length }, printed, page });
    }
  };
  inRows((text) => [...text.matchAll(pattern)].map(({ 0: printed, index }) => ({ printed, start: index })));
  if (places.length === 0) inRows((text) => sameMeaning(text, value));
  const placed = { rows, width };
  const scored = places.map((each) => ({ each, score: nearness(placed, each.place, at) }));
  const sorted = scored.sort((a, b) => b.score - a.score).map(({ each }) => each);
  return sorted
    .slice(0, at === undefined ? MOST_PLACES : 1)
    .map((each) => ({ ...each, ...meaningOf(each.printed) }));
}

/** Other prints of the same day or amount. */
function sameMeaning(text: string, value: string): { printed: string; start: number }[] {
  for (const name of ['date', 'money'] as const) {
    const plain =
      name === 'money' && /^\d+(?:\.\d{1,2})?$/.test(value) ? Number(value).toFixed(2) : undefined;
    const wanted = plain ?? valuesIn(value, { class: name })[0]?.normalized;
    const same = valuesIn(text, { class: name }).filter(({ normalized }) => normalized === wanted);
    if (wanted !== undefined && same.length > 0) return same;
  }
  return [];
}

/** The normal form of a printed value that is a day, an amount or an account as a whole. */
function meaningOf(printed: string): { normalized?: string } {
  for (const name of ['date', 'money', 'iban'] as const) {
    const whole = valuesIn(printed, { class: name }).find((each) => each.printed === printed.trim());
    if (whole?.normalized !== undefined) return { normalized: whole.normalized };
  }
  return {};
}

function nearness(placed: PlacedRows, place: TextPlace, at: FieldExample['at']): number {
  const row = placed.rows[place.row];
  if (at !== undefined && row !== undefined) {
    const x = (row.cells[place.cell]?.left ?? 0) / placed.width;
    const same = placed.rows.filter(({ page }) => page === row.page);
    const y = same.indexOf(row) / Math.max(1, same.length);
    return -Math.abs(x - at.x) - 2 * Math.abs(y - at.y);
  }
  const [first] = surroundingsOf(placed, place).beside;
  return first === undefined ? 0 : SIDE_WEIGHTS[first.side] * 0.5 ** first.step;
}
