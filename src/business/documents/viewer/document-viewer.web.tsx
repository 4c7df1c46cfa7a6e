import type { Block } from '@northline/document-reader/report.contract';
import { useQuery } from '@tanstack/react-query';
import { Minus, Plus } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { FindBar } from './find-bar.web.tsx';
import type { ShownQuote } from './pdf-page.web.tsx';
import { PdfView } from './pdf-view.web.tsx';
import { PictureView } from './picture-view.web.tsx';
import type { MarkedCite } from './quote-jump.web.tsx';
import { TextView } from './text-view.web.tsx';
import { pageKind, type ViewedFile, viewQuery } from './viewed-file.web.ts';

interface DocumentViewerProps {
  /** Without a file (in a shared report) only its text is shown. */
  readonly file: ViewedFile | undefined;
  readonly blocks: readonly Block[];
  /** The quote that is shown, if any. */
  readonly active: MarkedCite | undefined;
  readonly onShow: (cite: MarkedCite) => void;
  /** Goes back to the chip that was pressed. */
  readonly onBack: () => void;
  /** Whether it covers the report, so that it needs a way back. */
  readonly sheet: boolean;
}

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3] as const;
const FIT = 2;

/** The document itself, as pages or as text, with search and zoom; the active quote is marked. */
export function DocumentViewer({ file, blocks, active, onShow, onBack, sheet }: DocumentViewerProps) {
  const pane = useRef<HTMLDivElement>(null);
  const [step, setStep] = useState<number>(FIT);
  const [pages, setPages] = useState<number>();
  const view = useView(file, blocks, active);
  const zoom = ZOOMS[step] ?? 1;
  const move = (by: number): void =>
    setStep((now) => (by === 0 ? FIT : Math.min(ZOOMS.length - 1, Math.max(0, now + by))));
  return (
    <section className="doc panel" aria-labelledby="doc-title" onKeyDown={(event) => zoomByKey(event, move)}>
      <div className="doc-head">
        <h2 id="doc-title">{view.pages ? 'The document' : 'The document’s text'}</h2>
        {view.canDraw && <ViewSwitch pages={view.pages} onChoose={view.choose} />}
        {(sheet || active !== undefined) && (
          <Button small look="quiet" onClick={onBack}>
            Back to the report
          </Button>
        )}
      </div>
      <div className="doc-tools">
        <FindBar blocks={blocks} onShow={onShow} />
        {view.pages && <Zoom zoom={zoom} onMove={move} />}
        {view.pages && pages !== undefined && pages > 1 && <PageJump pages={pages} pane={pane} />}
      </div>
      {view.note !== undefined && <p className="doc-note meta">{view.note}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls must be reachable by keyboard */}
      <div className={view.pages ? 'doc-text drawn' : 'doc-text'} ref={pane} tabIndex={0}>
        {!view.pages ? (
          <TextView blocks={blocks} active={active} />
        ) : view.kind === 'pdf' ? (
          <PdfView
            address={view.address}
            shown={view.shown}
            zoom={zoom}
            pane={pane}
            onPages={setPages}
            onFailure={view.fail}
          />
        ) : (
          <PictureView
            address={view.address}
            name={file?.file_name ?? ''}
            shown={view.shown}
            zoom={zoom}
            onFailure={view.fail}
          />
        )}
      </div>
    </section>
  );
}

interface View {
  readonly kind: 'pdf' | 'picture' | undefined;
  /** Whether the browser can draw the file. */
  readonly canDraw: boolean;
  /** Whether pages are shown, not the text. */
  readonly pages: boolean;
  readonly address: string;
  readonly shown: ShownQuote | undefined;
  readonly note: string | undefined;
  choose(pages: boolean): void;
  fail(why: 'file' | 'quote'): void;
}

const NOTES = {
  file: 'The file cannot be drawn here, so its text is shown.',
  quote: 'These words could not be placed on the page’s picture, so they are marked in the text.',
} as const;

function useView(
  file: ViewedFile | undefined,
  blocks: readonly Block[],
  active: MarkedCite | undefined,
): View {
  const kind = file === undefined ? undefined : pageKind(file.file_name);
  const address = useQuery(viewQuery(file, kind !== undefined));
  const [wantsText, setWantsText] = useState(blocks.length > 0 && kind === undefined);
  const [failure, setFailure] = useState<'file' | 'quote'>();
  const fail = useCallback((why: 'file' | 'quote') => setFailure(why), []);
  useEffect(() => {
    // Another quote may have a place on the page.
    if (active !== undefined) setFailure((before) => (before === 'quote' ? undefined : before));
  }, [active]);
  const byId = useMemo(() => new Map(blocks.map((block) => [block.id, block])), [blocks]);
  const shown = useMemo(() => {
    if (active === undefined) return undefined;
    // A picture is one page, even if the analyser names none.
    const cite = kind === 'picture' ? { ...active, page: 1 } : active;
    return { cite, block: byId.get(active.block) };
  }, [active, byId, kind]);
  const broken = failure ?? (address.isError ? 'file' : undefined);
  const canDraw = kind !== undefined && broken !== 'file';
  return {
    kind,
    canDraw,
    pages: canDraw && !wantsText && broken === undefined && address.data !== undefined,
    address: address.data ?? '',
    shown,
    note: broken === undefined || kind === undefined ? undefined : NOTES[broken],
    choose: (pages) => {
      setWantsText(!pages);
      setFailure(undefined);
    },
    fail,
  };
}

function ViewSwitch({ pages, onChoose }: { pages: boolean; onChoose: (pages: boolean) => void }) {
  return (
    <fieldset className="switch">
      <legend className="hidden-text">What is shown</legend>
      {[true, false].map((value) => (
        <label key={String(value)}>
          <input type="radio" name="doc-view" checked={pages === value} onChange={() => onChoose(value)} />
          {value ? 'Pages' : 'Text'}
        </label>
      ))}
    </fieldset>
  );
}

function Zoom({ zoom, onMove }: { zoom: number; onMove: (by: number) => void }) {
  return (
    <div className="doc-zoom">
      <button type="button" className="icon-btn" aria-label="Smaller" onClick={() => onMove(-1)}>
        <Minus size={16} aria-hidden="true" />
      </button>
      <button type="button" className="icon-btn num" onClick={() => onMove(0)} title="Fit to the width">
        {Math.round(zoom * 100)}%
      </button>
      <button type="button" className="icon-btn" aria-label="Larger" onClick={() => onMove(1)}>
        <Plus size={16} aria-hidden="true" />
      </button>
    </div>
  );
}

/** Zooms with `+`, `-` and `0`, except in a field, where they are characters. */
function zoomByKey(event: KeyboardEvent<HTMLElement>, move: (by: number) => void): void {
  if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
  const by = { '+': 1, '=': 1, '-': -1, '0': 0 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  move(by);
}

function PageJump({ pages, pane }: { pages: number; pane: RefObject<HTMLDivElement | null> }) {
  const go = (value: string): void => {
    const page = Number(value);
    if (!Number.isInteger(page) || page < 1 || page > pages) return;
    pane.current?.querySelector(`[data-page="${page}"]`)?.scrollIntoView({ behavior: 'instant' });
  };
  return (
    <label className="page-jump num">
      Page{' '}
      <input
        type="number"
        min={1}
        max={pages}
        defaultValue={1}
        onChange={(event) => go(event.target.value)}
      />{' '}
      of {pages}
    </label>
  );
}
