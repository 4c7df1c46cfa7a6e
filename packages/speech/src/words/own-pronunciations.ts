/** How an assistant's words are said: each word, and plain spelling or phonemes between slashes. */
export type Pronunciations = Readonly<Record<string, string>>;

/** The text with signs in place of the words whose phonemes are given. */
export interface MarkedText {
  readonly text: string;
  /** Phonemes by sign. */
  readonly own: ReadonlyMap<string, string>;
}

/** Signs that no text has (Unicode's private use), one for each word. */
const FIRST_SIGN = 0xe000;
const SIGNS = /[\ue000-\uf8ff]/g;

/**
 * Puts plain spelling in the place of each word, and a sign where phonemes are given. Words are compared
 * without regard to capitals; the longest comes first.
 */
export function markPronunciations(text: string, pronunciations: Pronunciations = {}): MarkedText {
  const own = new Map<string, string>();
  const plain = text.replace(SIGNS, ' ');
  const words = Object.keys(pronunciations)
    .filter((word) => word.trim() !== '')
    .sort((one, other) => other.length - one.length);
  if (words.length === 0) return { text: plain, own };
  const said = new Map(words.map((word) => [word.toLowerCase(), pronunciations[word] ?? '']));
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${words.map((word) => word.replace(/[.*+?^$()[\]{}|\\/]/g, String.raw`\$&`)).join('|')})(?![\\p{L}\\p{N}])`,
    'giu',
  );
  const marked = plain.replace(pattern, (found) => {
    const how = said.get(found.toLowerCase()) ?? found;
    const phonemes = /^\/(.+)\/$/.exec(how.trim())?.[1];
    if (phonemes === undefined) return how;
    const sign = String.fromCharCode(FIRST_SIGN + own.size);
    own.set(sign, phonemes);
    return sign;
  });
  return { text: marked, own };
}
