import type { Ref } from 'react';
import type { PageBox } from './word-boxes.web.ts';

/** The boxes of a quote over its page; `mark` refers to the first one, which has the label for screen readers. */
export function QuoteBoxes({
  boxes,
  quote,
  mark,
}: {
  boxes: readonly PageBox[];
  quote: string;
  mark: Ref<HTMLElement>;
}) {
  return boxes.map(({ left, top, width, height }, index) => (
    <mark
      key={`${left} ${top}`}
      ref={index === 0 ? mark : undefined}
      tabIndex={index === 0 ? -1 : undefined}
      aria-hidden={index === 0 ? undefined : true}
      className="quote-box"
      style={{ left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` }}
    >
      {index === 0 && <span className="hidden-text">{quote}</span>}
    </mark>
  ));
}
