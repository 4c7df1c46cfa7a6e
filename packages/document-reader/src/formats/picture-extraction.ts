import {
  BlockList,
  type ExtractedDocument,
  READ_LIMITS,
  UnreadableDocument,
} from '../contract/extracted-document.ts';
import { paragraphsOf } from '../layout/page-paragraphs.ts';
import type { OcrSession } from '../ocr/ocr-session.ts';
import { ocrWarnings, skippedReason } from '../ocr/ocr-warnings.ts';
import { readPapers } from '../ocr/paper-reading.ts';
import type { Picture } from '../ocr/picture.ts';
import { pageLines, rowsOf, type TextOfPicture } from '../ocr/picture-page.ts';
import { openPicture, type PictureFile, type PictureKind } from './picture-decoding.ts';

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
  const only = file.pages === 1 && session.maxPages > 0 ? await file.decode(0) : undefined;
  if (only !== undefined) {
    const papers = await readPapers(only, session, PAGE_WIDTH);
    if (papers !== undefined) return { ...papers, warnings: [...cutOffWarnings(file), ...papers.warnings] };
  }
  const { texts, pagesBlank, pagesSkipped } = await readPages(file, only, session);
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
    warnings: [...cutOffWarnings(file), ...ocrWarnings(pagesOcr)],
  };
}

/** The pages of a file. @param only the picture of its only page, if that was decoded before */
async function readPages(
  file: PictureFile,
  only: Picture | undefined,
  session: OcrSession,
): Promise<{
  texts: TextOfPicture[];
  pagesBlank: number[];
  pagesSkipped: { page: number; reason: string }[];
}> {
  const wanted = Math.min(file.pages, session.maxPages, READ_LIMITS.pages);
  const pagesSkipped: { page: number; reason: string }[] = [];
  const pagesBlank: number[] = [];
  const texts: TextOfPicture[] = [];
  for (let number = 1; number <= wanted; number += 1) {
    const outcome =
      session.recall(number) ??
      (await session.read(
        only ?? (await file.decode(number - 1)),
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
  return { texts, pagesBlank, pagesSkipped };
}

/** Says that the end of a picture is missing. */
function cutOffWarnings({ isCutOff }: { readonly isCutOff: boolean }): ExtractedDocument['warnings'] {
  const text = 'The file ends in the middle of its picture: the lower part is missing.';
  return isCutOff ? [{ code: 'text_lost', text }] : [];
}

function noText(wasSeen: boolean): UnreadableDocument {
  return new UnreadableDocument(
    'no_text',
    wasSeen
      ? 'There is writing in this picture, but it is too unclear to read. Take it again in good light, close and straight.'
      : 'No text was found in this picture, so there is nothing to read.',
  );
}
