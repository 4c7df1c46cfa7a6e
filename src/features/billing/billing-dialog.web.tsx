import { type ReactNode, useEffect, useId, useRef } from 'react';

interface BillingDialogProps {
  readonly heading: string;
  /** Money is moving: it cannot be closed. */
  readonly busy: boolean;
  /** Also what the first button of `acts` should do; Escape does the same. */
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The buttons; the first, which changes nothing, has the focus. */
  readonly acts: ReactNode;
}

/** A question about the plan on the native element; the focus returns to the opener, or to the page's heading. */
export function BillingDialog({ heading, busy, onClose, children, acts }: BillingDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>('.confirm-acts .btn')?.focus();
    return () => {
      element?.removeAttribute('open');
      const isThere = opener instanceof HTMLElement && opener.isConnected;
      (isThere ? opener : document.querySelector<HTMLElement>('main h1'))?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className="confirm billing-dialog"
      role="alertdialog"
      aria-labelledby={id}
      aria-describedby={`${id}-text`}
      aria-busy={busy || undefined}
      onCancel={(event) => {
        event.preventDefault();
        if (!busy) onClose();
      }}
      onKeyDown={(event) => {
        // A second Escape would close it whatever `cancel` says.
        if (busy && event.key === 'Escape') event.preventDefault();
      }}
      onClose={() => (busy ? dialog.current?.showModal() : onClose())}
    >
      <h2 id={id}>{heading}</h2>
      <div id={`${id}-text`}>{children}</div>
      <div className="confirm-acts">{acts}</div>
    </dialog>
  );
}
