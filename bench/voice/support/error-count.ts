import { normaliseWords } from '../../../src/voice/dialogue/spoken/word-normalisation.server.ts';

/** The number of spoken words, and of words recognised wrongly, missed or invented. */
export interface WordErrors {
  readonly words: number;
  readonly errors: number;
}

/** Spellings that sound the same. */
const SAME: readonly (readonly [RegExp, string])[] = [
  [/<\d+>/g, ' '],
  [/\banalyz/g, 'analys'],
  [/\binquir/g, 'enquir'],
  [/\b(oh|o)\b/g, 'oh'],
  [/\b(er|um|uh|erm)\b/g, ' '],
  [/\bset up\b/g, 'setup'],
  [/\bper cent\b/g, 'percent'],
  [/\bvat\b/g, 'v a t'],
  [/\bzero\b/g, 'oh'],
];
const UNITS = 'oh one two three four five six seven eight nine'.split(' ');
const TEENS = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const TENS = '- - twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** Numbers as people say them: up to 99 as one, longer ones digit by digit. */
function sayNumbers(text: string): string {
  return text
    .replace(/\+/g, ' plus ')
    .replace(/(?<=\w)[@](?=\w)/g, ' at ')
    .replace(/(?<=[a-z])\.(?=[a-z])/g, ' dot ')
    .replace(/\b([1-9])(\d)\b/g, (_, ten: string, unit: string) => {
      if (ten === '1') return TEENS[Number(unit)] ?? '';
      return unit === '0' ? (TENS[Number(ten)] ?? '') : `${TENS[Number(ten)]} ${UNITS[Number(unit)]}`;
    })
    .replace(/\d/g, (digit) => ` ${UNITS[Number(digit)]} `);
}

/**
 * The two numbers of the word error rate, by the minimal edits (Levenshtein) between what was said and what
 * was recognised.
 */
export function countErrors(said: string, heard: string): WordErrors {
  const reference = wordsOf(said);
  const hypothesis = wordsOf(heard);
  let row = Array.from({ length: hypothesis.length + 1 }, (_, at) => at);
  for (const [at, word] of reference.entries()) {
    const next = [at + 1];
    for (const [place, other] of hypothesis.entries()) {
      const swapped = (row[place] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(swapped, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return { words: reference.length, errors: row.at(-1) ?? 0 };
}

function wordsOf(text: string): string[] {
  let words = text.replace(/<\d+>/g, ' ');
  words = sayNumbers(normaliseWords(words));
  for (const [one, other] of SAME) words = words.replace(one, other);
  return words.split(/[\s.,-]+/).filter(Boolean);
}
