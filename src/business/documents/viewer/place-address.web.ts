import type { Block, Cite } from '@northline/document-reader/report.contract';
import { useEffect } from 'react';
import { analysisPath } from '../../../kernel/contract/routes.ts';
import type { QuoteInView } from './viewer-place.web.tsx';

const PLACE = /^#(b\d+):(\d+)-(\d+)$/;

/** The address of a place in a report's document: `…/analysis#b12:30-44`. */
export function placePath(fileId: string, { block, start, end }: Cite): string {
  return `${analysisPath(fileId)}#${block}:${start}-${end}`;
}

/** Shows the place in the page's address, if the document has it. */
export function usePlaceOfAddress(blocks: readonly Block[], { reveal }: QuoteInView): void {
  useEffect(() => {
    const cite = citeOf(blocks, location.hash);
    if (cite !== undefined) reveal(cite);
  }, [blocks, reveal]);
}

function citeOf(blocks: readonly Block[], hash: string): Cite | undefined {
  const [, id, from, to] = PLACE.exec(hash) ?? [];
  const block = blocks.find((each) => each.id === id);
  const [start, end] = [Number(from), Number(to)];
  const quote = block?.text.slice(start, end) ?? '';
  if (block === undefined || quote === '') return undefined;
  return { block: block.id, ...(block.page === undefined ? {} : { page: block.page }), quote, start, end };
}
