import type { SeenLine } from './line-coverage.ts';
import type { RecognisedLine } from './line-recognition.ts';
import type { ReadWord } from './page-reading.ts';

/**
 * The words of a line that the recogniser read, with their places on the straightened page. The recogniser drops many
 * spaces, so the page reader's spaces are used where both read the same letters.
 */
export function wordsOfLine({ text, score, places }: RecognisedLine, line: SeenLine): ReadWord[] {
  const spaced = withSpacesOf(text, line.words.map((word) => word.text).join(' '));
  const { left, right, top, bottom } = line.place;
  const width = right - left;
  const half = width / Math.max(1, places.length) / 2;
  const words: ReadWord[] = [];
  let at = 0;
  for (const part of spaced.split(/(\s+)/)) {
    if (part.trim() === '') {
      // A space from the recogniser has a place of its own; an inserted one has none.
      if (/\s/.test(text[at] ?? '')) at += 1;
      continue;
    }
    const from = places[at] ?? 0;
    const to = places[at + part.length - 1] ?? 1;
    words.push({
      text: part,
      confidence: Math.round(score * 100),
      place: {
        left: Math.max(left, left + from * width - half),
        right: Math.min(right, left + to * width + half),
        top,
        bottom,
      },
    });
    at += part.length;
  }
  return words;
}

/** `text` with the spaces of `model`, if both have the same letters around the space. */
function withSpacesOf(text: string, model: string): string {
  const letters = text.replace(/\s+/g, '');
  const wanted = model.replace(/\s+/g, '');
  const spaces = new Set(spacesOf(text));
  for (const at of spacesOf(model)) {
    const place = samePlace(letters, wanted.slice(Math.max(0, at - 2), at), wanted.slice(at, at + 2), at);
    if (place !== undefined) spaces.add(place);
  }
  return [...letters].map((char, index) => (spaces.has(index) ? ` ${char}` : char)).join('');
}

/** After how many letters each space of a text comes. */
function spacesOf(text: string): number[] {
  const words = text.trim().split(/\s+/);
  let letters = 0;
  return words.slice(0, -1).map((word) => {
    letters += word.length;
    return letters;
  });
}

/** The place where `before` and `after` meet, at most two letters from `at`; a reader may have lost or added letters. */
function samePlace(letters: string, before: string, after: string, at: number): number | undefined {
  return [at, at - 1, at + 1, at - 2, at + 2].find(
    (place) =>
      place > 0 &&
      place < letters.length &&
      letters.slice(0, place).endsWith(before) &&
      letters.startsWith(after, place),
  );
}
