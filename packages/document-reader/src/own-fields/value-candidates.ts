import { foldText } from '../values/folded-text.ts';
import { type FormedValue, type ValueForm, valuesIn, wordsAsValue } from './value-form.ts';
import type { PlacedRows, TextPlace } from './value-surroundings.ts';

/** A text that may be the value of a field. */
export interface Candidate extends FormedValue {
  readonly place: TextPlace;
}

/** More candidates are not looked at: a document of tables has a value in every cell. */
const MOST_CANDIDATES = 6000;

/**
 * The texts of a document that have the form of a field's values. Words count as a cell of their own, behind a colon, or
 * behind one of the field's labels.
 *
 * @param labels folded words that stand before the field's values in their cells
 */
export function candidatesOf({ rows }: PlacedRows, form: ValueForm, labels: readonly string[]): Candidate[] {
  const found: Candidate[] = [];
  for (const [row, { cells }] of rows.entries()) {
    for (const [cell, { text }] of cells.entries()) {
      const values = form.class === 'text' ? wordsIn(text, form, labels) : valuesIn(text, form);
      for (const value of values) {
        if (found.length >= MOST_CANDIDATES) return found;
        const { start, printed } = value;
        found.push({ ...value, place: { row, cell, start, end: start + printed.length } });
      }
    }
  }
  return found;
}

function wordsIn(text: string, form: ValueForm, labels: readonly string[]): FormedValue[] {
  const starts = new Set([0]);
  for (const { index } of text.matchAll(/:\s/g)) starts.add(index + 1);
  const { text: plain, at } = foldText(text);
  for (const label of labels) {
    const words = label.replaceAll(' ', '');
    const found = words === '' ? -1 : plain.indexOf(words);
    const last = found === -1 ? undefined : at[found + words.length - 1];
    if (last !== undefined) starts.add(last + 1);
  }
  return [...starts].flatMap((start) => wordsAsValue(text.slice(start), start, form) ?? []);
}
