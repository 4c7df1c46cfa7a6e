import {
  BlockList,
  type ExtractedDocument,
  type ExtractedPaper,
  type PageFromPicture,
} from '../contract/extracted-document.ts';
import type { BlockWord } from '../contract/report.contract.ts';
import { paragraphsOf } from '../layout/page-paragraphs.ts';
import { cornersOf, distance, extentOf, type Point } from './box-geometry.ts';
import type { OcrSession } from './ocr-session.ts';
import { ocrWarnings, skippedReason } from './ocr-warnings.ts';
import { type CutPaper, cutPaper } from './paper-finding.ts';
import type { Picture, Size } from './picture.ts';
import { pageLines, rowsOf, type TextOfPicture } from './picture-page.ts';

/** Word boxes are in ten-thousandths of the page's width and height. */
const FRACTIONS = 10_000;

/**
 * Reads the papers of one picture, each cut out and straightened.
 *
 * @param pageWidth width of the picture's page, points
 * @returns undefined if the picture does not show several papers that can be read
 */
export async function readPapers(
  picture: Picture,
  session: OcrSession,
  pageWidth: number,
): Promise<ExtractedDocument | undefined> {
  const found = await session.findPapers(picture);
  if (found.length < 2) return undefined;
  const list = new BlockList();
  const papers: ExtractedPaper[] = [];
  const readings: PageFromPicture[] = [];
  const of = Math.min(found.length, session.maxPages);
  for (const [index, paper] of found.entries()) {
    const unsure = !paper.isFlat;
    // Page 1 is the whole picture.
    const number = index + 2;
    // A paper has the width of a page in the picture: its letters then have their size on the page.
    const [topLeft, topRight] = cornersOf(paper);
    const width = (pageWidth * distance(topLeft, topRight)) / picture.width;
    const cut = cutPaper(picture, paper);
    const outcome =
      index >= of
        ? ({ outcome: 'limit' } as const)
        : (session.recall(number) ??
          (await session.read(cut.picture, { number, width }, { done: index, of })));
    if (outcome.outcome !== 'text') {
      const why = outcome.outcome === 'blank' ? 'no_text' : outcome.outcome;
      papers.push({ document: undefined, reason: `Not read: ${skippedReason(why)}.`, unsure });
      continue;
    }
    const text = onWhole(outcome, cut, picture);
    const first = list.blocks.length;
    for (const block of paragraphsOf([pageLines(text)])) list.add(block);
    const blocks = list.blocks.slice(first);
    readings.push(outcome.reading);
    papers.push({ document: documentOf(text, blocks), unsure });
  }
  if (readings.length < 2) return undefined;
  const reading = readingOfAll(readings);
  return {
    title: undefined,
    pages: 1,
    blocks: list.blocks,
    rows: papers.flatMap(({ document }) => document?.rows ?? []),
    pagesRead: 1,
    pagesSkipped: [],
    pagesOcr: [reading],
    papers,
    warnings: ocrWarnings([reading]),
  };
}

function documentOf(text: TextOfPicture, blocks: ExtractedDocument['blocks']): ExtractedDocument {
  return {
    title: undefined,
    pages: 1,
    blocks,
    rows: rowsOf(text),
    pagesRead: 1,
    pagesSkipped: [],
    warnings: [],
  };
}

/** The text of a cut with its words' boxes on the whole picture, which is page 1. */
function onWhole(text: TextOfPicture, { picture, toWhole }: CutPaper, whole: Size): TextOfPicture {
  const place = ([start, end, left, top, width, height, confidence]: BlockWord): BlockWord => {
    const at = (x: number, y: number): Point =>
      toWhole([(x / FRACTIONS) * picture.width, (y / FRACTIONS) * picture.height]);
    const box = extentOf([
      at(left, top),
      at(left + width, top),
      at(left + width, top + height),
      at(left, top + height),
    ]);
    const part = (value: number, of: number): number =>
      Math.max(0, Math.min(FRACTIONS, Math.round((value / of) * FRACTIONS)));
    const [x, y] = [part(box.left, whole.width), part(box.top, whole.height)];
    return [
      ...([start, end, x, y] as const),
      part(box.right, whole.width) - x,
      part(box.bottom, whole.height) - y,
      confidence,
    ];
  };
  return {
    ...text,
    lines: text.lines.map(({ words, ...line }) => ({
      ...line,
      ...(words === undefined ? {} : { words: words.map(place) }),
    })),
    reading: { ...text.reading, page: 1 },
  };
}

/** How the picture was read as a whole. Its papers lie in several directions, so it has none. */
function readingOfAll(readings: readonly PageFromPicture[]): PageFromPicture {
  const sum = (of: (reading: PageFromPicture) => number): number =>
    readings.reduce((total, reading) => total + of(reading), 0);
  const seen = sum(({ linesSeen }) => linesSeen);
  const mean = (of: (reading: PageFromPicture) => number): number =>
    sum((reading) => of(reading) * reading.linesSeen) / Math.max(1, seen);
  const readers = new Set(readings.map(({ reader }) => reader));
  return {
    page: 1,
    reader: readers.size === 1 ? (readings[0]?.reader ?? 'both') : 'both',
    turned: 0,
    skew: 0,
    confidence: Math.round(mean(({ confidence }) => confidence)),
    linesSeen: seen,
    linesUnread: sum(({ linesUnread }) => linesUnread),
    coverage: Math.round(mean(({ coverage }) => coverage) * 1000) / 1000,
  };
}
