import type { Block } from '@northline/document-reader/report.contract';
import type { PDFPageProxy } from 'pdfjs-dist';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { OpenPdf } from './pdf-document.web.ts';
import { QuoteBoxes } from './quote-boxes.web.tsx';
import type { MarkedCite } from './quote-jump.web.tsx';
import { placeQuote } from './quote-place.web.ts';
import { type PageBox, wordBoxes } from './word-boxes.web.ts';

/** A quote that is shown, and its block. */
export interface ShownQuote {
  readonly cite: MarkedCite;
  readonly block: Block | undefined;
}

/** Width and height in points. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

interface PdfPageProps {
  readonly pdf: OpenPdf;
  readonly number: number;
  /** Assumed size until the real one is known. */
  readonly guess: PageSize;
  /** CSS pixels for each point. */
  readonly scale: number;
  readonly shown: ShownQuote | undefined;
  /** Called when the boxes of `shown` are placed, or cannot be. */
  readonly onPlaced: (placed: boolean) => void;
  readonly mark: RefObject<HTMLElement | null>;
}

/** Most pixels of a canvas: phones close a page that asks for more. */
const MOST_PIXELS = 12_000_000;

/** One page, drawn while it is near the view, under its text, which can be selected and searched. */
export function PdfPage({ pdf, number, guess, scale, shown, onPlaced, mark }: PdfPageProps) {
  const frame = useRef<HTMLDivElement>(null);
  const near = useNearness(frame, shown !== undefined);
  const page = usePage(pdf, number, near);
  const size = page === undefined ? guess : sizeOf(page);
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  useDrawing(page, canvas, near ? scale : 0);
  const divs = useTextLayer(pdf, page, text);
  const boxes = useBoxes(shown, divs, frame);
  useEffect(() => {
    if (shown !== undefined && boxes !== undefined) onPlaced(boxes.length > 0);
  }, [shown, boxes, onPlaced]);
  return (
    <section
      ref={frame}
      className="pdf-page"
      aria-label={`Page ${number}`}
      data-page={number}
      style={{ width: size.width * scale, height: size.height * scale }}
    >
      {near && <canvas ref={canvas} />}
      <div ref={text} className="text-layer" style={{ ['--total-scale-factor' as string]: scale }} />
      {shown !== undefined && boxes !== undefined && (
        <QuoteBoxes boxes={boxes} quote={shown.cite.quote} mark={mark} />
      )}
    </section>
  );
}

/** Width and height of a page with its rotation, in points. */
export function sizeOf(page: PDFPageProxy): PageSize {
  const { width, height } = page.getViewport({ scale: 1 });
  return { width, height };
}

/** Whether an element is near the view, or `wanted` in any case. */
export function useNearness(frame: RefObject<HTMLElement | null>, wanted: boolean): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (frame.current === null) return;
    const watch = new IntersectionObserver((seen) => setNear(seen.at(-1)?.isIntersecting ?? false), {
      rootMargin: '900px 0px',
    });
    watch.observe(frame.current);
    return () => watch.disconnect();
  }, [frame]);
  return near || wanted;
}

/** A page of an open PDF, once it is near the view; undefined before, and if it cannot be read. */
export function usePage({ document }: OpenPdf, number: number, near: boolean): PDFPageProxy | undefined {
  const [page, setPage] = useState<PDFPageProxy>();
  useEffect(() => {
    if (!near) return;
    let current = true;
    document.getPage(number).then(
      (got) => current && setPage(got),
      // A page that cannot be read stays blank; the report's text has what could be read of it.
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [document, number, near]);
  return page;
}

/** Draws a page on a canvas, `scale` CSS pixels for each point; 0 draws nothing. */
export function useDrawing(
  page: PDFPageProxy | undefined,
  target: RefObject<HTMLCanvasElement | null>,
  scale: number,
): void {
  useEffect(() => {
    const canvas = target.current;
    if (page === undefined || canvas === null || scale === 0) return;
    const { width, height } = sizeOf(page);
    const sharp = Math.min(devicePixelRatio, Math.sqrt(MOST_PIXELS / (width * height)) / scale);
    const viewport = page.getViewport({ scale: scale * sharp });
    canvas.width = Math.floor(viewport.width);
    canvas.height = Math.floor(viewport.height);
    const drawing = page.render({ canvas, viewport });
    // Cancelled when the page leaves the view or its size changes.
    drawing.promise.then(
      () => {
        canvas.dataset.drawn = '';
      },
      () => undefined,
    );
    return () => drawing.cancel();
  }, [page, target, scale]);
}

function useTextLayer(
  { library }: OpenPdf,
  page: PDFPageProxy | undefined,
  target: RefObject<HTMLDivElement | null>,
): readonly HTMLElement[] | undefined {
  const [divs, setDivs] = useState<readonly HTMLElement[]>();
  useEffect(() => {
    const container = target.current;
    if (page === undefined || container === null) return;
    const layer = new library.TextLayer({
      textContentSource: page.streamTextContent({ includeMarkedContent: true }),
      container,
      viewport: page.getViewport({ scale: 1 }),
    });
    layer.render().then(
      () => setDivs([...layer.textDivs]),
      () => undefined,
    );
    return () => {
      layer.cancel();
      container.replaceChildren();
      setDivs(undefined);
    };
  }, [library, page, target]);
  return divs;
}

/** The boxes of the shown quote: of its words if they were read from a picture, else from the page's own text. */
function useBoxes(
  shown: ShownQuote | undefined,
  divs: readonly HTMLElement[] | undefined,
  frame: RefObject<HTMLElement | null>,
): readonly PageBox[] | undefined {
  const [boxes, setBoxes] = useState<readonly PageBox[]>();
  useEffect(() => {
    setBoxes(undefined);
    if (shown === undefined || frame.current === null) return;
    const words = wordBoxes(shown.block, shown.cite);
    if (words.length > 0) setBoxes(words);
    else if (divs !== undefined) setBoxes(textBoxes(shown, divs, frame.current));
  }, [shown, divs, frame]);
  return boxes;
}

function textBoxes({ cite, block }: ShownQuote, divs: readonly HTMLElement[], frame: HTMLElement): PageBox[] {
  const before = block?.text.slice(0, cite.start) ?? '';
  const runs = placeQuote(
    divs.map((div) => div.textContent ?? ''),
    cite.quote,
    before,
  );
  const page = frame.getBoundingClientRect();
  return runs.flatMap(({ item, start, end }) => {
    const node = divs[item]?.firstChild;
    if (!(node instanceof Text)) return [];
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, Math.min(end, node.length));
    const { left, top, width, height } = range.getBoundingClientRect();
    if (width === 0 || height === 0) return [];
    return [
      {
        left: ((left - page.left) / page.width) * 100,
        top: ((top - page.top) / page.height) * 100,
        width: (width / page.width) * 100,
        height: (height / page.height) * 100,
      },
    ];
  });
}
