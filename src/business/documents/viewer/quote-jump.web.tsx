import type { Cite } from '@northline/document-reader/report.contract';
import { createContext, useContext } from 'react';

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

/** The chips of a claim: one for each place. */
export function CiteChips({ cites }: { cites: readonly Cite[] }) {
  return cites.map((cite) => <CiteChip key={`${cite.block}-${cite.start}`} cite={cite} />);
}
