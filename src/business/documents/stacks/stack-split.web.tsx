import type { Report } from '@northline/document-reader/report.contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FoldVertical, GripVertical, Scissors } from 'lucide-react';
import { type PointerEvent, useCallback, useRef, useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';
import { type FileRecord, isBeingAnalyzed } from '../../files/file-record.web.ts';
import { announce } from '../../files/list/announcer.web.tsx';
import type { OpenPdf } from '../viewer/pdf-document.web.ts';
import { type PageSize, sizeOf, useDrawing, useNearness, usePage } from '../viewer/pdf-page.web.tsx';
import { usePdf } from '../viewer/pdf-view.web.tsx';
import { pageKind, viewQuery } from '../viewer/viewed-file.web.ts';
import {
  type Begins,
  groupsOf,
  joinAt,
  moveBorder,
  movePage,
  type PageGroup,
  splitAt,
} from './page-groups.web.ts';
import { SPLIT_DOCUMENT } from './stack-split.contract.ts';

interface StackSplitProps {
  readonly file: FileRecord;
  readonly report: Report;
}

/**
 * Lets the owner of a PDF correct where its documents begin. The pages are fetched and drawn only when the owner asks for
 * them. Shows nothing for files without several pages.
 */
export function StackSplit({ file, report }: StackSplitProps) {
  const [open, setOpen] = useState(false);
  const pages = report.document.pages ?? 0;
  const isMail = report.parts?.some((part) => part.pages === undefined) ?? false;
  if (pageKind(file.file_name) !== 'pdf' || pages < 2 || isMail) return null;
  const count = report.parts?.length ?? 1;
  return (
    <section className="panel pad stack-split" aria-labelledby="split-title">
      <h2 id="split-title">Where each document begins</h2>
      <p className="meta">
        {count === 1 ? 'This file was read as one document.' : `This file was read as ${count} documents.`}{' '}
        {report.split === 'corrected' &&
          'You said where they begin, and every further analysis follows that. '}
      </p>
      <p className="meta">You can move pages to other documents. The file itself stays as it is.</p>
      {open ? (
        <Editor file={file} report={report} pages={pages} onClose={() => setOpen(false)} />
      ) : (
        <Button small look="quiet" onClick={() => setOpen(true)} aria-expanded={false}>
          Correct the split
        </Button>
      )}
    </section>
  );
}

function Editor({ file, report, pages, onClose }: StackSplitProps & { pages: number; onClose: () => void }) {
  const read = report.parts?.flatMap((part) => part.pages?.from ?? []) ?? [];
  const before: Begins = [1, ...read.slice(1)];
  const [begins, setBegins] = useState(before);
  const { busy, fault, save } = useSaving(file.id, onClose);
  const address = useQuery(viewQuery(file, true));
  const change = (next: Begins): void => {
    setBegins(next);
    announce(next.length === 1 ? 'One document' : `${next.length} documents`);
  };
  const running = isBeingAnalyzed(file);
  return (
    <>
      {address.data === undefined ? (
        <p className="meta">
          {address.isError ? 'The pages could not be loaded. Try again.' : 'Opening the document…'}
        </p>
      ) : (
        <Pages address={address.data} pages={pages} begins={begins} onChange={change} />
      )}
      <p className="meta">
        Saving reads the file again, one report for each document. It takes no further credit: one upload
        takes one credit.
      </p>
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      <div className="split-acts">
        <Button
          small
          look="signal"
          busy={busy || running}
          onClick={() => (String(begins) === String(before) ? onClose() : void save(begins))}
        >
          {running ? 'Analyzing...' : 'Save and read again'}
        </Button>
        {report.split === 'corrected' && (
          <Button small look="quiet" busy={busy || running} onClick={() => void save(null)}>
            Find the documents automatically
          </Button>
        )}
        <Button small look="quiet" onClick={onClose}>
          Leave it
        </Button>
      </div>
    </>
  );
}

/** Saves where the documents begin; the report page shows the analysis that follows. */
function useSaving(
  fileId: string,
  onSaved: () => void,
): { busy: boolean; fault: string | undefined; save: (begins: Begins | null) => Promise<void> } {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const save = async (begins: Begins | null): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      await callServer(SPLIT_DOCUMENT, { as: 'user', body: { file_id: fileId, begins } });
      announce('Saved. The documents are being read again.');
      onSaved();
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      setFault(said ?? 'The split could not be saved. Try again.');
      setBusy(false);
    } finally {
      await queries.invalidateQueries({ queryKey: ['files'] });
    }
  };
  return { busy, fault, save };
}

interface PagesProps {
  readonly pages: number;
  readonly begins: Begins;
  readonly onChange: (begins: Begins) => void;
}

/** The pages as thumbnails, in a group for each document. */
function Pages({ address, pages, begins, onChange }: PagesProps & { address: string }) {
  const ignore = useCallback(() => undefined, []);
  // A file that cannot be drawn shows the numbers of its pages.
  const { pdf, size } = usePdf(address, ignore, ignore);
  const { drag, at, ...handlers } = useDragging({ pages, begins, onChange });
  return (
    <ol className="split-groups" data-dragging={drag === undefined ? undefined : ''} {...handlers}>
      {groupsOf(begins, pages).map((group, index) => (
        <li key={group.from} data-group={group.from} data-target={at?.group === group.from ? '' : undefined}>
          <GroupHead group={group} number={index + 1} onJoin={() => onChange(joinAt(begins, group.from))} />
          <ul>
            {Array.from({ length: group.to - group.from + 1 }, (_, offset) => group.from + offset).map(
              (page) => (
                <li
                  key={page}
                  data-sheet={page}
                  data-dragged={drag?.page === page ? '' : undefined}
                  data-before={drag?.border !== undefined && at?.page === page ? '' : undefined}
                >
                  {page > group.from && (
                    <button
                      type="button"
                      className="split-here"
                      aria-label={`Split here, before page ${page}`}
                      title="Split here"
                      onClick={() => onChange(splitAt(begins, page))}
                    >
                      <Scissors size={15} aria-hidden="true" />
                    </button>
                  )}
                  <Sheet pdf={pdf} page={page} guess={size} />
                </li>
              ),
            )}
          </ul>
        </li>
      ))}
    </ol>
  );
}

