/**
 * Rewrites text for a synthesiser that knows only American letters and numbers: money, addresses, times and
 * signs become words. The text on the screen stays as it was written.
 */
export function sayAloud(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[‘’]/g, "'")
    .replace(/[“”"*_#`<>]/g, ' ')
    .replace(/[–—]/g, ', ')
    .replace(/£\s?(\d[\d,]*)(?:\.(\d\d))?/g, (_, pounds: string, pence?: string) => money(pounds, pence))
    .replace(/(\d),(?=\d{3}\b)/g, '$1')
    .replace(/[\w.+-]+@[\w.-]+\.\w+/g, spellAddress)
    .replace(/\bhttps?:\/\/(\S+)/g, (_, rest: string) => spellAddress(rest))
    .replace(/\b(\d{1,2}):00\b/g, "$1 o'clock")
    .replace(/\b(\d{1,2}):(\d\d)\b/g, '$1 $2')
    .replace(/\+?\d(?:[\d ]{5,})\d/g, readDigits)
    .replace(/%/g, ' percent')
    .replace(/&/g, ' and ')
    .replace(/\b([A-Z]{2,5})\b/g, (_, letters: string) =>
      READ_AS_WORDS.has(letters) ? letters : [...letters].join(' '),
    )
    .replace(/\s+/g, ' ')
    .trim();
}

const READ_AS_WORDS = new Set(['OK', 'US', 'NO', 'YES']);

function money(pounds: string, pence: string | undefined): string {
  const whole = pounds.replace(/,/g, '');
  const words = `${whole} ${whole === '1' ? 'pound' : 'pounds'}`;
  return pence && pence !== '00' ? `${words} ${Number(pence)}` : words;
}

/** Reads numbers that are not quantities digit by digit, in groups. */
function readDigits(number: string): string {
  const digits = number.replace(/\D/g, '');
  const groups = digits.match(/\d{1,3}(?=(?:\d{3})*$)/g) ?? [];
  return `${number.startsWith('+') ? 'plus ' : ''}${groups.map((group) => [...group].join(' ')).join(', ')}`;
}

function spellAddress(address: string): string {
  return address
    .replace(/\./g, ' dot ')
    .replace(/@/g, ' at ')
    .replace(/[-_]/g, (sign) => (sign === '-' ? ' dash ' : ' underscore '))
    .replace(/\//g, ' slash ');
}

/** Synthesising a shorter sentence takes less time than splitting it would save. */
const SHORT = 60;
/** A first part shorter than this sounds chopped. */
const LEAST = 20;

/**
 * Cuts a long sentence after a comma, colon or full stop near its beginning, so that its first words are
 * heard while the rest is synthesised.
 *
 * @returns one or two parts, never empty ones
 */
export function splitSentence(sentence: string): string[] {
  const text = sentence.trim();
  if (text === '') return [];
  if (text.length <= SHORT) return [text];
  const cut = text.slice(LEAST).search(/[,;:.!?]\s/);
  if (cut < 0) return [text];
  const end = LEAST + cut + 1;
  return [text.slice(0, end), text.slice(end).trim()].filter((part) => part !== '');
}
