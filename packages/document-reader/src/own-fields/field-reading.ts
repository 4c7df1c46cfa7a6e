import type { Row } from '../contract/extracted-document.ts';
import type { LearnedExample, LearnedField } from './field-learning.ts';
import { labelLikeness } from './label-likeness.ts';
import { type Candidate, candidatesOf } from './value-candidates.ts';
import { foldWords, placeRows, type Surroundings, surroundingsOf } from './value-surroundings.ts';

/** The value of a field in a document. */
export interface ReadField {
  readonly value: string;
  /** ISO date, decimal amount or compact IBAN, if the class of the value has such a form. */
  readonly normalized?: string;
  readonly page: number | undefined;
  /** The text of its row, to tell it from an equal text elsewhere. */
  readonly beside: string;
  /** 0 to 1; below `SURE_ENOUGH` the value is not sure. */
  readonly confidence: number;
}

/** Below this a document does not have the field. */
const FOUND = 0.55;
/** Values whose scores differ by less than this are not told apart. */
const CLOSE = 0.06;
/** Words that are this alike to a label are the label. */
const SAME_LABEL = 0.9;
/** A label on another side than in the example. */
const OTHER_SIDE = 0.85;
/** What a label counts for each text between it and the value that the example did not have. */
const STEP_APART = { before: 1, left: 0.9, above: 0.75, behind: 1 } as const;
/** How much the place on the page counts beside the labels. */
const PLACE_WEIGHT = 0.12;
/** Without a label, only the place and the form speak for a value. */
const MOST_WITHOUT_LABEL = 0.6;

/** Reads a learned field in a document's rows; undefined if the document does not have it. */
export function readField(field: LearnedField, rows: readonly Row[]): ReadField | undefined {
  const placed = placeRows(rows);
  const likenessOf = rememberedLikeness();
  const labels = field.examples.flatMap(({ beside }) => beside.map(({ text }) => text));
  const isLabel = ({ printed }: Candidate): boolean =>
    field.form.class === 'text' &&
    labels.some((label) => labelLikeness(label, foldWords(printed)) >= SAME_LABEL);
  const scored = candidatesOf(placed, field.form, [...new Set(labels)])
    .filter((candidate) => !isLabel(candidate))
    .map((candidate) => ({
      candidate,
      score: scoreOf(field, surroundingsOf(placed, candidate.place), likenessOf) * candidate.fit,
    }))
    .filter(({ score }) => score >= FOUND)
    .sort((a, b) => b.score - a.score);
  const [best] = scored;
  if (best === undefined) return undefined;
  const { candidate, score } = best;
  const meaning = meaningOf(candidate);
  const rival = scored.find((each) => meaningOf(each.candidate) !== meaning);
  const isClose = rival !== undefined && score - rival.score < CLOSE;
  const row = rows[candidate.place.row];
  return {
    value: candidate.printed,
    ...(candidate.normalized === undefined ? {} : { normalized: candidate.normalized }),
    page: row?.page,
    beside: row?.cells.map(({ text }) => text).join(' ') ?? '',
    confidence: Math.round(100 * Math.min(0.99, isClose ? score * 0.6 : score)) / 100,
  };
}

const meaningOf = ({ normalized, printed }: Candidate): string => normalized ?? printed;

type Likeness = typeof labelLikeness;

/** The likeness of labels, each pair calculated once: a document of tables has the same few heads above many cells. */
function rememberedLikeness(): Likeness {
  const known = new Map<string, number>();
  return (learned, printed) => {
    const key = `${learned}\n${printed}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const like = labelLikeness(learned, printed);
    known.set(key, like);
    return like;
  };
}

function scoreOf({ examples }: LearnedField, around: Surroundings, likenessOf: Likeness): number {
  let best = 0;
  for (const example of examples) best = Math.max(best, likeness(example, around, likenessOf));
  return best;
}

/** How alike the surroundings of a candidate and of an example are, 0 to 1. */
function likeness(example: LearnedExample, around: Surroundings, likenessOf: Likeness): number {
  let sum = 0;
  let reached = 0;
  for (const { side, text, step, weight } of example.beside) {
    let like = 0;
    for (const each of around.beside) {
      const apart = STEP_APART[each.side] ** Math.abs(each.step - step);
      const same = likenessOf(text, each.text) * (each.side === side ? 1 : OTHER_SIDE) * apart;
      like = Math.max(like, same);
    }
    sum += weight;
    reached += weight * like;
  }
  const near = 1 - Math.min(1, Math.abs(example.x - around.x) + Math.abs(example.y - around.y));
  if (sum === 0) return MOST_WITHOUT_LABEL * near;
  return ((1 - PLACE_WEIGHT) * reached) / sum + PLACE_WEIGHT * near;
}
