import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { type OpenPdf, openPdf } from './pdf-document.web.ts';
import { type PageSize, PdfPage, type ShownQuote, sizeOf } from './pdf-page.web.tsx';

interface PdfViewProps {
  readonly address: string;
  readonly shown: ShownQuote | undefined;
  /** 1 fits the width. */
  readonly zoom: number;
  readonly pane: RefObject<HTMLDivElement | null>;
  readonly onPages: (count: number) => void;
  /** Called if the file cannot be drawn, or if the quote has no place on its page; the text is then shown instead. */
  readonly onFailure: (why: 'file' | 'quote') => void;
}

/** A4 in points, assumed until the first page is known. */
const A4: PageSize = { width: 595, height: 842 };

/** The pages of a PDF below each other; the shown quote is boxed, scrolled to and focused. */
export function PdfView({ address, shown, zoom, pane, onPages, onFailure }: PdfViewProps) {
  const mark = useRef<HTMLElement>(null);
  const { pdf, size } = usePdf(address, onPages, onFailure);
  const width = useWidth(pane);
  useEffect(() => {
    if (pdf === undefined || shown?.cite.page === undefined) return;
    const page = pane.current?.querySelector(`[data-page="${shown.cite.page}"]`);
    page?.scrollIntoView({ block: 'start', behavior: 'instant' });
  }, [pdf, shown, pane]);
  const quiet = shown?.cite.quiet === true;
  const placed = useCallback(
    (found: boolean) => {
      if (!found) return onFailure('quote');
      mark.current?.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      if (!quiet) mark.current?.focus({ preventScroll: true });
    },
    [onFailure, quiet],
  );
  if (pdf === undefined) return <p className="meta doc-wait">Opening the document…</p>;
  const scale = Math.max(0.1, (width / size.width) * zoom);
  return Array.from({ length: pdf.document.numPages }, (_, index) => (
    <PdfPage
      // biome-ignore lint/suspicious/noArrayIndexKey: the page's number is its key
      key={index}
      pdf={pdf}
      number={index + 1}
      guess={size}
      scale={scale}
      shown={shown?.cite.page === index + 1 ? shown : undefined}
      onPlaced={placed}
      mark={mark}
    />
  ));
}

/** Opens a PDF while its view is shown, with the size of its first page. */
export function usePdf(
  address: string,
  onPages: PdfViewProps['onPages'],
  onFailure: PdfViewProps['onFailure'],
): { pdf: OpenPdf | undefined; size: PageSize } {
  const [opened, setOpened] = useState<{ pdf: OpenPdf; size: PageSize }>();
  useEffect(() => {
    const ending = new AbortController();
    open(address, ending.signal).then(
      (got) => {
        if (ending.signal.aborted) return;
        setOpened(got);
        onPages(got.pdf.document.numPages);
      },
      () => ending.signal.aborted || onFailure('file'),
    );
    return () => {
      ending.abort();
      setOpened(undefined);
    };
  }, [address, onPages, onFailure]);
  return { pdf: opened?.pdf, size: opened?.size ?? A4 };
}

async function open(address: string, signal: AbortSignal): Promise<{ pdf: OpenPdf; size: PageSize }> {
  const pdf = await openPdf(address, signal);
  return { pdf, size: sizeOf(await pdf.document.getPage(1)) };
}

/** Largest width of a page, pixels. */
function useWidth(pane: RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const element = pane.current;
    if (element === null) return;
    const measure = (): void => {
      const { paddingLeft, paddingRight } = getComputedStyle(element);
      setWidth(element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight));
    };
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, [pane]);
  return width;
}
