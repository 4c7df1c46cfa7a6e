/** What recognisers hear when a letter is said by itself. */
const WORDS_OF_LETTERS: Readonly<Record<string, string>> = {
  a: 'ay eh hey',
  b: 'be bee',
  c: 'see sea cee',
  d: 'dee de',
  f: 'ef eff',
  g: 'gee',
  h: 'aitch age',
  i: 'eye',
  j: 'jay',
  k: 'kay okay',
  l: 'el ell hell',
  m: 'em am',
  n: 'en an and',
  o: 'oh owe',
  p: 'pea pee',
  q: 'cue queue',
  r: 'are our',
  s: 'ess es yes',
  t: 'tea tee',
  u: 'you',
  v: 'vee we',
  x: 'ex',
  y: 'why',
  z: 'zed zee',
};
const SOUNDS: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS_OF_LETTERS).flatMap(([letter, words]) =>
    words.split(' ').map((word) => [word, letter] as const),
  ),
);
/** A single letter; `a` and `i` may also be words. */
const LETTER = /^[a-z]$/;
const LEAST_LETTERS = 2;

/**
 * Joins spelt letters into one word: `s m i t h` is `smith`, `double l` is `ll`, `s for sugar` is `s`. Words
 * that sound like letters count as letters only between letters.
 *
 * @param words as `normaliseWords` leaves them
 * @returns the words with every run of letters joined, and those runs
 */
export function joinLetters(words: string): { readonly words: string; readonly spelt: readonly string[] } {
  const tokens = plainLetters(words.split(' '));
  const joined: string[] = [];
  const spelt: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const run = runAt(tokens, at);
    if (run.length < LEAST_LETTERS) {
      joined.push(tokens[at] ?? '');
      at++;
      continue;
    }
    const word = run.join('');
    joined.push(word);
    spelt.push(word);
    at += run.length;
  }
  return { words: joined.join(' '), spelt };
}

/** Writes `double l` as two letters, and `s for sugar` or `s as in sugar` as one. */
function plainLetters(tokens: readonly string[]): string[] {
  const plain: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    const next = tokens[at + 1] ?? '';
    if (token === 'double' && LETTER.test(next)) {
      plain.push(next, next);
      at++;
    } else {
      plain.push(token);
      at += wordsOfExample(tokens, at);
    }
  }
  return plain;
}

/** How many of the words after a letter are its example: two in `s for sugar`, three in `s as in sugar`. */
function wordsOfExample(tokens: readonly string[], at: number): number {
  const [letter = '', one, two = '', three = ''] = tokens.slice(at, at + 4);
  if (!LETTER.test(letter)) return 0;
  if (one === 'for' && two.startsWith(letter)) return 2;
  return one === 'as' && two === 'in' && three.startsWith(letter) ? 3 : 0;
}

function runAt(tokens: readonly string[], from: number): string[] {
  const run: string[] = [];
  let certain = 0;
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    if (LETTER.test(token)) {
      run.push(token);
      certain = run.length;
      continue;
    }
    const sound = SOUNDS.get(token);
    // A word that sounds like a letter counts as one if there are letters around it.
    const around = LETTER.test(tokens[at + 1] ?? '') || run.length > 1;
    if (sound === undefined || !around || (run.length === 0 && !startsRun(tokens, at))) break;
    run.push(sound);
    if (run.length > 2) certain = run.length;
  }
  return run.slice(0, certain);
}

/** If two letters follow, the word before them is a letter as well. */
function startsRun(tokens: readonly string[], at: number): boolean {
  return (
    LETTER.test(tokens[at + 1] ?? '') &&
    LETTER.test(tokens[at + 2] ?? '') &&
    !['and', 'am', 'an', 'are', 'we', 'you', 'yes', 'be', 'okay', 'see'].includes(tokens[at] ?? '')
  );
}
