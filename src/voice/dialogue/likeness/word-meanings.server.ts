import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { plainWords } from '../spoken/word-normalisation.server.ts';

const FILE = path.join(PROJECT_ROOT, 'src', 'voice', 'dialogue', 'knowledge', 'word-groups.txt');

/** Words that say nothing about the subject of a question. */
const EMPTY = new Set(
  [
    'a an the this that these those some any there here it its i me my mine we us our ours you your yours he she they them their',
    'am is are was were be been being do does did done have has had having can could may might must shall should will would',
    'what which who whom whose when where why how and or but if so then than as of at by for from in into on onto to up with about',
    'please thanks thank hello hi hey okay well just also too very really quite much many more most no not yes sure sorry',
    'tell know ask say said let give get got go going come comes want wants need needs like know wonder wondering think guess mean',
    'one ones thing things something anything somebody someone anybody anyone people person everybody actually maybe perhaps',
    'first hear heard looking look see kind kinds sort sorts type types way ways possible able allowed help helps',
    'happen happens good bad terrible terribly great nice middle time times day late later latest soon run right wrong little while bit lot',
    'really pretty quite maybe myself yourself together something nothing everything whole another different else around goes done made make',
    'must ever always often usually normally generally approximately information details question questions wonder please kindly',
    'exactly roughly approximately currently today still already again ever now out over all each per every only even',
    'business company firm shop place restaurant clinic practice office mean means i’d call called name take use used uses',
    "'d 'll 's 're 've d ll s re ve m t don doesn didn isn aren wasn weren hasn haven couldn wouldn shouldn won",
    "i'm i'd i'll i've you're you'd you'll you've we're we'd we'll we've they're it's that's there's what's who's where's how's when's",
    "don't doesn't didn't isn't aren't wasn't weren't haven't hasn't can't couldn't won't wouldn't shouldn't mustn't",
  ]
    .join(' ')
    .split(' '),
);

/** A word without its ending, so that `deliver` and `delivering` match. */
export function stemOf(word: string): string {
  let stem = word.replace(/'s?$/, '');
  if (stem.length > 3)
    stem = stem
      .replace(/ies$/, 'y')
      .replace(/sses$/, 'ss')
      .replace(/(?<![su])s$/, '');
  if (stem.length > 5) stem = stem.replace(/(?<=[aeiouy].*[^aeiou])(ing|ed)$/, '');
  stem = stem.replace(/([bdgmnprt])\1$/, '$1');
  return stem.length > 3 ? stem.replace(/(es?|y)$/, '') : stem;
}

const GROUPS: ReadonlyMap<string, string> = new Map(
  readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const words = line.split(' ').map(stemOf);
      return words.map((word) => [word, `=${words[0]}`] as const);
    }),
);

/** A telling word of a text: its stem, and its group of words with the same meaning, where it has one. */
export interface Term {
  readonly stem: string;
  readonly group: string | null;
}

/**
 * The telling words of a text, each once. `£9` and `12.50` count as words; `step-free` counts as one word and
 * as two.
 */
export function termsOf(text: string): Term[] {
  const joined = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/\bamerican express\b/g, 'american-express')
    .replace(/\bset up\b/g, 'set-up')
    .replace(/\bhigh chairs?\b/g, 'high-chair')
    .replace(/\bcheck ups?\b/g, 'check-up')
    .replace(/\bup front\b/g, 'up-front')
    .replace(/\bpick(?:ed|ing)? ((?:[\w-]+ ){0,3})up\b/g, 'pick-up $1')
    .replace(/\bgift (?:cards?|vouchers?|certificates?)\b/g, 'voucher')
    .replace(/\b(national )?health service\b|\bnational health\b/g, 'nhs');
  const compounds = joined.match(/\p{L}+(?:-[\p{L}\p{N}]+)+/gu) ?? [];
  const words = [...plainWords(joined), ...compounds].filter((word) => !EMPTY.has(word));
  const stems = new Set(words.map(stemOf).filter((stem) => stem !== '' && !EMPTY.has(stem)));
  return [...stems].map((stem) => ({ stem, group: GROUPS.get(stem) ?? null }));
}

/** Share of a text's telling words that another text has as well, 0 to 1; 0 for a text without any. */
export function stemsShared(text: string, other: string): number {
  const own = termsOf(text);
  const there = new Set(termsOf(other).map(({ stem }) => stem));
  return own.filter(({ stem }) => there.has(stem)).length / Math.max(1, own.length);
}
