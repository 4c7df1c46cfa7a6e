import type { Row } from '../contract/extracted-document.ts';
import type { Block, DocumentKind } from '../contract/report.contract.ts';
import { KIND_WORDS } from './kind-words.ts';

type KnownKind = keyof typeof KIND_WORDS;
type Level = 'titles' | 'strong' | 'usual';

/** What a document's words say about one kind. */
export interface KindScore {
  readonly kind: KnownKind;
  /** 0 to 8: how much one of its lines looks like the title of this kind. */
  readonly title: number;
  /** The line of that title. */
  readonly line?: string;
  /** Points of title, phrases and form together. */
  readonly points: number;
  /** Number of different phrases that hardly any other kind has. */
  readonly strong: number;
}

interface Phrase {
  readonly kind: KnownKind;
  readonly level: Level;
  readonly words: readonly string[];
  /** Number of letters, without the signs for any letters. */
  readonly letters: number;
}

/** Phrases by their first word; if it begins with any letters, by its end, and if it ends with them, by its beginning. */
interface PhraseIndex {
  readonly whole: Map<string, Phrase[]>;
  readonly ends: Phrase[];
  readonly beginnings: Map<string, Phrase[]>;
}

const BEGINNING = 3;
const TITLES = indexOf('titles');
const MARKS = indexOf('strong', 'usual');

function indexOf(...levels: readonly Level[]): PhraseIndex {
  const index: PhraseIndex = { whole: new Map(), ends: [], beginnings: new Map() };
  for (const [kind, words] of Object.entries(KIND_WORDS) as [KnownKind, (typeof KIND_WORDS)[KnownKind]][])
    for (const level of levels)
      for (const text of words[level].split('|').map((part) => part.trim().replace(/\s+/g, ' ')))
        if (text !== '')
          keep(index, { kind, level, words: text.split(' '), letters: text.replace(/[* ]/g, '').length });
  return index;
}

function keep({ whole, ends, beginnings }: PhraseIndex, phrase: Phrase): void {
  const first = phrase.words[0] ?? '';
  if (first.startsWith('*')) ends.push(phrase);
  else if (first.endsWith('*')) push(beginnings, first.slice(0, BEGINNING), phrase);
  else push(whole, first, phrase);
}

function push(map: Map<string, Phrase[]>, key: string, phrase: Phrase): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [phrase]);
  else known.push(phrase);
}

