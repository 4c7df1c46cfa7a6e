import type { Citer } from '../contract/quote-finding.ts';
import type { Block, Claim } from '../contract/report.contract.ts';
import { contentWords } from './content-words.ts';

interface Sentence {
  readonly block: Block;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly order: number;
}

/** Most sentences that are ranked together; more are thinned out evenly, so that the ranking covers a whole text. */
const MAX_SENTENCES = 450;
const POINTS = 5;
/** A text of this many sentences is summarised chapter by chapter, if it has enough chapters. */
const LONG_TEXT = 160;
const LEAST_CHAPTERS = 3;
/** Most chapters in a summary; if there are more, those with the most sentences. */
const MOST_CHAPTERS = 12;
/** A chapter with fewer sentences is a title page or the signature of a preface. */
const LEAST_OF_CHAPTER = 6;
/** Most sentences of a chapter that are ranked. */
const CHAPTER_SENTENCES = 120;
const DAMPING = 0.85;
const ROUNDS = 25;
/** Greatest share of their words that two sentences of the summary may have in common. */
const TOO_ALIKE = 0.5;

/**
 * The sentences that have most in common with the others (TextRank, Mihalcea & Tarau 2004), in the order of the document,
 * without captions, code and fragments. In a long text with chapters, it is one sentence for each chapter, ranked within
 * the chapter, so that the summary covers the end of a book too.
 */
export function keySentences(blocks: readonly Block[], citer: Citer, language: string | null): Claim[] {
  const all = usableSentences(blocks, language);
  const chapters = all.length < LONG_TEXT ? [] : chaptersOf(blocks, all);
  const chosen =
    chapters.length < LEAST_CHAPTERS
      ? bestOf(thinned(all, MAX_SENTENCES), Math.min(POINTS, Math.ceil(all.length / 3)))
      : chapters.flatMap((sentences) => bestOf(thinned(sentences, CHAPTER_SENTENCES), 1));
  return chosen.map((sentence) => asClaim(sentence, citer));
}

function thinned(all: readonly Sentence[], most: number): Sentence[] {
  const step = Math.max(1, all.length / most);
  return Array.from(
    { length: Math.min(all.length, most) },
    (_, index) => all[Math.floor(index * step)],
  ).filter((sentence) => sentence !== undefined);
}

/** The `most` best sentences that are not alike, in the order of the document. */
function bestOf(sentences: readonly Sentence[], most: number): Sentence[] {
  if (sentences.length < 3) return sentences.slice(0, Math.max(most, 2));
  const ranks = rank(sentences);
  const best = sentences
    .map((sentence, index) => ({
      sentence,
      score: (ranks[index] ?? 0) * leadWeight(index, sentences.length),
    }))
    .sort((a, b) => b.score - a.score);
  const chosen: Sentence[] = [];
  for (const { sentence } of best) {
    if (chosen.length >= most) break;
    if (chosen.every((other) => overlap(other.words, sentence.words) < TOO_ALIKE)) chosen.push(sentence);
  }
  return chosen.sort((a, b) => a.order - b.order);
}

/**
 * A text's sentences by chapter, under the largest headings of a level that has several. Empty without chapters; if there
 * are very many, those with the most sentences, in their order.
 */
function chaptersOf(blocks: readonly Block[], sentences: readonly Sentence[]): Sentence[][] {
  const headings = blocks.filter(({ type }) => type === 'heading');
  const levels = [...new Set(headings.map(({ level = 1 }) => level))].sort((a, b) => a - b);
  for (const level of levels) {
    const byChapter = sentencesUnder(blocks, sentences, level).filter(
      (each) => each.length >= LEAST_OF_CHAPTER,
    );
    if (byChapter.length < LEAST_CHAPTERS) continue;
    const kept = new Set([...byChapter].sort((a, b) => b.length - a.length).slice(0, MOST_CHAPTERS));
    return byChapter.filter((each) => kept.has(each));
  }
  return [];
}

/** The sentences between a heading and the next one of its level or a larger one. */
function sentencesUnder(
  blocks: readonly Block[],
  sentences: readonly Sentence[],
  level: number,
): Sentence[][] {
  const byBlock = Map.groupBy(sentences, ({ block }) => block);
  const chapters: Sentence[][] = [[]];
  for (const block of blocks) {
    if (block.type === 'heading' && (block.level ?? 1) <= level) chapters.push([]);
    chapters.at(-1)?.push(...(byBlock.get(block) ?? []));
  }
  return chapters;
}

