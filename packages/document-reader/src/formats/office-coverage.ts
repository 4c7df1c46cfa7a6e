import { strFromU8, unzipSync } from 'fflate';
import type { Block } from '../contract/report.contract.ts';

/** Below this share of the letters in the file, the report says that text is missing. */
const WHOLE = 0.98;
/** Fewer letters than this may be labels of a drawing. */
const LEAST_LETTERS = 20;
/** Parts larger than this are not counted: they hold data, and the count costs memory. */
const MAX_PART = 48 * 1024 * 1024;

/** Parts that hold what a reader sees: the body, notes, comments, heads and feet, charts and diagrams. */
const PARTS = {
  docx: /^word\/(document\d*|footnotes|endnotes|comments|header\d*|footer\d*|charts\/chart\d+|diagrams\/data\d+)\.xml$/,
  odt: /^content\.xml$/,
  ods: /^content\.xml$/,
  odp: /^content\.xml$/,
  xlsx: /^xl\/sharedStrings\.xml$/,
  pptx: /^ppt\/slides\/slide\d+\.xml$/,
} as const;

/**
 * Counts the letters and figures of a packed document apart from the parser that reads it, which has
 * refused bombs by then: a part whose size is a lie is cut at what it declares.
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
    // The parser could mend an archive that this one cannot open: then nothing is known of what is missing.
    return {};
  }
}

/** `w:t` of text, `a:t` of drawings and slides, `m:t` of formulas, `t` of cells; what is kept twice for old programs counts once. */
function lettersOfOffice(xml: string): number {
  let letters = 0;
  const once = xml.replace(/<mc:Fallback[\s\S]*?<\/mc:Fallback>/g, '');
  for (const [, text] of once.matchAll(/<(?:[wam]:)?t(?:\s[^>]*)?>([^<]*)</g))
    letters += lettersIn(text ?? '');
  return letters;
}

/** All text of the body; what was deleted with changes tracked is not part of it. */
function lettersOfOpenDocument(xml: string): number {
  const body = xml.slice(Math.max(0, xml.indexOf('<office:body')));
  const kept = body.replace(/<text:tracked-changes[\s\S]*?<\/text:tracked-changes>/g, '');
  return lettersIn(kept.replace(/<[^>]*>/g, ' '));
}

function lettersIn(text: string): number {
  return text.replace(/&[#\w]+;/g, '').match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** The warning that text of the file is not in the report; undefined when at least 98 % of it is. */
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
