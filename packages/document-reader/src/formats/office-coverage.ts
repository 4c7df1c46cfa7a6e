import { descendants, readXml, textContent, type XmlElement, XmlError } from '@northline/xml/xml-reader';
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

/** What is in a packed document beside what the parser makes of it. */
interface PackedText {
  /** Number of letters and digits. */
  readonly letters: number;
  /** Whether somebody deleted text with tracked changes, so that it is still in the file. */
  readonly hasTrackedDeletions: boolean;
}

/**
 * Looks into a packed document, independently of the parser that reads it. The parser has refused zip bombs before; here
 * a part is cut off at its declared size.
 */
export function lookIntoPacked(bytes: Uint8Array, type: keyof typeof PARTS): PackedText {
  const count = type.startsWith('od') ? lettersOfOpenDocument : lettersOfOffice;
  let letters = 0;
  let hasTrackedDeletions = false;
  for (const part of Object.values(partsOf(bytes, PARTS[type]))) {
    const xml = strFromU8(part);
    letters += count(xml);
    hasTrackedDeletions ||= TRACKED_DELETION.test(xml);
  }
  return { letters, hasTrackedDeletions };
}

const TRACKED_DELETION = /<w:delText[\s>]|<text:deletion[\s>]/;

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
  return Object.values(partsOf(bytes, SLIDE_COMMENTS)).flatMap((part) => {
    const root = commentsOf(strFromU8(part));
    if (root === undefined) return [];
    const later = descendants(root, 'txBody').map((body) =>
      descendants(body, 'p').map(textContent).join(' '),
    );
    return [...descendants(root, 'text').map(textContent), ...later];
  });
}

function commentsOf(xml: string): XmlElement | undefined {
  try {
    return readXml(xml, { maxBytes: MAX_PART });
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
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
