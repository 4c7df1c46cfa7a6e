/** How letters are heard when they are said alone. */
const SOUNDS: Readonly<Record<string, string>> = {
  ...{ ay: 'a', eh: 'a', hey: 'a', be: 'b', bee: 'b', see: 'c', sea: 'c', cee: 'c', dee: 'd', de: 'd' },
  ...{ ef: 'f', eff: 'f', gee: 'g', aitch: 'h', age: 'h', eye: 'i', jay: 'j', kay: 'k', okay: 'k' },
  ...{ el: 'l', ell: 'l', hell: 'l', em: 'm', am: 'm', en: 'n', an: 'n', and: 'n', oh: 'o', owe: 'o' },
  ...{ pea: 'p', pee: 'p', cue: 'q', queue: 'q', are: 'r', our: 'r', ess: 's', es: 's', yes: 's' },
  ...{ tea: 't', tee: 't', you: 'u', vee: 'v', we: 'v', ex: 'x', why: 'y', zed: 'z', zee: 'z' },
};
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
      continue;
    }
    plain.push(token);
    if (!LETTER.test(token)) continue;
    if (next === 'for' && (tokens[at + 2] ?? '').startsWith(token)) at += 2;
    else if (next === 'as' && tokens[at + 2] === 'in' && (tokens[at + 3] ?? '').startsWith(token)) at += 3;
  }
  return plain;
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
    const sound = SOUNDS[token];
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
