import { setImmediate as nextTurn } from 'node:timers/promises';
import { diffArrays } from 'diff';
import type { Block, Cite } from '../report/report.contract.ts';
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
 * Most paragraphs, and words of one, that went and came: the work grows with their square, 40 and 5 ms at these. Counted,
 * not timed, so that a busy machine compares as an idle one does.
 */
const PARAGRAPH_EDITS = 600;
const WORD_EDITS = 200;
/** Share of words that two paragraphs have in common to be one, reworded. */
const ALIKE = 0.4;
const LONGEST_QUOTE = 300;
/** Signs kept of an unchanged stretch at either side of a change. */
const AROUND = 80;

/** Paragraph by paragraph, and word by word where one was reworded. Heads and feet of pages are left out. */
export async function differText(before: readonly Block[], after: readonly Block[]): Promise<TextDifference> {
  const [old, now] = [paragraphs(before), paragraphs(after)];
  const steps = diffArrays(old.map(plain), now.map(plain), { maxEditLength: PARAGRAPH_EDITS });
  const { pairs, same } = steps === undefined ? withoutOrder(old, now) : inOrder(steps, old, now);
  const changes: TextChange[] = [];
  for (const [from, to] of pairs.slice(0, MOST_CHANGES)) {
    changes.push(changeOf(from, to));
    // Other requests have their turn between two paragraphs.
    await nextTurn();
  }
  return { changes, unlisted: pairs.length - changes.length, same, ordered: steps !== undefined };
}

type Pair = readonly [Block | undefined, Block | undefined];

const paragraphs = (blocks: readonly Block[]): Block[] =>
  blocks.filter(({ type }) => type !== 'header' && type !== 'footer');
const plain = ({ text }: Block): string => text.replace(/\s+/g, ' ').trim();

function inOrder(
  steps: ReturnType<typeof diffArrays<string>>,
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

/** What stands in one of the two only, wherever it stands: for texts that have little in common. */
function withoutOrder(old: readonly Block[], now: readonly Block[]): { pairs: Pair[]; same: number } {
  const counts = new Map<string, number>();
  for (const block of old) counts.set(plain(block), (counts.get(plain(block)) ?? 0) + 1);
  const come: Block[] = [];
  let same = 0;
  for (const block of now) {
    const left = counts.get(plain(block)) ?? 0;
    if (left === 0) come.push(block);
    else {
      counts.set(plain(block), left - 1);
      same += 1;
    }
  }
  const gone = old.filter((block) => {
    const left = counts.get(plain(block)) ?? 0;
    if (left > 0) counts.set(plain(block), left - 1);
    return left > 0;
  });
  return {
    pairs: [
      ...gone.map((block): Pair => [block, undefined]),
      ...come.map((block): Pair => [undefined, block]),
    ],
    same,
  };
}

/** Each paragraph that went with the one that came in its place, if they share enough words; in order. */
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

/** Paragraphs further on are not looked at. */
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

/** Words, spaces and signs; a figure with its groups and decimals is one. */
const tokensOf = (text: string): string[] =>
  text.match(/\s+|[\p{L}\p{N}]+(?:[.,'’-][\p{L}\p{N}]+)*|./gu) ?? [];

/** A long stretch that is the same is told by its ends. */
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
