import type { Block, Cite } from '@northline/document-reader/report.contract';
import { diffArrays } from 'diff';
import { nextSlice } from '../../../kernel/concurrency/event-loop-slices.ts';
import type { ChangePart, TextChange } from './document-comparison.contract.ts';

/** How two texts differ. */
export interface TextDifference {
  readonly changes: TextChange[];
  readonly unlisted: number;
  readonly same: number;
  readonly ordered: boolean;
}

export const MOST_CHANGES = 200;
/**
 * Most paragraphs, and words of a paragraph, that are added or removed: the work grows with their square, 40 ms and 5 ms at
 * these limits. A count, not a time, so that a busy machine gives the same result as an idle one.
 */
const PARAGRAPH_EDITS = 600;
const WORD_EDITS = 200;
/** Share of common words from which two paragraphs count as one that was reworded. */
const ALIKE = 0.4;
const LONGEST_QUOTE = 300;
/** Characters that are kept of an unchanged stretch on each side of a change. */
const AROUND = 80;

/** Compares paragraphs, and the words of reworded ones. Running headers and footers are left out. */
export async function differText(before: readonly Block[], after: readonly Block[]): Promise<TextDifference> {
  const [old, now] = [paragraphs(before), paragraphs(after)];
  const texts = new Map<string, number>();
  const [oldTexts, nowTexts] = [numbered(old, texts), numbered(now, texts)];
  await nextSlice();
  // Texts without a counterpart were added or removed. If these alone are too many, no order can be found.
  const steps =
    unmatched(oldTexts, nowTexts) > PARAGRAPH_EDITS
      ? undefined
      : diffArrays(oldTexts, nowTexts, { maxEditLength: PARAGRAPH_EDITS });
  const { pairs, same } =
    steps === undefined ? withoutOrder(old, now, [oldTexts, nowTexts]) : inOrder(steps, old, now);
  const changes: TextChange[] = [];
  for (const [from, to] of pairs.slice(0, MOST_CHANGES)) {
    // Other requests get their turn between two paragraphs that are compared word by word.
    if (from !== undefined && to !== undefined) await nextSlice();
    changes.push(changeOf(from, to));
  }
  return { changes, unlisted: pairs.length - changes.length, same, ordered: steps !== undefined };
}

type Pair = readonly [Block | undefined, Block | undefined];

const paragraphs = (blocks: readonly Block[]): Block[] =>
  blocks.filter(({ type }) => type !== 'header' && type !== 'footer');
const plain = ({ text }: Block): string => text.replace(/\s+/g, ' ').trim();

/** Each paragraph's text as a number, the same for equal texts, as numbers are faster to compare. */
function numbered(blocks: readonly Block[], texts: Map<string, number>): number[] {
  return blocks.map((block) => {
    const text = plain(block);
    const number = texts.get(text) ?? texts.size;
    texts.set(text, number);
    return number;
  });
}

