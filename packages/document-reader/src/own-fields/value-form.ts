import { escapePattern } from '../contract/text-pattern.contract.ts';
import { findAmounts } from '../values/amounts.ts';
import { findDate } from '../values/dates.ts';
import { findIbans } from '../values/ibans.ts';

/** The classes of values: a day, an amount, an account, an address, a number or code of one shape, or words. */
type ValueClass = 'date' | 'money' | 'iban' | 'email' | 'code' | 'text';

/** The form of a field's values, learned from examples. It is plain data, so that it can be stored. */
export interface ValueForm {
  readonly class: ValueClass;
  /** For a code: a regular expression of its shape, and a wider one for values that examples did not show. */
  readonly shape?: string | undefined;
  readonly wide?: string | undefined;
  /** For words: the most words that a value has. */
  readonly mostWords?: number | undefined;
}

/** A value in a text, with its place. `fit`: how well it has the form, 0 to 1. */
export interface FormedValue {
  readonly printed: string;
  readonly start: number;
  readonly normalized?: string;
  readonly fit: number;
}

const EMAIL = /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g;
/** Longer texts are not a value. */
const LONGEST_VALUE = 200;
const FIT_OF_WIDE = 0.7;

/** The form that all values have. */
export function formOf(values: readonly string[]): ValueForm {
  const trimmed = values.map((value) => value.trim());
  const simple = (['date', 'money', 'iban', 'email'] as const).find((name) =>
    trimmed.every((value) => valuesIn(value, { class: name }).some(({ printed }) => printed === value)),
  );
  if (simple !== undefined) return { class: simple };
  if (trimmed.every((value) => /\d/.test(value) && value.split(/\s+/).length <= 5 && value.length <= 60))
    return { class: 'code', ...shapesOf(trimmed) };
  const words = Math.max(...trimmed.map((value) => value.split(/\s+/).length));
  return { class: 'text', mostWords: Math.max(4, 2 * words) };
}

/** The values of a form in a text. Words are not looked for here, as only their place tells where they end. */
export function valuesIn(text: string, form: ValueForm): FormedValue[] {
  switch (form.class) {
    case 'date':
      return datesIn(text);
    case 'money':
      return findAmounts(text).map(({ printed, value, index }) => ({
        printed: printed.trim(),
        start: index + printed.length - printed.trimStart().length,
        normalized: value,
        fit: 1,
      }));
    case 'iban':
      return findIbans(text).map(({ printed, compact }) => ({
        printed,
        start: text.indexOf(printed),
        normalized: compact,
        fit: 1,
      }));
    case 'email':
      return matchesOf(text, EMAIL, 1);
    case 'code':
      return codesIn(text, form);
    case 'text':
      return [];
  }
}

