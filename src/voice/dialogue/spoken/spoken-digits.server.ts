const DIGITS: Readonly<Record<string, string>> = {
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
};
const TEENS: Readonly<Record<string, string>> = {
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
};
const TENS: Readonly<Record<string, string>> = {
  twenty: '2',
  thirty: '3',
  forty: '4',
  fifty: '5',
  sixty: '6',
  seventy: '7',
  eighty: '8',
  ninety: '9',
};
const TIMES: Readonly<Record<string, number>> = { double: 2, triple: 3, treble: 3 };

/**
 * The digits of a number that was read out: `oh seven double four` is `07744`. Words between
 * that are no digits are passed over.
 *
 * @param words as `normaliseWords` leaves them
 * @returns digits with a `+` before them where it was said; empty when there are none
 */
export function readSpokenDigits(words: string): string {
  const tokens = words.replace(/[().-]/g, ' ').split(' ');
  // 'to' and 'for' are digits only among others.
  const certain = tokens.filter((token) => /^\d+$/.test(token) || isCertain(token)).length;
  if (certain === 0) return '';
  let digits = '';
  let times = 1;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    const [value, taken] = valueAt(token, tokens[at + 1] ?? '', certain > 2);
    if (token === 'plus' && digits === '') digits = '+';
    else if (token.startsWith('+') && /^\+\d+$/.test(token)) digits += digits === '' ? token : token.slice(1);
    else if (TIMES[token]) times = TIMES[token];
    if (value === '') continue;
    digits += value.repeat(times);
    times = 1;
    at += taken;
  }
  return digits === '+' ? '' : digits;
}

function isCertain(token: string): boolean {
  return (
    (DIGITS[token] !== undefined && !['to', 'too', 'for', 'o', 'oh', 'ate'].includes(token)) ||
    TEENS[token] !== undefined ||
    TENS[token] !== undefined ||
    token.startsWith('+')
  );
}

function valueAt(token: string, next: string, amongDigits: boolean): [value: string, taken: number] {
  if (/^\d+$/.test(token)) return [token, 0];
  if (TEENS[token]) return [TEENS[token], 0];
  if (TENS[token]) {
    const unit = DIGITS[next];
    return unit && unit !== '0' && isCertain(next) ? [TENS[token] + unit, 1] : [`${TENS[token]}0`, 0];
  }
  const digit = DIGITS[token];
  return digit && (amongDigits || isCertain(token)) ? [digit, 0] : ['', 0];
}

/**
 * A small number that was said as a number: `two hundred and fifty` is 250.
 *
 * @returns null when there is none
 */
export function readSpokenNumber(words: string): number | null {
  const written = /\b\d[\d,]*\b/.exec(words);
  if (written) return Number(written[0].replace(/,/g, ''));
  let total = 0;
  let part = 0;
  let found = false;
  for (const token of words.split(' ')) {
    const small = TEENS[token] ?? (isCertain(token) ? DIGITS[token] : undefined);
    if (small !== undefined) part += Number(small);
    else if (TENS[token]) part += Number(TENS[token]) * 10;
    else if (token === 'hundred') part = (part || 1) * 100;
    else if (token === 'thousand') {
      total += (part || 1) * 1000;
      part = 0;
    } else if (!(token === 'and' && found)) {
      if (found) break;
      continue;
    }
    found = true;
  }
  return found ? total + part : null;
}
