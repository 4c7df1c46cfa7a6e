import { expect, test } from 'vitest';
import type { PageFromPicture } from '../contract/extracted-document.ts';
import { ocrWarnings } from './ocr-warnings.ts';

const read = (page: number, more: Partial<PageFromPicture> = {}): PageFromPicture => ({
  ...{ page, reader: 'page', turned: 0, skew: 0, confidence: 92, linesSeen: 40, linesUnread: 0, coverage: 1 },
  ...more,
});
const told = (...pages: PageFromPicture[]): string[] =>
  ocrWarnings(pages).map(({ code, text }) => `${code}: ${text}`);

test('a document without pictures has no warning, and pages from pictures are named', () => {
  expect(told()).toEqual([]);
  const rest = 'read from a picture: compare names and figures with the original.';
  expect(told(read(3))).toEqual([`ocr: Page 3 was ${rest}`]);
  expect(told(read(1), read(2), read(4))).toEqual([`ocr: Pages 1, 2 and 4 were ${rest}`]);
  expect(told(...Array.from({ length: 9 }, (_, at) => read(at + 1)))).toEqual([`ocr: 9 pages were ${rest}`]);
});

test('warnings name pages that are hard to read and lines that are missing', () => {
  expect(
    told(read(1), read(2, { confidence: 60, coverage: 0.9, linesSeen: 40, linesUnread: 4 })).slice(1),
  ).toEqual([
    'ocr_unclear: Page 2 was hard to read, so expect wrong letters.',
    'ocr_partly: Page 2: 4 of 40 lines could not be read.',
  ]);
});