/** Words as a value; undefined if the text is too long or has no letter. */
export function wordsAsValue(
  text: string,
  start: number,
  { mostWords = 8 }: ValueForm,
): FormedValue | undefined {
  const lead = text.length - text.replace(/^[\s:#.–—-]+/, '').length;
  const printed = text
    .slice(lead)
    .trim()
    .replace(/(?<=\p{L}{3})[.,;]$/u, '');
  if (printed === '' || printed.length > LONGEST_VALUE || !/\p{L}/u.test(printed)) return undefined;
  if (printed.split(/\s+/).length > mostWords) return undefined;
  return { printed, start: start + lead, fit: printed.endsWith(':') ? 0.4 : 1 };
}

function datesIn(text: string): FormedValue[] {
  const found: FormedValue[] = [];
  for (let from = 0; from < text.length; ) {
    const date = findDate(text.slice(from));
    const at = date === undefined ? -1 : text.indexOf(date.printed, from);
    if (date === undefined || at === -1) break;
    found.push({ printed: date.printed, start: at, normalized: date.iso, fit: 1 });
    from = at + date.printed.length;
  }
  return found;
}

function codesIn(text: string, { shape = '', wide = '' }: ValueForm): FormedValue[] {
  const exact = shape === '' ? [] : matchesOf(text, bounded(shape), 1);
  const wider = wide === '' ? [] : matchesOf(text, bounded(wide), FIT_OF_WIDE);
  const isTaken = ({ start, printed }: FormedValue): boolean =>
    exact.some((one) => start < one.start + one.printed.length && one.start < start + printed.length);
  return [...exact, ...wider.filter((one) => !isTaken(one))];
}

function matchesOf(text: string, pattern: RegExp, fit: number): FormedValue[] {
  return [...text.matchAll(pattern)].map(({ 0: printed, index }) => ({ printed, start: index, fit }));
}

/** The pattern, which does not match inside a longer word or number. */
function bounded(pattern: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\d]|\\d[.,/-])(?:${pattern})(?![\\p{L}\\d]|[.,/-]\\d)`, 'gu');
}

/** A run of signs of one class in a code. */
interface Run {
  readonly class: 'upper' | 'lower' | 'digit' | 'sign';
  readonly text: string;
}

/** The shapes of codes: one for each order of runs in the examples, and a wider one of all signs that they use. */
function shapesOf(values: readonly string[]): { shape: string; wide: string } {
  const groups = new Map<string, Run[][]>();
  for (const value of values) {
    const runs = runsOf(value);
    const order = runs.map((run) => (run.class === 'sign' ? run.text : run.class)).join(' ');
    groups.set(order, [...(groups.get(order) ?? []), runs]);
  }
  const lengths = values.map(({ length }) => length);
  const signs = [...new Set(values.join('').replace(/[\p{L}\d\s]/gu, ''))].map((sign) => `\\u{${hex(sign)}}`);
  const letters = /\p{L}/u.test(values.join('')) ? '\\p{L}' : '';
  const spaced = values.some((value) => value.includes(' ')) ? '\\u{20}' : '';
  const any = `[${letters}\\d${signs.join('')}${spaced}]`;
  const least = Math.max(1, Math.min(...lengths) - 2);
  return {
    shape: [...groups.values()].map(shapeOf).join('|'),
    wide: `(?=[^\\d\\s]*\\d)[${letters}\\d]${any}{${least - 1},${Math.max(...lengths) + 2}}`,
  };
}

const hex = (sign: string): string => (sign.codePointAt(0) ?? 0).toString(16);

const CLASSES = { upper: '\\p{Lu}', lower: '\\p{Ll}', digit: '\\d' } as const;

/** The shape of codes with the same order of runs. Letters that several examples share are part of it. */
function shapeOf(codes: readonly (readonly Run[])[]): string {
  return (codes[0] ?? [])
    .map((run, index) => {
      const texts = codes.map((code) => code[index]?.text ?? '');
      if (run.class === 'sign') return run.text === ' ' ? '\\s' : escapeSign(run.text);
      // A single letter may be the same by chance.
      const isWord = run.class !== 'digit' && run.text.length > 1;
      const isFixed = codes.length > 1 && isWord && texts.every((text) => text === run.text);
      if (isFixed) return escapePattern(run.text);
      const [least, most] = [Math.min(...texts.map(lengthOf)), Math.max(...texts.map(lengthOf))];
      // Few examples do not show how long a number can become; letters vary less.
      const slack = run.class === 'digit' && least !== most ? 1 : 0;
      return `${CLASSES[run.class]}{${Math.max(1, least - slack)},${most + slack}}`;
    })
    .join('');
}

const lengthOf = ({ length }: string): number => length;
const escapeSign = (text: string): string => [...text].map((sign) => `\\u{${hex(sign)}}`).join('');

function runsOf(value: string): Run[] {
  return [...value.matchAll(/\p{Lu}+|\p{Ll}+|\d+|[^\p{Lu}\p{Ll}\d]/gu)].map(([text]) => ({
    class: /\p{Lu}/u.test(text)
      ? 'upper'
      : /\p{Ll}/u.test(text)
        ? 'lower'
        : /\d/.test(text)
          ? 'digit'
          : 'sign',
    text,
  }));
}
