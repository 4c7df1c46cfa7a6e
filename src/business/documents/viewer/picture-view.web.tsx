import { useEffect, useRef } from 'react';
import type { ShownQuote } from './pdf-page.web.tsx';
import { QuoteBoxes } from './quote-boxes.web.tsx';
import { wordBoxes } from './word-boxes.web.ts';

interface PictureViewProps {
  readonly address: string;
  readonly name: string;
  readonly shown: ShownQuote | undefined;
  /** 1 fits the width. */
  readonly zoom: number;
  /** Called if the browser cannot show it, or if the quote has no boxes; the text is then shown instead. */
  readonly onFailure: (why: 'file' | 'quote') => void;
}

/** A picture with boxes around the words of the shown quote. */
export function PictureView({ address, name, shown, zoom, onFailure }: PictureViewProps) {
  const mark = useRef<HTMLElement>(null);
  const boxes = shown === undefined ? [] : wordBoxes(shown.block, shown.cite);
  const missing = shown !== undefined && boxes.length === 0;
  useEffect(() => {
    if (missing) onFailure('quote');
    if (shown === undefined) return;
    mark.current?.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    if (!shown.cite.quiet) mark.current?.focus({ preventScroll: true });
  }, [shown, missing, onFailure]);
  return (
    <div className="pdf-page picture" data-page={1} style={{ width: `${zoom * 100}%` }}>
      <img src={address} alt={`Your file ${name}`} onError={() => onFailure('file')} />
      {shown !== undefined && <QuoteBoxes boxes={boxes} quote={shown.cite.quote} mark={mark} />}
    </div>
  );
}
