import { homographPhonemes, type Neighbours } from './homographs.ts';

/** What knows how words are said. */
export interface WordSources {
  /** The voice's lexicon, by words in small letters. */
  readonly lexicon: (word: string) => string | undefined;
  /** Names that are not said as English words, by words in small letters. */
  readonly names: ReadonlyMap<string, string>;
  /** Names of the letters, by small letters. */
  readonly letters: Readonly<Record<string, string>>;
  /** Letters to phonemes, for a word that nothing else knows; may be empty. */
  readonly spell: (word: string) => Promise<string>;
  /** The assistant's own words: a private sign of the text and its phonemes. */
  readonly own: ReadonlyMap<string, string>;
}

const TOKEN = /[A-Za-z]+(?:'[A-Za-z]+)*|[.,!?;:]|[\ue000-\uf8ff]/g;
const NEIGHBOURS = 4;
/** Letters of a word that are spelled at once; nobody writes longer words. */
const MOST_LETTERS = 24;
/** Shortest half of a compound. */
const LEAST_HALF = 4;

/**
 * The phonemes of a spoken text (`spokenText`), words apart by a blank, marks kept. It always ends with a mark:
 * without one the voice swallows the last consonant. Empty for a text without words.
 */
export async function textPhonemes(text: string, sources: WordSources): Promise<string> {
  const tokens = text.match(TOKEN) ?? [];
  if (!tokens.some((token) => /[A-Za-z\ue000-\uf8ff]/.test(token))) return '';
  let out = '';
  for (const [at, token] of tokens.entries()) {
    if (/^[.,!?;:]$/.test(token)) {
      if (out !== '') out += token;
      continue;
    }
    out += ` ${sources.own.get(token) ?? (await wordPhonemes(token, neighboursOf(tokens, at), sources))}`;
  }
  out = out.trim();
  return /[.!?]$/.test(out) ? out : `${out.replace(/[,;:]$/, '')}.`;
}

function neighboursOf(tokens: readonly string[], at: number): Neighbours {
  const isMark = (token: string): boolean => /[.,!?;:]/.test(token);
  const until = (list: readonly string[]): string[] => {
    const end = list.findIndex(isMark);
    return list.slice(0, end < 0 ? NEIGHBOURS : Math.min(end, NEIGHBOURS)).map((word) => word.toLowerCase());
  };
  const before = tokens.slice(Math.max(0, at - NEIGHBOURS), at).reverse();
  return {
    before: until(before),
    after: until(tokens.slice(at + 1, at + 1 + NEIGHBOURS)),
    written: tokens[at] ?? '',
    first: at === 0 || /[.!?:;]/.test(tokens[at - 1] ?? ''),
  };
}

async function wordPhonemes(token: string, around: Neighbours, sources: WordSources): Promise<string> {
  const word = token.toLowerCase();
  const fixed = fixedPhonemes(token, word, around, sources);
  if (fixed !== undefined) return fixed;
  const known = sources.names.get(word) ?? homographPhonemes(word, around) ?? sources.lexicon(word);
  const found =
    known ?? inflected(word, sources) ?? compound(word, sources.lexicon) ?? (await spelled(word, sources));
  return found === '' ? lettersOf(word, sources) : found;
}

/** Words whose sound depends on the next one, and names of letters. */
function fixedPhonemes(
  token: string,
  word: string,
  around: Neighbours,
  { letters }: WordSources,
): string | undefined {
  const vowel = /^[aeiou]/.test(around.after[0] ?? '');
  if (word === 'the') return vowel ? 'ði' : 'ðə';
  if (word === 'to') return vowel ? 'tʊ' : 'tə';
  if (token === 'a') return 'ɐ';
  const letter = /^([A-Z])('s)?$/.exec(token);
  if (letter === null || token === 'I') return undefined;
  const name = letters[(letter[1] ?? '').toLowerCase()] ?? '';
  return letter[2] === undefined ? name : withEnding(name);
}

/** Plurals, genitives and contractions of known words. */
function inflected(word: string, { names, lexicon }: WordSources): string | undefined {
  const end = /'s$/.test(word) ? 2 : /s$/.test(word) ? 1 : 0;
  if (end === 0) return undefined;
  const find = (stem: string): string | undefined => names.get(stem) ?? lexicon(stem);
  const stem = word.slice(0, -end);
  const known =
    find(stem) ??
    (word.endsWith('ies')
      ? find(`${word.slice(0, -3)}y`)
      : word.endsWith('es')
        ? find(word.slice(0, -2))
        : undefined);
  return known === undefined ? undefined : withEnding(known);
}

const withEnding = (stem: string): string =>
  stem + (/[szʃʒʧʤ]$/.test(stem) ? 'ɪz' : /[ptkfθ]$/.test(stem) ? 's' : 'z');

/** Two known words in one, such as `northline`: the second one is stressed less. */
function compound(word: string, lexicon: WordSources['lexicon']): string | undefined {
  for (let at = word.length - LEAST_HALF; at >= LEAST_HALF; at--) {
    const [first, second] = [lexicon(word.slice(0, at)), lexicon(word.slice(at))];
    if (first !== undefined && second !== undefined) return first + second.replace('ˈ', 'ˌ');
  }
  return undefined;
}

async function spelled(word: string, { spell }: WordSources): Promise<string> {
  // Nobody can say it as a word: its letters are named.
  if (!/[aeiouy]/.test(word)) return '';
  let out = '';
  for (let at = 0; at < word.length; at += MOST_LETTERS)
    out += await spell(word.slice(at, at + MOST_LETTERS));
  return out;
}

const lettersOf = (word: string, { letters }: WordSources): string =>
  [...word]
    .map((letter) => letters[letter] ?? '')
    .join(' ')
    .trim();
