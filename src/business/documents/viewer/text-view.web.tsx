import type { Block, Cite } from '@northline/document-reader/report.contract';
import { memo, type RefObject, useEffect, useRef } from 'react';
import type { MarkedCite } from './quote-jump.web.tsx';

interface TextViewProps {
  blocks: readonly Block[];
  /** The quote that is shown, if any. */
  active: MarkedCite | undefined;
}

/** The document's text by page, with the active quote marked, scrolled to and focused. */
export function TextView({ blocks, active }: TextViewProps) {
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    if (active === undefined) return;
    // Without smooth scrolling, which would take seconds in a long document.
    mark.current?.scrollIntoView({ block: 'center', behavior: 'instant' });
    if (!active.quiet) mark.current?.focus({ preventScroll: true });
  }, [active]);
  return pagesOf(blocks).map(({ page, list }) => (
    <section
      key={list[0]?.id}
      className="doc-page"
      data-page={page}
      aria-label={page === undefined ? undefined : `Page ${page}`}
    >
      {page !== undefined && <p className="doc-number num">Page {page}</p>}
      {list.map((block) => (
        <BlockView
          key={block.id}
          block={block}
          active={active?.block === block.id ? active : undefined}
          mark={mark}
        />
      ))}
    </section>
  ));
}

const BlockView = memo(function BlockView({
  block,
  active,
  mark,
}: {
  block: Block;
  active: Cite | undefined;
  mark: RefObject<HTMLElement | null>;
}) {
  const { text, type } = block;
  const content =
    active === undefined ? (
      text
    ) : (
      <>
        {text.slice(0, active.start)}
        <mark ref={mark} tabIndex={-1}>
          {text.slice(active.start, active.end)}
        </mark>
        {text.slice(active.end)}
      </>
    );
  return (
    <p className="block" data-type={type}>
      {content}
    </p>
  );
});

function pagesOf(blocks: readonly Block[]): { page: number | undefined; list: Block[] }[] {
  const pages: { page: number | undefined; list: Block[] }[] = [];
  for (const block of blocks) {
    const last = pages.at(-1);
    if (last === undefined || last.page !== block.page) pages.push({ page: block.page, list: [block] });
    else last.list.push(block);
  }
  return pages;
}
