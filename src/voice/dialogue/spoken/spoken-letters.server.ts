/** Words that a letter said by itself is recognised as. */
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
/** Letters that stand in for themselves; `a` and `i` are words as well. */
const LETTER = /^[a-z]$/;
const LEAST_LETTERS = 2;

/**
 * Letters that were spelt become one word: `s m i t h` is `smith`, `double l` is `ll`, `s for sugar`
 * is `s`. Words that sound like letters count as such between letters only.
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

/** `double l` twice, `s for sugar` and `s as in sugar` once. */
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

/** How many words after a letter give its example: two of `s for sugar`, three of `s as in sugar`. */
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
    // It sounds like a letter: one if letters are around it.
    const around = LETTER.test(tokens[at + 1] ?? '') || run.length > 1;
    if (sound === undefined || !around || (run.length === 0 && !startsRun(tokens, at))) break;
    run.push(sound);
    if (run.length > 2) certain = run.length;
  }
  return run.slice(0, certain);
}

/** Two letters follow: what stands before them is one as well. */
function startsRun(tokens: readonly string[], at: number): boolean {
  return (
    LETTER.test(tokens[at + 1] ?? '') &&
    LETTER.test(tokens[at + 2] ?? '') &&
    !['and', 'am', 'an', 'are', 'we', 'you', 'yes', 'be', 'okay', 'see'].includes(tokens[at] ?? '')
  );
}
