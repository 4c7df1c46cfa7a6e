/** The place of a quote in the texts of a page: from the character `start` of text `item` to its character `end`. */
export interface TextRun {
  readonly item: number;
  readonly start: number;
  readonly end: number;
}

/** How many characters before a quote distinguish it from an equal one. */
const CONTEXT = 40;
/** How many characters at both ends of a long quote are looked for if it is nowhere as a whole. */
const PART = 32;

interface Letters {
  readonly text: string;
  /** For each letter: the text that it is in, and its place there. */
  readonly items: readonly number[];
  readonly places: readonly number[];
}

/**
 * Finds a quote in the texts that a PDF page is drawn with. White space, hyphens, accents and compatibility forms do not
 * count, as the reader joins lines and folds letters (docs/contracts/documents.md §2). `before` is the text before the
 * quote: of several places, the one after it counts. Empty if the quote is nowhere.
 */
export function placeQuote(texts: readonly string[], quote: string, before = ''): TextRun[] {
  const letters = lettersOf(texts);
  const wanted = lettersOf([quote]).text;
  if (wanted === '') return [];
  const context = lettersOf([before]).text.slice(-CONTEXT);
  const at = findAfterContext(letters.text, wanted, context);
  if (at !== -1) return runsOf(letters, at, at + wanted.length);
  if (wanted.length < 2 * PART) return [];
  // The reader may have read columns and rows in another order than the page draws them.
  return [wanted.slice(0, PART), wanted.slice(-PART)].flatMap((part) => {
    const found = letters.text.indexOf(part);
    return found === -1 ? [] : runsOf(letters, found, found + part.length);
  });
}

/** The place of `wanted` with the longest part of `context` before it; -1 if it is nowhere. */
function findAfterContext(text: string, wanted: string, context: string): number {
  let best = -1;
  let most = -1;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    let same = 0;
    while (same < context.length && text[at - 1 - same] === context[context.length - 1 - same]) same += 1;
    if (same > most) [best, most] = [at, same];
    if (same === context.length) break;
  }
  return best;
}

function lettersOf(texts: readonly string[]): Letters {
  const items: number[] = [];
  const places: number[] = [];
  let text = '';
  for (const [item, raw] of texts.entries()) {
    let place = 0;
    for (const character of raw) {
      for (const letter of folded(character)) {
        for (let count = 0; count < letter.length; count += 1) {
          items.push(item);
          places.push(place);
        }
        text += letter;
      }
      place += character.length;
    }
  }
  return { text, items, places };
}

const FOLDED = new Map<string, string>();

function folded(character: string): string {
  const known = FOLDED.get(character);
  if (known !== undefined) return known;
  const letters = character.normalize('NFKD').replace(/[\p{M}\p{White_Space}\p{Cf}\p{Cc}\p{Pd}]/gu, '');
  FOLDED.set(character, letters);
  return letters;
}

function runsOf({ items, places }: Letters, from: number, to: number): TextRun[] {
  const runs: TextRun[] = [];
  for (let at = from; at < to; at += 1) {
    const item = items[at] ?? 0;
    const place = places[at] ?? 0;
    const last = runs.at(-1);
    if (last?.item === item) runs[runs.length - 1] = { ...last, end: place + 1 };
    else runs.push({ item, start: place, end: place + 1 });
  }
  return runs;
}
