import {
  BlockList,
  type ExtractedDocument,
  READ_LIMITS,
  type Row,
  UnreadableDocument,
} from '../contract/extracted-document.ts';
import { type PageLines, paragraphsOf } from '../layout/page-paragraphs.ts';
import { pageRows } from '../layout/page-rows.ts';
import type { OcrSession, PictureOutcome } from '../ocr/ocr-session.ts';
import { ocrWarnings, skippedReason } from '../ocr/ocr-warnings.ts';
import { openPicture, type PictureKind } from './picture-decoding.ts';

/** Width of A4, points: a picture does not say how large it is on paper. */
const PAGE_WIDTH = 595;

/**
 * Reads a photo or a scan; a TIFF may hold several pages.
 *
 * @throws UnreadableDocument for a picture that is too large, damaged, or without text
 */
export async function extractPicture(
  bytes: Buffer,
  kind: PictureKind,
  session: OcrSession,
): Promise<ExtractedDocument> {
  const file = await openPicture(bytes, kind);
  const wanted = Math.min(file.pages, session.maxPages, READ_LIMITS.pages);
  const pagesSkipped: { page: number; reason: string }[] = [];
  const pagesBlank: number[] = [];
  const texts: Read[] = [];
  for (let number = 1; number <= wanted; number += 1) {
    const outcome =
      session.recall(number) ??
      (await session.read(
        await file.decode(number - 1),
        { number, width: PAGE_WIDTH },
        { done: number - 1, of: wanted },
      ));
    if (outcome.outcome === 'text') texts.push(outcome);
    else if (outcome.outcome === 'blank') pagesBlank.push(number);
    else pagesSkipped.push({ page: number, reason: skippedReason(outcome.outcome) });
  }
  for (let page = wanted + 1; page <= Math.min(file.pages, READ_LIMITS.pages); page += 1) {
    pagesSkipped.push({ page, reason: skippedReason('limit') });
  }
  const list = new BlockList();
  for (const block of paragraphsOf(texts.map(pageLines))) list.add(block);
  if (list.blocks.length === 0)
    throw noText(pagesSkipped.some(({ reason }) => reason === skippedReason('unreadable')));
  const pagesOcr = texts.map(({ reading }) => reading);
  return {
    title: undefined,
    pages: file.pages,
    blocks: list.blocks,
    rows: texts.flatMap(rowsOf),
    pagesRead: texts.length,
    pagesSkipped,
    pagesBlank,
    pagesOcr,
    warnings: [
      ...(file.isCutOff
        ? [
            {
              code: 'text_lost',
              text: 'The file ends in the middle of its picture: the lower part is missing.',
            },
          ]
        : []),
      ...ocrWarnings(pagesOcr),
    ],
  };
}

type Read = Extract<PictureOutcome, { outcome: 'text' }>;

/** The printed rows of a picture. */
export const rowsOf = ({ reading, runs }: Read): Row[] => pageRows(reading.page, runs, []);

/** A picture's lines as those of a page. */
export function pageLines({ lines, reading: { page } }: Read): PageLines {
  return { page, height: Math.max(0, ...lines.map(({ y, size }) => y + size)), lines, form: [] };
}

function noText(wasSeen: boolean): UnreadableDocument {
  return new UnreadableDocument(
    'no_text',
    wasSeen
      ? 'There is writing in this picture, but it is too unclear to read. Take it again in good light, close and straight.'
      : 'No text was found in this picture, so there is nothing to read.',
  );
}
