import { memo, type RefObject, useEffect, useRef } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import type { Block, Cite } from '../report/report.contract.ts';

interface DocumentTextProps {
  blocks: readonly Block[];
  /** The quote that is shown, if one is. */
  active: Cite | undefined;
  /** Leads back to the chip that was pressed. */
  onBack: () => void;
}

/** The document's text by page, with the active quote marked, scrolled to and focused. */
export function DocumentText({ blocks, active, onBack }: DocumentTextProps) {
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    if (active === undefined) return;
    // At once: a long document would take seconds to fly over.
    mark.current?.scrollIntoView({ block: 'center', behavior: 'instant' });
    mark.current?.focus({ preventScroll: true });
  }, [active]);
  return (
    <section className="doc panel" aria-labelledby="doc-title">
      <div className="doc-head">
        <h2 id="doc-title">The document’s text</h2>
        {active !== undefined && (
          <Button small look="quiet" onClick={onBack}>
            Back to the report
          </Button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls must be reachable by keyboard */}
      <div className="doc-text" tabIndex={0}>
        {pagesOf(blocks).map(({ page, list }) => (
          <section
            key={page ?? 0}
            className="doc-page"
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
        ))}
      </div>
    </section>
  );
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
