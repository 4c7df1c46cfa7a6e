import type { PageFromPicture } from '../contract/extracted-document.ts';
import { isPartlyRead } from './ocr-session.ts';

/** A reading with less confidence has wrong letters in it. */
const CLEAR = 75;

const REASONS = {
  no_text: 'a picture in which no text was found',
  unreadable: 'its writing is too unclear to read',
  limit: 'not read: the limit of scanned pages was reached',
  shapes: 'its text is drawn as shapes, which cannot be read',
  giant: 'its picture is too large to read',
} as const;

/** Why a page with a picture was not read, in words for the document's owner. */
export function skippedReason(why: keyof typeof REASONS): string {
  return REASONS[why];
}

/** Warnings for the owner about pages that were read from pictures. */
export function ocrWarnings(pages: readonly PageFromPicture[]): { code: string; text: string }[] {
  if (pages.length === 0) return [];
  const warnings = [
    {
      code: 'ocr',
      text: `${inWords(pages)} read from a picture: compare names and figures with the original.`,
    },
  ];
  const unclear = pages.filter(({ confidence }) => confidence < CLEAR);
  if (unclear.length > 0) {
    warnings.push({
      code: 'ocr_unclear',
      text: `${inWords(unclear)} hard to read, so expect wrong letters.`,
    });
  }
  for (const { page, linesSeen, linesUnread } of pages.filter(isPartlyRead).slice(0, 20)) {
    warnings.push({
      code: 'ocr_partly',
      text: `Page ${page}: ${linesUnread} of ${linesSeen} lines could not be read.`,
    });
  }
  return warnings;
}

/** `Page 3 was`, `Pages 1, 2 and 4 were`, or only their number if there are many. */
function inWords(pages: readonly PageFromPicture[]): string {
  const numbers = pages.map(({ page }) => page);
  if (numbers.length === 1) return `Page ${numbers[0]} was`;
  if (numbers.length > 8) return `${numbers.length} pages were`;
  return `Pages ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)} were`;
}
