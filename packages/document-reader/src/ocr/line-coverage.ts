import { type Box, type Extent, extentOf } from './box-geometry.ts';
import type { ReadLine, ReadWord } from './page-reading.ts';
import type { StraightPage } from './page-straightening.ts';

/** A line that the detector saw, and how well its words cover it. */
export interface SeenLine {
  /** In pixels of the source. */
  readonly box: Box;
  /** On the straightened page. */
  readonly place: Extent;
  readonly words: readonly ReadWord[];
  /** Share of its length that words cover, 0 to 1. */
  readonly covered: number;
  /** Mean confidence of its words, weighted by their length, 0 to 100. */
  readonly confidence: number;
}

/** Matches a reader's words with the lines that the detector saw. Words outside every line are `stray`. */
export function compareWithSeen(
  boxes: readonly Box[],
  page: Pick<StraightPage, 'fromSource'>,
  lines: readonly ReadLine[],
): { seen: SeenLine[]; stray: ReadWord[] } {
  const places = boxes.map((box) => extentOf(box.map((corner) => page.fromSource(corner))));
  const words = places.map((): ReadWord[] => []);
  const stray: ReadWord[] = [];
  for (const word of lines.flatMap((line) => line.words)) {
    const home = bestHome(word.place, places);
    (words[home] ?? stray).push(word);
  }
  const seen = places.map((place, index) => describe(boxes[index] as Box, place, words[index] ?? []));
  return { seen, stray };
}

/** Index of the line that holds most of a word; -1 if none holds a third. */
function bestHome(word: Extent, places: readonly Extent[]): number {
  const area = (word.right - word.left) * (word.bottom - word.top);
  let best = -1;
  let most = area / 3;
  for (const [index, place] of places.entries()) {
    const width = Math.min(word.right, place.right) - Math.max(word.left, place.left);
    const height = Math.min(word.bottom, place.bottom) - Math.max(word.top, place.top);
    if (width > 0 && height > 0 && width * height > most) {
      best = index;
      most = width * height;
    }
  }
  return best;
}

function describe(box: Box, place: Extent, words: readonly ReadWord[]): SeenLine {
  const sorted = [...words].sort((a, b) => a.place.left - b.place.left);
  let covered = 0;
  let reached = place.left;
  for (const { place: word } of sorted) {
    covered += Math.max(0, Math.min(word.right, place.right) - Math.max(word.left, reached));
    reached = Math.max(reached, word.right);
  }
  return {
    box,
    place,
    words: sorted,
    covered: covered / Math.max(1, place.right - place.left),
    confidence: meanConfidence(sorted),
  };
}

/** Mean confidence of words, weighted by their length; 0 without words. */
export function meanConfidence(words: readonly ReadWord[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  const weighed = words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0);
  return letters === 0 ? 0 : weighed / letters;
}

/** Approximate number of letters in a line: its length over its height. */
function weightOf({ left, top, right, bottom }: Extent): number {
  return Math.max(1, (right - left) / Math.max(1, bottom - top));
}

/** Share of the seen text, by length, for which `isRead` holds; 1 if nothing was seen. */
export function shareOf(seen: readonly SeenLine[], isRead: (line: SeenLine) => boolean): number {
  const total = seen.reduce((sum, { place }) => sum + weightOf(place), 0);
  const read = seen.filter(isRead).reduce((sum, { place }) => sum + weightOf(place), 0);
  return total === 0 ? 1 : read / total;
}