/** The words of a text without case, accents and signs. */
export function foldedWords(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A phrase and its place among words. */
interface Found {
  readonly phrase: Phrase;
  readonly start: number;
  readonly end: number;
}

function findPhrases(words: readonly string[], { whole, ends, beginnings }: PhraseIndex): Found[] {
  return words.flatMap((word, start) =>
    [...(whole.get(word) ?? []), ...(beginnings.get(word.slice(0, BEGINNING)) ?? []), ...ends]
      .filter((phrase) => phrase.words.every((part, offset) => isWord(part, words[start + offset])))
      .map((phrase) => ({ phrase, start, end: start + phrase.words.length })),
  );
}

function isWord(part: string, word: string | undefined): boolean {
  if (word === undefined) return false;
  if (part.startsWith('*')) return word.endsWith(part.slice(1));
  return part.endsWith('*') ? word.startsWith(part.slice(0, -1)) : word === part;
}

const WHOLE_TITLE = 8;
const OPENING_TITLE = 6;
const TITLE_WITHIN = 4.5;
/** Share of a title's points for a label with a value: "Delivery note: 4711". */
const LABEL = 0.4;
/** Lines of the head, and the number of them whose titles count in full. */
const HEAD_LINES = 40;
const TOP_LINES = 14;
const LOWER = 0.7;
const LONGEST_TITLE = 90;
/** Most words after a title in its line that are still part of it. */
const MOST_BEHIND = 5;
const MOST_BEFORE = 3;
/** Letters of a title that counts anywhere in its line. */
const LEAST_LETTERS = 5;

interface HeadLine {
  readonly text: string;
  /** Whether it is printed large, or the title that the file states. */
  readonly isLarge: boolean;
}

/** The points of the titles in a line, by kind. A title inside a longer one does not count: "note" in "credit note". */
function titlesIn({ text, isLarge }: HeadLine): Map<KnownKind, number> {
  const points = new Map<KnownKind, number>();
  const words = foldedWords(text);
  const found = findPhrases(words, TITLES);
  const share = /:\s*\S/.test(text) && !isLarge ? LABEL : 1;
  for (const one of found) {
    if (found.some((other) => isInside(one, other))) continue;
    const { kind } = one.phrase;
    points.set(kind, Math.max(points.get(kind) ?? 0, pointsOf(one, words, isLarge) * share));
  }
  return points;
}

/** "Invoice to", "Order date", "Your order": words that make a label of a title. */
const OF_PARTY = /^(?:to|an|aan|address|adresse|date|datum|data|fecha|ref|reference|referenz)$/;
const YOUR = /^(?:your|ihre?|unsere?|our|votre|vos|notre|uw|onze|ons|su|vostro|vs|ns|nostro)$/;

/** The points of a title by its place in its line: alone, at the beginning, at the end of a short line, or inside. */
function pointsOf({ phrase, start, end }: Found, words: readonly string[], isLarge: boolean): number {
  const count = (part: readonly string[]): number =>
    part.filter((word) => !/\d/.test(word) && word.length > 1).length;
  const [before, behind] = [count(words.slice(0, start)), count(words.slice(end))];
  if (OF_PARTY.test(words[end] ?? '') || (behind > 0 && YOUR.test(words[start - 1] ?? ''))) return 0;
  if (before === 0 && behind === 0) return WHOLE_TITLE;
  if (before === 0 && behind <= MOST_BEHIND) return OPENING_TITLE;
  if (phrase.letters < LEAST_LETTERS) return 0;
  // "Consultancy agreement": in English the kind is the last word.
  if (behind === 0 && before <= MOST_BEFORE) return OPENING_TITLE;
  return isLarge ? TITLE_WITHIN : 0;
}

function isInside(one: Found, other: Found): boolean {
  return other.start <= one.start && other.end >= one.end && other.phrase.letters > one.phrase.letters;
}

const BODY_CHARACTERS = 12_000;
const STRONG = 3;
const MOST_STRONG = 12;
const USUAL = 1;
const MOST_USUAL = 5;
/** Points for a phrase that is a line of its own, as headings are. */
const OWN_LINE = 1;
const MOST_OWN_LINES = 4;

/** Signs of a form to fill in, and of a paper that cites others. */
const BLANKS = /_{4,}|\.{8,}|…{3,}/g;
const BOXES = /[☐□▢◻❏❑]|\[ ?\]|\( \)/g;
const CITED = /\[\d{1,3}(?:, ?\d{1,3})*\]|\bet al\b/g;
const LEAST_SIGNS = 4;
const OF_SIGNS = 3;

/** The longest text of a cheque, characters. */
const LONGEST_CHEQUE = 1500;

/**
 * How well each kind fits a document, best first.
 *
 * @param title the title in the file's data; empty if there is none
 */
export function scoreKinds(blocks: readonly Block[], rows: readonly Row[], title: string): KindScore[] {
  const text = textOf(blocks);
  const lines = headLines(blocks, rows, title);
  const titles = new Map<KnownKind, { points: number; line: string }>();
  for (const [index, line] of lines.entries())
    for (const [kind, full] of titlesIn(line)) {
      const points = full * (index <= TOP_LINES ? 1 : LOWER);
      if (points > (titles.get(kind)?.points ?? 0)) titles.set(kind, { points, line: line.text });
    }
  const marks = marksOf(text);
  return (Object.keys(KIND_WORDS) as KnownKind[])
    .map((kind) => {
      const { strong, usual, ownLines } = marks.get(kind) ?? { strong: 0, usual: 0, ownLines: 0 };
      const own =
        Math.min(MOST_STRONG, strong * STRONG) +
        Math.min(MOST_USUAL, usual * USUAL) +
        Math.min(MOST_OWN_LINES, ownLines * OWN_LINE) +
        signsOf(kind, text);
      const isOdd = kind === 'cheque' && text.length > LONGEST_CHEQUE;
      const { points: head, line } = titles.get(kind) ?? { points: 0, line: undefined };
      return {
        kind,
        title: head,
        ...(line === undefined ? {} : { line }),
        points: isOdd ? 0 : head + own,
        strong,
      };
    })
    .sort((a, b) => b.points - a.points);
}

const textOf = (blocks: readonly Block[]): string => {
  let text = '';
  for (const block of blocks) {
    text += `${block.text}\n`;
    if (text.length > BODY_CHARACTERS) break;
  }
  return text.slice(0, BODY_CHARACTERS);
};

/** "Betreff: Mahnung": what a letter is about. */
const SUBJECT = /^(?:subject|re|betreff|betr\.?|objet|concerne|oggetto|asunto|betreft|onderwerp)\s*:\s*/i;
/** An amount in a row, which therefore is not a title. */
const AMOUNT = /(?<![\d.,])\d{1,3}(?:[., ]?\d{3})*[.,]\d\d(?![\d.,])/;
const MOST_CELLS = 2;
/** A value beside its label: "Lieferschein | 4711", not "Delivery note | No. 4711". */
const VALUE = /^\W*(?!n(?:o|r|umber|um[eé]ro|ummer)?\b)(?=\S*\d)\S+/i;

function headLines(blocks: readonly Block[], rows: readonly Row[], title: string): HeadLine[] {
  const large = blocks
    .slice(0, HEAD_LINES)
    .filter(({ type }) => type === 'heading')
    .slice(0, 6)
    .map(({ text }) => ({ text, isLarge: true }));
  const lines =
    rows.length > 0
      ? rows.slice(0, HEAD_LINES).map(({ cells }) => cells.map(({ text }) => text))
      : textOf(blocks.slice(0, HEAD_LINES))
          .split('\n')
          .map((line) => [line]);
  const printed = lines
    .slice(0, HEAD_LINES)
    .filter((cells) => cells.length <= MOST_CELLS && !cells.some((text) => AMOUNT.test(text)))
    .flatMap(([first = '', second = '']) =>
      VALUE.test(second) && !/\d/.test(first) ? [`${first}: ${second}`] : [first, second],
    )
    .map((text) => ({ text: text.replace(SUBJECT, ''), isLarge: SUBJECT.test(text) }));
  return [{ text: title, isLarge: true }, ...large, ...printed].filter(
    ({ text }) => text.length <= LONGEST_TITLE,
  );
}

interface Marks {
  readonly strong: number;
  readonly usual: number;
  readonly ownLines: number;
}

/** The different phrases of each kind in a text. */
function marksOf(text: string): Map<KnownKind, Marks> {
  const seen = new Map<Phrase, boolean>();
  for (const line of text.split(/\n| {2,}|\t/)) {
    const words = foldedWords(line);
    for (const { phrase, start, end } of findPhrases(words, MARKS)) {
      // A letter begins and ends with its phrases in lines of their own; elsewhere "dear" is any word.
      if (phrase.kind === 'letter' && phrase.level === 'strong' && start > 0) continue;
      const isOwn = start === 0 && end === words.length;
      seen.set(phrase, (seen.get(phrase) ?? false) || isOwn);
    }
  }
  const marks = new Map<KnownKind, Marks>();
  for (const [{ kind, level }, isOwn] of seen) {
    const known = marks.get(kind) ?? { strong: 0, usual: 0, ownLines: 0 };
    marks.set(kind, {
      strong: known.strong + (level === 'strong' ? 1 : 0),
      usual: known.usual + (level === 'usual' ? 1 : 0),
      ownLines: known.ownLines + (isOwn ? 1 : 0),
    });
  }
  return marks;
}

function signsOf(kind: KnownKind, text: string): number {
  const has = (pattern: RegExp): boolean => (text.match(pattern)?.length ?? 0) >= LEAST_SIGNS;
  if (kind === 'form') return (has(BLANKS) ? OF_SIGNS : 0) + (has(BOXES) ? OF_SIGNS : 0);
  return kind === 'paper' && has(CITED) ? OF_SIGNS : 0;
}

/** With fewer points the kind is `other`: better unsure than wrong. */
const ENOUGH = 6;
const CERTAIN_POINTS = 18;

/** The kind of a document, and how sure that is, 0 to 1. */
export interface Kind {
  readonly kind: DocumentKind;
  readonly confidence: number;
  /** The line that names the kind. */
  readonly line?: string;
  /** The kind that some words point to, if there are too few of them. */
  readonly nearest?: DocumentKind;
}

/** The kind with the most points; `other` if no kind has enough. */
export function chosenKind(scores: readonly KindScore[]): Kind {
  const [best, second] = [...scores].sort((a, b) => b.points - a.points);
  if (best === undefined || best.points < ENOUGH)
    return {
      kind: 'other',
      confidence: 0,
      ...(best === undefined || best.points < HINT ? {} : { nearest: best.kind }),
    };
  const lead = (best.points - (second?.points ?? 0)) / best.points;
  const confidence = Math.min(0.97, 0.45 + 0.3 * Math.min(1, best.points / CERTAIN_POINTS) + 0.3 * lead);
  return {
    kind: best.kind,
    confidence: Math.round(confidence * 100) / 100,
    ...(best.line === undefined ? {} : { line: best.line }),
  };
}

const HINT = 3;
