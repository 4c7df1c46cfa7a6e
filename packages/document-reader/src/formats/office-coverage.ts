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
  return Object.values(partsOf(bytes, PARTS[type])).reduce((sum, part) => sum + count(strFromU8(part)), 0);
}

function partsOf(bytes: Uint8Array, wanted: RegExp): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, {
      filter: ({ name, originalSize }) => wanted.test(name) && originalSize <= MAX_PART,
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

/** Comments on slides, which the parser leaves out: of old programs, and of those since 2021 with their replies. */
const SLIDE_COMMENTS = /^ppt\/comments\/[^/]+\.xml$/;

/** The texts of the comments on a presentation's slides, in the order of the file. */
export function slideComments(bytes: Uint8Array): string[] {
  return Object.values(partsOf(bytes, SLIDE_COMMENTS)).flatMap((part) =>
    [
      ...strFromU8(part).matchAll(
        /<p:text>([^<]*)<\/p:text>|<(?:\w+:)?txBody>([\s\S]*?)<\/(?:\w+:)?txBody>/g,
      ),
    ].map(([, old, body = '']) => plainText(old ?? body.replace(/<\/a:p>/g, ' ').replace(/<[^>]*>/g, ''))),
  );
}

/** Whether somebody deleted text with tracked changes, so that it is still in the file. */
export function hasTrackedDeletions(bytes: Uint8Array): boolean {
  return Object.values(partsOf(bytes, /^(?:word\/document\d*|content)\.xml$/)).some((part) =>
    /<w:delText[\s>]|<text:deletion[\s>]/.test(strFromU8(part)),
  );
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Text of XML with its references resolved. */
const plainText = (xml: string): string =>
  xml.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });

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
