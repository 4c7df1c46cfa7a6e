import type { Box } from './box-geometry.server.ts';
import { guessLanguage } from './language-guess.server.ts';
import { cutLine, LINE_MARGIN } from './line-recognition.server.ts';
import { LANGUAGES, type Language, type OcrEngines } from './ocr-engines.server.ts';
import { meanConfidence } from './page-coverage.server.ts';
import type { PageReader, ReadLine } from './page-reading.server.ts';
import { runsSideways, sampleLines, type Turn } from './page-straightening.server.ts';
import { type Picture, withMargin } from './picture.server.ts';

/** Lines that are read to tell which way is up. */
const SAMPLES = 4;
/** Confidence of a line that stands the right way up: 53 to 95 were measured, 11 to 42 on its head. */
const SURE = 72;

/** Which way a page lies, and the languages to read it in. */
export interface Direction {
  readonly turn: Turn;
  readonly languages: readonly Language[];
}

/**
 * Tells how a page lies: sideways or not by its boxes, on its head or not by reading some
 * lines both ways. A classifier of directions was wrong on 4 of 18 pages; reading was not.
 */
export async function findDirection(
  engines: OcrEngines,
  picture: Picture,
  boxes: readonly Box[],
): Promise<Direction> {
  const sideways = runsSideways(boxes);
  const samples = sampleLines(boxes, sideways, SAMPLES);
  const reader = await engines.pageReader(LANGUAGES);
  const turns: readonly [Turn, Turn] = sideways ? [90, 270] : [0, 180];
  const first = readSamples(reader, picture, samples, turns[0]);
  if (first.confidence >= SURE) return { turn: turns[0], languages: languagesOf(first.text) };
  const second = readSamples(reader, picture, samples, turns[1]);
  const better = second.confidence > first.confidence ? second : first;
  return { turn: better.turn, languages: languagesOf(better.text) };
}

interface Sample {
  readonly turn: Turn;
  readonly text: string;
  readonly confidence: number;
}

function readSamples(reader: PageReader, picture: Picture, samples: readonly Box[], turn: Turn): Sample {
  const words = samples
    .flatMap((box) => reader.read(withMargin(cutLine(picture, box, turn), LINE_MARGIN), 'line'))
    .flatMap((line: ReadLine) => line.words);
  return {
    turn,
    text: words.map(({ text }) => text).join(' '),
    confidence: meanConfidence(words),
  };
}

/** One language where the samples are plainly of it (a third of the time), else all. */
function languagesOf(text: string): readonly Language[] {
  const language = guessLanguage(text);
  return language === undefined ? LANGUAGES : [language];
}
