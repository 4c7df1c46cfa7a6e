const DIGITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    zero: '0',
    oh: '0',
    o: '0',
    nought: '0',
    one: '1',
    two: '2',
    to: '2',
    too: '2',
    three: '3',
    four: '4',
    for: '4',
    five: '5',
    six: '6',
    seven: '7',
    eight: '8',
    ate: '8',
    nine: '9',
  }),
);
const TEENS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ten: '10',
    eleven: '11',
    twelve: '12',
    thirteen: '13',
    fourteen: '14',
    fifteen: '15',
    sixteen: '16',
    seventeen: '17',
    eighteen: '18',
    nineteen: '19',
  }),
);
const TENS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    twenty: '2',
    thirty: '3',
    forty: '4',
    fifty: '5',
    sixty: '6',
    seventy: '7',
    eighty: '8',
    ninety: '9',
  }),
);
const TIMES: ReadonlyMap<string, number> = new Map(Object.entries({ double: 2, triple: 3, treble: 3 }));

/**
 * The digits of a number that was read out: `oh seven seven double four` is `07744`. Words between them are
 * skipped.
 *
 * @param words as `normaliseWords` leaves them
 * @returns digits with a `+` before them where it was said; empty when there are none
 */
export function readSpokenDigits(words: string): string {
  const tokens = words.replace(/[().-]/g, ' ').split(' ');
  // 'to' and 'for' count as digits only among others.
  const certain = tokens.filter((token) => /^\d+$/.test(token) || isCertain(token)).length;
  if (certain === 0) return '';
  let digits = '';
  let times = 1;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    digits += plusOf(token, digits);
    times = TIMES.get(token) ?? times;
    const [value, taken] = valueAt(token, tokens[at + 1] ?? '', certain > 2);
    if (value === '') continue;
    digits += value.repeat(times);
    times = 1;
    at += taken;
  }
  return digits === '+' ? '' : digits;
}

/** The sign to add for a plus that was said or written before its digits. */
function plusOf(token: string, digits: string): string {
  if (token === 'plus') return digits === '' ? '+' : '';
  if (!/^\+\d+$/.test(token)) return '';
  return digits === '' ? token : token.slice(1);
}

function isCertain(token: string): boolean {
  return (
    (DIGITS.has(token) && !['to', 'too', 'for', 'o', 'oh', 'ate'].includes(token)) ||
    TEENS.has(token) ||
    TENS.has(token) ||
    token.startsWith('+')
  );
}

function valueAt(token: string, next: string, amongDigits: boolean): [value: string, taken: number] {
  if (/^\d+$/.test(token)) return [token, 0];
  const teen = TEENS.get(token);
  if (teen !== undefined) return [teen, 0];
  const tens = TENS.get(token);
  if (tens !== undefined) {
    const unit = isCertain(next) ? DIGITS.get(next) : undefined;
    return unit !== undefined && unit !== '0' ? [tens + unit, 1] : [`${tens}0`, 0];
  }
  const digit = DIGITS.get(token);
  return digit !== undefined && (amongDigits || isCertain(token)) ? [digit, 0] : ['', 0];
}

/**
 * A small number that was said as a number: `two hundred and fifty` is 250.
 *
 * @returns null where there is none
 */
export function readSpokenNumber(words: string): number | null {
  const written = /\b\d[\d,]*\b/.exec(words);
  if (written) return Number(written[0].replace(/,/g, ''));
  const tokens = words.split(' ');
  const first = tokens.findIndex(isNumberWord);
  if (first === -1) return null;
  let total = 0;
  let part = 0;
  for (const token of tokens.slice(first)) {
    if (token === 'and') continue;
    if (!isNumberWord(token)) break;
    if (token === 'hundred') part = (part || 1) * 100;
    else if (token === 'thousand') {
      total += (part || 1) * 1000;
      part = 0;
    } else part += unitsOf(token);
  }
  return total + part;
}

function isNumberWord(token: string): boolean {
  return token === 'hundred' || token === 'thousand' || (!token.startsWith('+') && isCertain(token));
}

/** The value of a word below a hundred. */
function unitsOf(token: string): number {
  const tens = TENS.get(token);
  return tens === undefined ? Number(TEENS.get(token) ?? DIGITS.get(token) ?? 0) : Number(tens) * 10;
}