/** How many paragraphs of the two lists have no counterpart in the other one, at any place. */
function unmatched(old: readonly number[], now: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const text of old) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const text of now) counts.set(text, (counts.get(text) ?? 0) - 1);
  return [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

function inOrder(
  steps: ReturnType<typeof diffArrays<number>>,
  old: readonly Block[],
  now: readonly Block[],
): { pairs: Pair[]; same: number } {
  const pairs: Pair[] = [];
  let [from, to, same] = [0, 0, 0];
  let gone: Block[] = [];
  let come: Block[] = [];
  const settle = (): void => {
    pairs.push(...pairUp(gone, come));
    [gone, come] = [[], []];
  };
  for (const { added, removed, count } of steps) {
    if (removed) gone.push(...old.slice(from, from + count));
    else if (added) come.push(...now.slice(to, to + count));
    else {
      settle();
      same += count;
    }
    if (!added) from += count;
    if (!removed) to += count;
  }
  settle();
  return { pairs, same };
}

/** The paragraphs that only one text has, at any place: for texts that have little in common. */
function withoutOrder(
  old: readonly Block[],
  now: readonly Block[],
  [oldTexts, nowTexts]: readonly [readonly number[], readonly number[]],
): { pairs: Pair[]; same: number } {
  const left = new Map<number, number>();
  /** Whether a copy of the text is left; uses it up. */
  const uses = (text: number | undefined): boolean => {
    const count = text === undefined ? 0 : (left.get(text) ?? 0);
    if (text !== undefined && count > 0) left.set(text, count - 1);
    return count > 0;
  };
  for (const text of oldTexts) left.set(text, (left.get(text) ?? 0) + 1);
  const come = now.filter((_, at) => !uses(nowTexts[at]));
  const same = now.length - come.length;
  const gone = old.filter((_, at) => uses(oldTexts[at]));
  return {
    pairs: [
      ...gone.map((block): Pair => [block, undefined]),
      ...come.map((block): Pair => [undefined, block]),
    ],
    same,
  };
}

/** Pairs each removed paragraph with the added one that replaces it, if they share enough words; in order. */
function pairUp(gone: readonly Block[], come: readonly Block[]): Pair[] {
  const pairs: Pair[] = [];
  let next = 0;
  for (const old of gone) {
    const words = wordsOf(old);
    const reach = come.slice(next, next + REACH);
    const found = reach.findIndex((candidate) => likeness(words, wordsOf(candidate)) >= ALIKE);
    if (found < 0) pairs.push([old, undefined]);
    else {
      for (const skipped of reach.slice(0, found)) pairs.push([undefined, skipped]);
      pairs.push([old, reach[found]]);
      next += found + 1;
    }
  }
  return [...pairs, ...come.slice(next).map((block): Pair => [undefined, block])];
}

/** How many paragraphs ahead a pair is looked for. */
const REACH = 12;

const wordsOf = ({ text }: Block): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return (2 * shared) / Math.max(1, a.size + b.size);
}

function changeOf(old: Block | undefined, now: Block | undefined): TextChange {
  const places = { before: placeOf(old), after: placeOf(now) };
  if (old !== undefined && now !== undefined) return { kind: 'changed', parts: partsOf(old, now), ...places };
  const mark = old === undefined ? 'added' : 'removed';
  return {
    kind: mark,
    parts: [{ text: short(plain(old ?? (now as Block)), LONGEST_QUOTE * 4), mark }],
    ...places,
  };
}

function partsOf(old: Block, now: Block): ChangePart[] {
  const steps = diffArrays(tokensOf(plain(old)), tokensOf(plain(now)), { maxEditLength: WORD_EDITS });
  if (steps === undefined) {
    return [
      { text: short(plain(old), LONGEST_QUOTE * 4), mark: 'removed' },
      { text: short(plain(now), LONGEST_QUOTE * 4), mark: 'added' },
    ];
  }
  return steps.map(({ value: tokens, added, removed }): ChangePart => {
    const value = tokens.join('');
    const mark = added ? 'added' : removed ? 'removed' : 'same';
    return { text: mark === 'same' ? middleOut(value) : short(value, LONGEST_QUOTE * 4), mark };
  });
}

/** Words, spaces and punctuation marks; a number with its groups and decimals is one token. */
const tokensOf = (text: string): string[] =>
  text.match(/\s+|[\p{L}\p{N}]+(?:[.,'’-][\p{L}\p{N}]+)*|./gu) ?? [];

/** Shortens a long unchanged stretch to its two ends. */
function middleOut(text: string): string {
  return text.length <= AROUND * 2.5
    ? text
    : `${text.slice(0, AROUND)} … ${text.slice(-AROUND)}`.toWellFormed();
}

function short(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`.toWellFormed();
}

function placeOf(block: Block | undefined): Cite | undefined {
  if (block === undefined) return undefined;
  const quote = block.text.slice(0, LONGEST_QUOTE).toWellFormed();
  return {
    block: block.id,
    ...(block.page === undefined ? {} : { page: block.page }),
    quote,
    start: 0,
    end: quote.length,
  };
}
