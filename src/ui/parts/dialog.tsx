import { type DialogHTMLAttributes, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';
import { BrandMark } from './brand-mark.tsx';

interface DialogProps {
  heading: string;
  /** Under the heading. */
  lead?: ReactNode;
  /** Called by Close and Escape; never while `busy`. */
  onClose: () => void;
  /** True while a request is under way: the dialog then cannot be closed. */
  busy?: boolean;
  /**
   * True when the dialog is the whole page of a route: it is in the printed HTML, and Close is a link to the
   * home page.
   */
  page?: boolean;
  /** The picture on the right on wide screens. */
  board?: ReactNode;
  children: ReactNode;
}

/**
 * A full-screen dialog on the native element: the focus stays inside, the page behind is inert, Escape closes
 * it, and the focus returns to the element that opened it.
 */
export function Dialog({ heading, lead, onClose, busy = false, page = false, board, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useModal(dialog, title);
  useBackButton(!page, busy, onClose);
  useEffect(() => {
    // A new heading means a new view, e.g. the thanks after the form.
    if (heading !== '') title.current?.focus();
  }, [heading]);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      open={page}
      {...closingOf(dialog, busy, onClose)}
    >
      <div className="dialog-form">
        <div className="dialog-bar">
          <BrandMark />
          <CloseControl page={page} busy={busy} onClose={onClose} />
        </div>
        <div className="dialog-body">
          <h1 id={id} ref={title} tabIndex={-1}>
            {heading}
          </h1>
          {lead === undefined ? null : <p className="dialog-lead">{lead}</p>}
          {children}
        </div>
      </div>
      {board === undefined ? null : <div className="dialog-board">{board}</div>}
    </dialog>
  );
}

/**
 * Handlers for every way in which a browser closes a dialog: they call `onClose`, or do nothing while it is
 * busy.
 */
export function closingOf(
  dialog: RefObject<HTMLDialogElement | null>,
  busy: boolean,
  onClose: () => void,
): Pick<DialogHTMLAttributes<HTMLDialogElement>, 'onCancel' | 'onKeyDown' | 'onClose'> {
  return {
    onCancel(event) {
      event.preventDefault();
      if (!busy) onClose();
    },
    onKeyDown(event) {
      // A second Escape would close the dialog, even if `cancel` is prevented.
      if (busy && event.key === 'Escape') event.preventDefault();
    },
    // Other ways to close it, such as a phone's back gesture, cannot be prevented.
    onClose: () => (busy ? dialog.current?.showModal() : onClose()),
  };
}

/** Makes the browser's Back close the dialog and not leave the page behind it. */
export function useBackButton(active: boolean, busy: boolean, onClose: () => void): void {
  const latest = useRef({ busy, onClose });
  useEffect(() => {
    latest.current = { busy, onClose };
  });
  useEffect(() => {
    if (!active) return undefined;
    const entry = { dialog: crypto.randomUUID() };
    const push = (): void => history.pushState(entry, '');
    const goneBack = (): void => {
      if (latest.current.busy) push();
      else latest.current.onClose();
    };
    push();
    addEventListener('popstate', goneBack);
    return () => {
      removeEventListener('popstate', goneBack);
      // Closed in another way: removes its history entry, unless a link has navigated on already.
      if ((history.state as { dialog?: string } | null)?.dialog === entry.dialog) history.back();
    };
  }, [active]);
}

function CloseControl({ page, busy, onClose }: { page: boolean; busy: boolean; onClose: () => void }) {
  const cross = (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d="M5 5 19 19M19 5 5 19" />
    </svg>
  );
  if (!page) {
    return (
      <button
        type="button"
        className="dialog-close"
        aria-label="Close"
        aria-disabled={busy || undefined}
        onClick={() => (busy ? undefined : onClose())}
      >
        {cross}
      </button>
    );
  }
  return (
    <a
      className="dialog-close"
      href="/"
      aria-label="Close"
      aria-disabled={busy || undefined}
      onClick={(event) => {
        event.preventDefault();
        if (!busy) onClose();
      }}
    >
      {cross}
    </a>
  );
}

/** Makes the element modal. A field that the visitor is already typing in keeps the focus. */
function useModal(
  dialog: RefObject<HTMLDialogElement | null>,
  title: RefObject<HTMLHeadingElement | null>,
): void {
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    const before = document.activeElement;
    const typing = before instanceof HTMLElement && element.contains(before) ? before : null;
    // `close()` here would fire the close event, which leaves the page.
    element.removeAttribute('open');
    element.showModal();
    (typing ?? title.current)?.focus();
    return () => {
      element.removeAttribute('open');
      if (before instanceof HTMLElement && typing === null && before.isConnected) before.focus();
    };
  }, [dialog, title]);
}
