import { setImmediate as pause } from 'node:timers/promises';
import type { Block } from '@northline/document-reader/report.contract';

/** The origin of a part of a passage: from its character `at` on, it is `block` from the block's character `start` on. */
export interface PassagePlace {
  readonly block: string;
  readonly at: number;
  readonly start: number;
}

/** A part of a document's text that answers a question by itself. */
export interface Passage {
  readonly page: number | null;
  readonly text: string;
  readonly places: readonly PassagePlace[];
}

/** The index of a document's text. */
export interface IndexedText {
  readonly passages: readonly Passage[];
  /** The different words, lower case. */
  readonly words: readonly string[];
  /** How often each word is used, most frequent first; includes stop words. */
  readonly terms: readonly (readonly [word: string, count: number])[];
}

/** Length of a full passage, characters; longer blocks are cut. */
const FULL = 700;
const LONGEST = 1200;
const MOST_WORDS = 20_000;
const MOST_TERMS = 200;
/** Number of blocks after which other requests get their turn. */
const BLOCKS_AT_ONCE = 100;

/** Splits the text of a document into passages and counts its words, in steps that block nobody. */
export async function indexText(blocks: readonly Block[]): Promise<IndexedText> {
  const counts = new Map<string, number>();
  const builder = new PassageBuilder();
  for (const [index, block] of blocks.entries()) {
    if (index % BLOCKS_AT_ONCE === BLOCKS_AT_ONCE - 1) await pause();
    builder.add(block);
    for (const [word] of block.text.toLowerCase().matchAll(/[\p{L}\p{N}]{3,30}/gu))
      if (counts.has(word) || counts.size < MOST_WORDS) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  builder.end();
  const terms = [...counts]
    .filter(([word]) => /^\p{L}+$/u.test(word))
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_TERMS);
  return { passages: builder.passages, words: [...counts.keys()], terms };
}

/** Joins blocks of one page until a passage is full; a heading begins a new one. */
class PassageBuilder {
  readonly passages: Passage[] = [];
  #page: number | null = null;
  #text = '';
  #places: PassagePlace[] = [];

  add(block: Block): void {
    // A search would find a running header on every page.
    if (block.type === 'header' || block.type === 'footer') return;
    const page = block.page ?? null;
    if (page !== this.#page || block.type === 'heading' || this.#text.length >= FULL) this.end();
    this.#page = page;
    for (let start = 0; start < block.text.length; ) {
      const stop = endOfPart(block.text, start);
      this.#addPart(block.id, start, block.text.slice(start, stop));
      start = stop;
    }
  }

  #addPart(block: string, start: number, part: string): void {
    if (this.#text.length + part.length > LONGEST) this.end();
    if (this.#text !== '') this.#text += '\n';
    this.#places.push({ block, at: this.#text.length, start });
    this.#text += part;
  }

  /** Closes the passage. */
  end(): void {
    if (this.#text.trim() !== '')
      this.passages.push({ page: this.#page, text: this.#text, places: this.#places });
    this.#text = '';
    this.#places = [];
  }
}

/** The end of a part that begins at `start`: at a sentence or a space, if there is one. */
function endOfPart(text: string, start: number): number {
  if (text.length - start <= LONGEST) return text.length;
  const part = text.slice(start, start + LONGEST);
  const sentence = Math.max(part.lastIndexOf('. '), part.lastIndexOf('\n'));
  const space = part.lastIndexOf(' ');
  const at = sentence > FULL / 2 ? sentence + 1 : space > 0 ? space + 1 : LONGEST;
  // Never between the two halves of a surrogate pair.
  return /[\ud800-\udbff]$/.test(text.slice(start, start + at)) ? start + at - 1 : start + at;
}
