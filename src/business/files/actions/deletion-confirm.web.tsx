import { useEffect, useRef } from 'react';
import type { FileRecord } from '../file-record.web.ts';

interface ConfirmDeleteProps {
  /** The files to delete; the dialog is closed when there are none. */
  readonly files: readonly FileRecord[];
  readonly onClose: () => void;
  readonly onConfirm: (files: readonly FileRecord[]) => void;
}

/**
 * The 'Delete File' dialog. Cancel is first and has the focus, Escape cancels, and the focus returns to where
 * it was.
 */
export function ConfirmDelete({ files, onClose, onConfirm }: ConfirmDeleteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (files.length > 0) dialog.current?.showModal();
    else dialog.current?.close();
  }, [files]);
  const [first] = files;
  return (
    <dialog
      ref={dialog}
      className="confirm"
      role="alertdialog"
      aria-labelledby="delete-title"
      aria-describedby="delete-text"
      onClose={onClose}
    >
      <h2 id="delete-title">{files.length > 1 ? `Delete ${files.length} Files` : 'Delete File'}</h2>
      <p id="delete-text">
        {first === undefined ? '' : <b>{files.length > 1 ? `${files.length} files` : first.file_name}</b>}{' '}
        will be removed from your dashboard and from our servers. This action cannot be undone.
      </p>
      <div className="confirm-acts">
        <button type="button" className="btn quiet" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="btn danger" onClick={() => files.length > 0 && onConfirm(files)}>
          Delete
        </button>
      </div>
    </dialog>
  );
}