function asClaim({ block, start, end, text }: Sentence, citer: Citer): Claim {
  return { text: text.replace(/\s+/g, ' '), cites: [citer.at(block, start, end)], verified: true };
}

function usableSentences(blocks: readonly Block[], language: string | null): Sentence[] {
  const segmenter = new Intl.Segmenter(language ?? 'en', { granularity: 'sentence' });
  const sentences: Sentence[] = [];
  for (const block of blocks) {
    if (block.type !== 'para' && block.type !== 'list') continue;
    for (const { segment, index } of segmenter.segment(block.text)) {
      // A bullet is not part of its sentence.
      const text = segment.trim().replace(/^[•‣▪◦·–—*-]+\s+/, '');
      if (!isProse(text)) continue;
      const words = new Set(contentWords(text));
      if (words.size < LEAST_WORDS) continue;
      const start = index + segment.indexOf(text);
      sentences.push({ block, start, end: start + text.length, text, words, order: sentences.length });
    }
  }
  return sentences;
}

/** Least number of different words in a sentence. */
const LEAST_WORDS = 5;
/** Least number of letters in a sentence; a Chinese or Japanese character counts as several. */
const LEAST_LETTERS = 45;
const LEAST_SIGNS = 14;
const SIGNS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Ends of sentences in scripts that mark them: Latin and its neighbours, Chinese and Japanese, Arabic, Urdu, Hindi. */
const SENTENCE_END = /[.!?…。！？؟۔।]["”’)」』）]?$/u;

/** Whether a text is a sentence of prose: long enough, mostly letters, complete; no caption, code, address or reference. */
function isProse(text: string): boolean {
  const least = SIGNS.test(text) ? LEAST_SIGNS : LEAST_LETTERS;
  if (text.length < least || text.length > 420 || !SENTENCE_END.test(text)) return false;
  // A small letter at the beginning means that the sentence started on another page or column.
  if (/^[\p{Ll},;:)]/u.test(text)) return false;
  if (/^(figure|fig\.|table|listing|source|note|copyright|©|isbn|doi|http)/i.test(text)) return false;
  if (/\n|[{}<>\\|=;_]{2,}|\(\)|\.{4,}|https?:|\S+@\S+/.test(text)) return false;
  // In many scripts, vowels are marks on letters.
  const letters = text.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  const digits = text.match(/[\d£$€%]/g)?.length ?? 0;
  const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
  return letters / text.length > 0.68 && digits / text.length < 0.15 && capitals / letters < 0.25;
}

function rank(sentences: readonly Sentence[]): Float64Array {
  const weights = similarities(sentences);
  const sums = weights.map((row) => row.reduce((sum, weight) => sum + weight, 0));
  let ranks = new Float64Array(sentences.length).fill(1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = new Float64Array(sentences.length).fill(1 - DAMPING);
    for (const [i, row] of weights.entries()) {
      const sum = sums[i] ?? 0;
      if (sum > 0) addScaled(next, row, (DAMPING * (ranks[i] ?? 0)) / sum);
    }
    ranks = next;
  }
  return ranks;
}

/** The similarity of each pair of sentences; 0 for a sentence with itself. */
function similarities(sentences: readonly Sentence[]): Float64Array[] {
  const rows = sentences.map(() => new Float64Array(sentences.length));
  for (const [i, a] of sentences.entries()) {
    for (const [j, b] of sentences.entries()) {
      const [row, column] = [rows[i], rows[j]];
      if (j <= i || row === undefined || column === undefined) continue;
      const weight = similarity(a.words, b.words);
      row[j] = weight;
      column[i] = weight;
    }
  }
  return rows;
}

function addScaled(target: Float64Array, values: Float64Array, factor: number): void {
  for (let index = 0; index < target.length; index += 1) {
    target[index] = (target[index] ?? 0) + factor * (values[index] ?? 0);
  }
}

function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a.size < b.size ? a : b) if (a.has(word) && b.has(word)) shared += 1;
  return shared === 0 ? 0 : shared / (Math.log(a.size + 1) + Math.log(b.size + 1));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  return shared / Math.min(a.size, b.size);
}

/** The weight of a sentence's place: the first tenth, which often states the topic, weighs up to a third more. */
function leadWeight(index: number, count: number): number {
  return index < count / 10 ? 1.35 : 1;
}
