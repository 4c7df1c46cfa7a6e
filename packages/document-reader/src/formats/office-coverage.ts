import { strFromU8, unzipSync } from 'fflate';
import type { Block } from '../contract/report.contract.ts';

/** If less than this share of the file's letters was read, the report says that text is missing. */
const WHOLE = 0.98;
/** Fewer unread letters than this may be labels of a drawing. */
const LEAST_LETTERS = 20;
/** Larger parts, in bytes, are not counted: they hold data, and the count costs memory. */
const MAX_PART = 48 * 1024 * 1024;

/** Parts with visible text: the body, notes, comments, headers and footers, charts and diagrams. */
const PARTS = {
  docx: /^word\/(document\d*|footnotes|endnotes|comments|header\d*|footer\d*|charts\/chart\d+|diagrams\/data\d+)\.xml$/,
  odt: /^content\.xml$/,
  ods: /^content\.xml$/,
  odp: /^content\.xml$/,
  xlsx: /^xl\/sharedStrings\.xml$/,
  pptx: /^ppt\/slides\/slide\d+\.xml$/,
} as const;

/**
 * Counts the letters and digits of a packed document, independently of the parser that reads it. The parser has refused
 * zip bombs before; here a part is cut off at its declared size.
 */
export function countLetters(bytes: Uint8Array, type: keyof typeof PARTS): number {
  const count = type.startsWith('od') ? lettersOfOpenDocument : lettersOfOffice;
  return Object.values(partsOf(bytes, type)).reduce((sum, part) => sum + count(strFromU8(part)), 0);
}

function partsOf(bytes: Uint8Array, type: keyof typeof PARTS): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, {
      filter: ({ name, originalSize }) => PARTS[type].test(name) && originalSize <= MAX_PART,
    });
  } catch {
    // The parser may repair an archive that this reader cannot open; then nobody knows whether text is missing.
    return {};
  }
}

/** `w:t` of text, `a:t` of drawings and slides, `m:t` of formulas, `t` of cells; not the copies for old programs. */
function lettersOfOffice(xml: string): number {
  let letters = 0;
  const once = xml.replace(/<mc:Fallback[\s\S]*?<\/mc:Fallback>/g, '');
  for (const [, text] of once.matchAll(/<(?:[wam]:)?t(?:\s[^>]*)?>([^<]*)</g))
    letters += lettersIn(text ?? '');
  return letters;
}

/** All text of the body, without tracked deletions. */
function lettersOfOpenDocument(xml: string): number {
  const body = xml.slice(Math.max(0, xml.indexOf('<office:body')));
  const kept = body.replace(/<text:tracked-changes[\s\S]*?<\/text:tracked-changes>/g, '');
  return lettersIn(kept.replace(/<[^>]*>/g, ' '));
}

function lettersIn(text: string): number {
  return text.replace(/&[#\w]+;/g, '').match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** The warning that text of the file is not in the report; undefined if at least 98 % of it is. */
export function lossWarning(
  letters: number,
  blocks: readonly Block[],
): { code: 'text_lost'; text: string } | undefined {
  const read = blocks.reduce((sum, { text }) => sum + lettersIn(text), 0);
  if (letters - read < LEAST_LETTERS || read >= letters * WHOLE) return undefined;
  const share = Math.max(1, Math.round((1 - read / letters) * 100));
  return {
    code: 'text_lost',
    text: `About ${share}% of the text in this file could not be read, for example in drawings or embedded parts.`,
  };
}
