import type { Block, Cite } from './report.contract.ts';
import { phrasePattern } from './text-pattern.contract.ts';

/** Finds quotes in a document's blocks. */
export interface Citer {
  /** The citation of `block.text.slice(start, end)`. */
  at(block: Block, start: number, end: number): Cite;
  /**
   * The first place of `quote` on `page` (on any page if undefined), in a block that also holds
   * `beside`, if given. White space may differ. Undefined if the quote is not in the document.
   */
  find(quote: string, page: number | undefined, beside?: string): Cite | undefined;
}

const QUOTE_LENGTH = 2000;

/** Creates the citer of a document. */
export function createCiter(blocks: readonly Block[]): Citer {
  const byPage = new Map<number | undefined, Block[]>();
  for (const block of blocks) {
    const list = byPage.get(block.page);
    if (list === undefined) byPage.set(block.page, [block]);
    else list.push(block);
  }
  const at = (block: Block, start: number, end: number): Cite => {
    const stop = Math.min(end, start + QUOTE_LENGTH);
    return {
      block: block.id,
      ...(block.page === undefined ? {} : { page: block.page }),
      quote: block.text.slice(start, stop),
      start,
      end: stop,
    };
  };
  return {
    at,
    find(quote, page, beside) {
      const trimmed = quote.trim();
      if (trimmed === '') return undefined;
      const pattern = loosePattern(trimmed);
      const candidates = page === undefined ? blocks : (byPage.get(page) ?? []);
      let first: Cite | undefined;
      for (const block of candidates) {
        const match = pattern.exec(block.text);
        if (match === null) continue;
        const cite = at(block, match.index, match.index + match[0].length);
        if (beside === undefined || block.text.toLowerCase().includes(beside.toLowerCase())) return cite;
        first ??= cite;
      }
      return first;
    },
  };
}

/** A pattern for the text with any white space between its words, and not inside a longer word or number. */
function loosePattern(text: string): RegExp {
  const words = phrasePattern(text);
  const before = /^[\p{L}\d]/u.test(text) ? '(?<![\\p{L}\\d])' : '';
  // Tills print the time directly after the date.
  const after = /[\p{L}\d]$/u.test(text) ? '(?:(?![\\p{L}\\d])|(?=\\d{1,2}:\\d\\d))' : '';
  return new RegExp(before + words + after, 'u');
}
