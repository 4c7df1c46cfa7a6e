import type { Block } from '@northline/document-reader/report.contract';

/** A rectangle in CSS pixels of the window. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface PlacedWord extends Box {
  readonly text: string;
}

/** Boxes of words read from a picture are in ten-thousandths of the page. */
const WHOLE = 10_000;

/**
 * The words whose middle is in a box on a page, line by line: those that the page shows as text, or those that were read
 * from its picture.
 */
export function wordsInBox(page: HTMLElement, box: Box, blocks: readonly Block[]): string {
  const shown = wordsOfPage(page).filter((word) => isIn(word, box));
  const words = shown.length > 0 ? shown : wordsOfPicture(page, blocks).filter((word) => isIn(word, box));
  return inLines(words);
}

function wordsOfPage(page: HTMLElement): PlacedWord[] {
  const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
  const words: PlacedWord[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement?.closest('.doc-number, .quote-box') !== null) continue;
    for (const { 0: text, index } of (node.nodeValue ?? '').matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + text.length);
      const { left, top, right, bottom } = range.getBoundingClientRect();
      if (right > left) words.push({ text, left, top, right, bottom });
    }
  }
  return words;
}

function wordsOfPicture(page: HTMLElement, blocks: readonly Block[]): PlacedWord[] {
  const number = Number(page.dataset.page);
  const frame = page.getBoundingClientRect();
  return blocks
    .filter((block) => (block.page ?? 1) === number)
    .flatMap(({ text, words = [] }) =>
      words.map(([start, end, x, y, width, height]) => ({
        text: text.slice(start, end),
        left: frame.left + (x / WHOLE) * frame.width,
        top: frame.top + (y / WHOLE) * frame.height,
        right: frame.left + ((x + width) / WHOLE) * frame.width,
        bottom: frame.top + ((y + height) / WHOLE) * frame.height,
      })),
    );
}

function isIn(word: Box, box: Box): boolean {
  const [x, y] = [(word.left + word.right) / 2, (word.top + word.bottom) / 2];
  return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
}

function inLines(words: readonly PlacedWord[]): string {
  const lines: PlacedWord[][] = [];
  for (const word of words.toSorted((a, b) => a.top - b.top)) {
    const line = lines.find(([first]) => first !== undefined && (word.top + word.bottom) / 2 < first.bottom);
    if (line === undefined) lines.push([word]);
    else line.push(word);
  }
  return lines
    .map((line) => line.toSorted((a, b) => a.left - b.left).map(({ text }) => text))
    .map((line) => line.join(' '))
    .join(' ');
}
