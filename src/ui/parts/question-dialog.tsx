import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { closingOf } from './dialog.tsx';

interface QuestionDialogProps {
  readonly heading: string;
  /** True while the answer is being carried out: the dialog then cannot be closed. */
  readonly busy: boolean;
  /** The action of the first button, which changes nothing and has the focus; Escape does the same. */
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The label of that button. */
  readonly keep: string;
  /** The button that carries out the change. */
  readonly act: ReactNode;
}

/**
 * Asks before something is changed, with the native dialog element. The focus returns to the opener, or to
 * the page's heading.
 */
export function QuestionDialog({ heading, busy, onClose, keep, children, act }: QuestionDialogProps) {
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
      className="confirm question"
      role="alertdialog"
      aria-labelledby={id}
      aria-describedby={`${id}-text`}
      aria-busy={busy || undefined}
      {...closingOf(dialog, busy, onClose)}
    >
      <h2 id={id}>{heading}</h2>
      <div id={`${id}-text`}>{children}</div>
      <div className="confirm-acts">
        <Button look="quiet" aria-disabled={busy || undefined} onClick={() => (busy ? undefined : onClose())}>
          {keep}
        </Button>
        {act}
      </div>
    </dialog>
  );
}