function GroupHead({ group, number, onJoin }: { group: PageGroup; number: number; onJoin: () => void }) {
  const { from, to } = group;
  return (
    <div className="split-head" data-border={from > 1 ? from : undefined}>
      {from > 1 && <Grip />}
      <h3>
        Document {number}
        <span className="meta"> {from === to ? `page ${from}` : `pages ${from} to ${to}`}</span>
      </h3>
      {from > 1 && (
        <button
          type="button"
          className="text-btn"
          aria-label={`Join with the previous, document ${number}`}
          onClick={onJoin}
        >
          <FoldVertical size={15} aria-hidden="true" /> Join with the previous
        </button>
      )}
    </div>
  );
}

/** A handle, for fingers: elsewhere they scroll the page. */
function Grip() {
  return (
    <span className="split-grip" aria-hidden="true">
      <GripVertical size={16} />
    </span>
  );
}

const SHEET_WIDTH = 92;

function Sheet({ pdf, page, guess }: { pdf: OpenPdf | undefined; page: number; guess: PageSize }) {
  const frame = useRef<HTMLDivElement>(null);
  const near = useNearness(frame, false);
  return (
    <div className="split-sheet" ref={frame}>
      {pdf !== undefined && near ? (
        <Thumbnail pdf={pdf} page={page} guess={guess} />
      ) : (
        <span className="split-blank" style={{ aspectRatio: guess.width / guess.height }} />
      )}
      <span className="num">
        <Grip /> {page}
      </span>
    </div>
  );
}

function Thumbnail({ pdf, page, guess }: { pdf: OpenPdf; page: number; guess: PageSize }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = usePage(pdf, page, true);
  const size = drawn === undefined ? guess : sizeOf(drawn);
  useDrawing(drawn, canvas, SHEET_WIDTH / size.width);
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={`Page ${page}`}
      style={{ aspectRatio: size.width / size.height }}
    />
  );
}

/** What is dragged: a page, or the border before a document. */
interface Drag {
  readonly page?: number;
  readonly border?: number;
  readonly x: number;
  readonly y: number;
}

/** Where it would be dropped. */
interface Place {
  readonly group: number;
  /** The page before which a border would stand. */
  readonly page: number | undefined;
}

/** CSS pixels that a pointer has to move before it drags. */
const SLIP = 6;

/** Drags pages and borders with a mouse, a pen or a finger. */
function useDragging({ pages, begins, onChange }: PagesProps) {
  const start = useRef<Drag>(undefined);
  const [drag, setDrag] = useState<Drag>();
  const [at, setAt] = useState<Place>();
  const end = (): void => {
    start.current = undefined;
    setDrag(undefined);
    setAt(undefined);
  };
  return {
    drag,
    at,
    onPointerDown: (event: PointerEvent<HTMLElement>): void => {
      if (event.button !== 0 || !(event.target instanceof Element)) return;
      const { target } = event;
      // A finger drags by the handle only.
      if (event.pointerType === 'touch' && target.closest('.split-grip') === null) return;
      if (target.closest('button') !== null) return;
      const border = Number(target.closest<HTMLElement>('[data-border]')?.dataset.border ?? 0);
      const page = Number(target.closest<HTMLElement>('[data-sheet]')?.dataset.sheet ?? 0);
      const { clientX: x, clientY: y } = event;
      if (border > 0) start.current = { border, x, y };
      else if (page > 0) start.current = { page, x, y };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>): void => {
      const from = start.current;
      if (from === undefined) return;
      const { clientX: x, clientY: y } = event;
      if (drag === undefined && Math.hypot(x - from.x, y - from.y) < SLIP) return;
      if (drag === undefined) {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag(from);
      }
      setAt(placeAt(x, y));
    },
    onPointerUp: (event: PointerEvent<HTMLElement>): void => {
      const place = placeAt(event.clientX, event.clientY);
      if (drag?.page !== undefined && place !== undefined)
        onChange(movePage(begins, drag.page, place.group, pages));
      if (drag?.border !== undefined && place?.page !== undefined)
        onChange(moveBorder(begins, drag.border, place.page, pages));
      end();
    },
    onPointerCancel: end,
  };
}

/** The document, and the border between pages, at a point of the window. */
function placeAt(x: number, y: number): Place | undefined {
  const under = document.elementFromPoint(x, y);
  const group = Number(under?.closest<HTMLElement>('[data-group]')?.dataset.group ?? 0);
  if (group === 0) return undefined;
  const sheet = under?.closest<HTMLElement>('[data-sheet]');
  if (sheet === null || sheet === undefined) return { group, page: undefined };
  const { left, width } = sheet.getBoundingClientRect();
  return { group, page: Number(sheet.dataset.sheet) + (x > left + width / 2 ? 1 : 0) };
}
