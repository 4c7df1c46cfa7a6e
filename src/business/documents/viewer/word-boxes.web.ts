import type { Block, Cite } from '@northline/document-reader/report.contract';

/** A box on a page, in per cent of the page's width and height. */
export interface PageBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Boxes of words are in ten-thousandths of the page (`report.contract.ts`). */
const PER_CENT = 100;

/** The boxes of a quote's words on a page that was read from a picture, one for each line; empty without words. */
export function wordBoxes(block: Block | undefined, cite: Cite): PageBox[] {
  const words = block?.words?.filter(([start, end]) => start < cite.end && end > cite.start) ?? [];
  const boxes: PageBox[] = [];
  for (const [, , x, y, w, h] of words) {
    const box = { left: x / PER_CENT, top: y / PER_CENT, width: w / PER_CENT, height: h / PER_CENT };
    const last = boxes.at(-1);
    if (last !== undefined && isSameLine(last, box)) boxes[boxes.length - 1] = joined(last, box);
    else boxes.push(box);
  }
  return boxes;
}

function isSameLine(a: PageBox, b: PageBox): boolean {
  const shared = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return shared > Math.min(a.height, b.height) / 2;
}

function joined(a: PageBox, b: PageBox): PageBox {
  const left = Math.min(a.left, b.left);
  const top = Math.min(a.top, b.top);
  return {
    left,
    top,
    width: Math.max(a.left + a.width, b.left + b.width) - left,
    height: Math.max(a.top + a.height, b.top + b.height) - top,
  };
}
