import type { Block, Cite } from '@northline/document-reader/report.contract';
import { phrasePattern } from '@northline/document-reader/text-pattern.contract';

/** Most places that one search lists. */
export const MOST_FOUND = 500;
const FOLDED = new Map<string, string>();

/**
 * Every place of `wanted` in the document, in reading order, at most `MOST_FOUND`. Case and accents do not count, and any
 * white space matches any other.
 */
export function findInBlocks(blocks: readonly Block[], wanted: string): Cite[] {
  const phrase = phrasePattern(fold(wanted));
  if (phrase === '') return [];
  const pattern = new RegExp(phrase, 'g');
  const found: Cite[] = [];
  for (const { id, page, text } of blocks) {
    for (const match of fold(text).matchAll(pattern)) {
      if (found.length === MOST_FOUND) return found;
      const [start, end] = [match.index, match.index + match[0].length];
      found.push({
        block: id,
        ...(page === undefined ? {} : { page }),
        quote: text.slice(start, end),
        start,
        end,
      });
    }
  }
  return found;
}

/** Lower case letters without accents, each at the place of its own letter. */
function fold(text: string): string {
  return text.replace(/[A-Z\u0080-\uffff]/g, (sign) => {
    const known = FOLDED.get(sign);
    if (known !== undefined) return known;
    const base = sign.normalize('NFKD').toLowerCase()[0] ?? sign;
    FOLDED.set(sign, base);
    return base;
  });
}
