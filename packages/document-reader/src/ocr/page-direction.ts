import type { Box } from './box-geometry.ts';
import { guessLanguage } from './language-guess.ts';
import { meanConfidence } from './line-coverage.ts';
import { cutLine, LINE_MARGIN } from './line-recognition.ts';
import { LANGUAGES, type Language, type OcrEngines } from './ocr-engines.ts';
import type { PageReader, ReadWord } from './page-reading.ts';
import { runsSideways, sampleLines, type Turn } from './page-straightening.ts';
import { type Picture, withMargin } from './picture.ts';

/** How many lines are read to find which way is up, and how many may suffice. */
const SAMPLES = 4;
const FEW = 2;
/** Confidence of a line that is the right way up; measured: 53 to 95 upright, 11 to 42 upside down. */
const SURE = 72;
/** From this confidence a few lines suffice, if they hold more than a stray word. */
const VERY_SURE = 85;
const LEAST_LETTERS = 12;

/** Which way a page lies, and the languages to read it in. */
export interface Direction {
  readonly turn: Turn;
  readonly languages: readonly Language[];
}

/** Direction and language of the page before this one in the document; the next page is nearly always the same. */
export interface PageBefore {
  readonly turn: Turn;
  readonly language: Language | undefined;
}

/**
 * Finds how a page lies: sideways or not by its boxes, upside down or not by reading some lines both ways. A classifier
 * of directions was wrong on 4 of 18 pages; reading was right on all of them.
 *
 * @param before what to try first; it counts only if the lines confirm it
 */
export async function findDirection(
  engines: OcrEngines,
  picture: Picture,
  boxes: readonly Box[],
  before?: PageBefore,
): Promise<Direction> {
  const sideways = runsSideways(boxes);
  const samples = sampleLines(boxes, sideways, SAMPLES);
  const reader = await engines.pageReader(LANGUAGES);
  const [turn, other] = turnsOf(sideways, before);
  const few = readSamples(reader, picture, samples.slice(0, FEW), turn);
  const early = sampleOf(turn, few);
  const known = guessLanguage(early.text) ?? before?.language;
  if (known !== undefined && early.confidence >= VERY_SURE && early.text.length >= LEAST_LETTERS)
    return { turn, languages: [known] };
  const first = sampleOf(turn, [...few, ...readSamples(reader, picture, samples.slice(FEW), turn)]);
  if (first.confidence >= SURE) return { turn, languages: languagesOf(first.text, before) };
  const second = sampleOf(other, readSamples(reader, picture, samples, other));
  const better = second.confidence > first.confidence ? second : first;
  return { turn: better.turn, languages: languagesOf(better.text, before) };
}

/** The two possible directions of a page, the more likely one first. */
function turnsOf(sideways: boolean, before: PageBefore | undefined): readonly [Turn, Turn] {
  const [one, other]: readonly [Turn, Turn] = sideways ? [90, 270] : [0, 180];
  return before?.turn === other ? [other, one] : [one, other];
}

interface Sample {
  readonly turn: Turn;
  readonly text: string;
  readonly confidence: number;
}

function readSamples(
  reader: PageReader,
  picture: Picture,
  samples: readonly Box[],
  turn: Turn,
): readonly ReadWord[] {
  return samples
    .flatMap((box) => reader.read(withMargin(cutLine(picture, box, turn), LINE_MARGIN), 'line'))
    .flatMap(({ words }) => words);
}

function sampleOf(turn: Turn, words: readonly ReadWord[]): Sample {
  return { turn, text: words.map(({ text }) => text).join(' '), confidence: meanConfidence(words) };
}

/** One language if the samples or the page before clearly have it; else all. */
function languagesOf(text: string, before: PageBefore | undefined): readonly Language[] {
  const language = guessLanguage(text) ?? before?.language;
  return language === undefined ? LANGUAGES : [language];
}
