import { ABBREVIATION_RULES } from './abbreviations.ts';
import type { ReadingRule } from './reading-rule.ts';
import { TELEPHONE_RULES } from './telephone-numbers.ts';
import { plainLine } from './text-layout.ts';
import { ADDRESS_RULES } from './written-addresses.ts';
import { AMOUNT_RULES } from './written-amounts.ts';
import { CODE_RULES } from './written-codes.ts';
import { DATE_RULES } from './written-dates.ts';
import { MONEY_RULES } from './written-money.ts';
import { TIME_RULES } from './written-times.ts';
import { WORD_RULES } from './written-words.ts';

/** The first rule that fits reads the text; the more special ones come first. */
const RULES: readonly ReadingRule[] = [
  ...ADDRESS_RULES,
  ...ABBREVIATION_RULES,
  ...TIME_RULES,
  ...DATE_RULES,
  ...MONEY_RULES,
  ...TELEPHONE_RULES,
  ...CODE_RULES.slice(0, -1),
  ...AMOUNT_RULES.slice(0, -2),
  ...CODE_RULES.slice(-1),
  ...AMOUNT_RULES.slice(-2),
  ...WORD_RULES,
];
/** Longest text, characters; the rest is not said. */
export const LONGEST_TEXT = 2000;
/** How much of the text around a match a rule may look at, characters. */
const AROUND = 80;
/** Signs that are read where they stand between words. */
const SIGNS: Readonly<Record<string, string>> = {
  '&': ' and ',
  '+': ' plus ',
  '=': ' equals ',
  '@': ' at ',
  '%': ' percent ',
  '×': ' times ',
  '°': ' degrees ',
  '<': ' less than ',
  '>': ' more than ',
  '≈': ' about ',
  '£': ' pounds ',
  '€': ' euros ',
  $: ' dollars ',
};
/** Signs that stay, because the voice makes a pause or a melody of them. */
const PAUSES: Readonly<Record<string, string>> = {
  '–': ', ',
  '—': ', ',
  '(': ', ',
  ')': ', ',
  '[': ', ',
  ']': ', ',
  '{': ', ',
  '}': ', ',
  '|': ', ',
};

/**
 * Writes out what is said: numbers, money, dates, times, addresses, codes, abbreviations and signs become
 * words of British English, and the layout of Markdown becomes pauses. Letters that are read by their names
 * stand alone as capitals; the article is a small `a`. Marks (. , ; : ! ?) stay.
 *
 * @param text at most `LONGEST_TEXT` characters are read
 * @returns no digit; empty where there is nothing to say
 */
export function spokenText(text: string): string {
  const line = plainLine(text.slice(0, LONGEST_TEXT));
  let said = '';
  for (let at = 0; at < line.length; ) {
    const read = readAt(line, at);
    if (read !== undefined) {
      // Two readings side by side, such as a number and its unit, are words of their own.
      said += `${/[\w']$/.test(said) ? ' ' : ''}${read.words}`;
      at = read.end;
      if (/[\w]/.test(line[at] ?? '') || /[\w]$/.test(said) === false) continue;
    } else {
      said += sayMark(line, at);
      at += 1;
    }
  }
  return tidy(said);
}

/** @returns undefined where no rule fits, as at a mark or a blank */
function readAt(line: string, at: number): { readonly words: string; readonly end: number } | undefined {
  if (line[at] === ' ') return undefined;
  const before = line.slice(Math.max(0, at - AROUND), at);
  const isInsideWord = /[A-Za-z\d]$/.test(before) && /[A-Za-z\d]/.test(line[at] ?? '');
  for (const { pattern, say } of RULES) {
    pattern.lastIndex = at;
    const match = pattern.exec(line);
    if (match === null || match[0] === '') continue;
    if (isInsideWord && !/^(?:[A-Za-z]+|\d+)/.test(match[0])) continue;
    const end = at + match[0].length;
    const words = say(match, { before, after: line.slice(end, end + AROUND) });
    if (words !== undefined) return { words, end };
  }
  return undefined;
}

function sayMark(line: string, at: number): string {
  const sign = line[at] ?? '';
  const [before = '', after = ''] = [line[at - 1], line[at + 1]];
  if (sign === '-') return before === ' ' && after === ' ' ? ', ' : ' ';
  if (sign === '/') return /[a-z]/.test(before) && /[a-z]/.test(after) ? ' or ' : ' ';
  if (sign === '.' && /[A-Za-z\d]/.test(after)) return '. ';
  if ('.,;:!? '.includes(sign)) return sign;
  if ('\ue000' <= sign && sign <= '\uf8ff') return ` ${sign} `;
  return PAUSES[sign] ?? SIGNS[sign] ?? ' ';
}

/** One blank between words, none before a mark, and one mark where several stand together. */
function tidy(said: string): string {
  return said
    .replace(/\s+/g, ' ')
    .replace(/\s+(?=[.,;:!?])/g, '')
    .replace(/[.,;:!?]{2,}|[.,;:!?](?:\s*[.,;:!?])+/g, (marks) => strongest(marks))
    .replace(/^[\s.,;:!?]+/, '')
    .replace(/([.,;:!?])(?=\S)/g, '$1 ')
    .replace(/[\s,;:]+$/, '')
    .trim();
}

const strongest = (marks: string): string =>
  ['?', '!', '.', ':', ';'].find((mark) => marks.includes(mark)) ?? ',';
