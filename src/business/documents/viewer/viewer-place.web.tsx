import type { Block } from '@northline/document-reader/report.contract';
import { FileSearch } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { closingOf, useBackButton } from '../../../ui/parts/dialog.tsx';
import { DocumentViewer } from './document-viewer.web.tsx';
import type { Jump, MarkedCite } from './quote-jump.web.tsx';
import type { ViewedFile } from './viewed-file.web.ts';

/** The quote in the viewer, and the ways to it and back. */
export interface QuoteInView {
  readonly active: MarkedCite | undefined;
  /** On a narrow screen, whether the document covers the report. */
  readonly open: boolean;
  jump: Jump;
  show(cite: MarkedCite): void;
  /** Shows the quote and, on a narrow screen, opens the document. */
  reveal(cite: MarkedCite): void;
  openSheet(): void;
  back(): void;
}

/** The state of the shown quote. */
export function useShownQuote(): QuoteInView {
  const [active, setActive] = useState<MarkedCite>();
  const [open, setOpen] = useState(false);
  const origin = useRef<HTMLElement>(null);
  const jump: Jump = useCallback((cite, from) => {
    origin.current = from;
    setOpen(true);
    // A new object, so that a second click on the same chip works.
    setActive({ ...cite });
  }, []);
  const show = useCallback((cite: MarkedCite) => setActive({ ...cite }), []);
  const reveal = useCallback((cite: MarkedCite) => {
    setOpen(true);
    setActive({ ...cite });
  }, []);
  const openSheet = useCallback(() => {
    origin.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    setOpen(true);
  }, []);
  const back = useCallback(() => {
    setOpen(false);
    setActive(undefined);
    // Only after the sheet has closed, as the page is inert until then.
    setTimeout(() => {
      origin.current?.focus();
      origin.current?.scrollIntoView({ block: 'center' });
    }, 0);
  }, []);
  return { active, open, jump, show, reveal, openSheet, back };
}

interface ViewerPlaceProps {
  readonly file: ViewedFile | undefined;
  readonly blocks: readonly Block[];
  readonly quote: QuoteInView;
}

/** The document beside the report, or on a narrow screen in a sheet, which a chip or the button at the foot opens. */
export function ViewerPlace({ file, blocks, quote }: ViewerPlaceProps) {
  const narrow = useNarrow();
  const viewer = (
    <DocumentViewer
      file={file}
      blocks={blocks}
      active={quote.active}
      onShow={quote.show}
      onBack={quote.back}
      sheet={narrow}
    />
  );
  const note = <p className="printed-note">The document itself is not printed with its report.</p>;
  if (!narrow)
    return (
      <>
        {viewer}
        {note}
      </>
    );
  return (
    <>
      {note}
      <button type="button" className="btn open-sheet" onClick={quote.openSheet}>
        <FileSearch size={18} aria-hidden="true" />
        Open the document
      </button>
      {quote.open && <Sheet onClose={quote.back}>{viewer}</Sheet>}
    </>
  );
}

function Sheet({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const sheet = useRef<HTMLDialogElement>(null);
  useBackButton(true, false, onClose);
  useEffect(() => {
    const element = sheet.current;
    element?.showModal();
    return () => element?.removeAttribute('open');
  }, []);
  return (
    <dialog ref={sheet} className="sheet" aria-labelledby="doc-title" {...closingOf(sheet, false, onClose)}>
      {children}
    </dialog>
  );
}

const NARROW = '(max-width: 60rem)';

function useNarrow(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = matchMedia(NARROW);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => matchMedia(NARROW).matches,
    () => false,
  );
}
