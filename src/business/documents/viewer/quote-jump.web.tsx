import type { Cite } from '@northline/document-reader/report.contract';
import { createContext, Fragment, useContext } from 'react';
import { masked } from './sensitive-mask.web.tsx';

/** A quote to show. With `quiet` the focus stays, as somebody is typing. */
export interface MarkedCite extends Cite {
  readonly quiet?: boolean;
}

/** Shows a quote in the document's text; the focus later returns to `from`. */
export type Jump = (cite: Cite, from: HTMLElement) => void;

export const JumpContext = createContext<Jump>(() => undefined);

/** A chip that names the place of a quote and leads there; `masked` replaces its words. */
export function CiteChip({ cite, masked }: { cite: Cite; masked?: string | undefined }) {
  const jump = useContext(JumpContext);
  const place = cite.page === undefined ? `¶ ${cite.block.slice(1)}` : `p. ${cite.page}`;
  return (
    <button
      type="button"
      className="cite num"
      data-live=""
      aria-label={`${place}: show “${masked ?? cite.quote.slice(0, 80)}” in the document`}
      title={masked ?? cite.quote.slice(0, 160)}
      onClick={(event) => jump(cite, event.currentTarget)}
    >
      {place}
    </button>
  );
}

/** The chips of a claim: one for each place. With `hidden` none of them says the words. */
export function CiteChips({ cites, hidden = false }: { cites: readonly Cite[]; hidden?: boolean }) {
  // The space separates them for copying and for screen readers.
  return cites.map((cite, place) => (
    <Fragment key={`${cite.block}-${cite.start}`}>
      {place > 0 && ' '}
      <CiteChip cite={cite} masked={hidden ? masked(cite.quote) : undefined} />
    </Fragment>
  ));
}
