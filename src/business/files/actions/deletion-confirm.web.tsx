import { useEffect, useRef } from 'react';
import type { FileRecord } from '../file-record.web.ts';

interface ConfirmDeleteProps {
  /** The file in question; null keeps the dialog closed. */
  readonly file: FileRecord | null;
  readonly onClose: () => void;
  readonly onConfirm: (file: FileRecord) => void;
}

/** The 'Delete File' dialog: Cancel, being first, has the focus, Escape cancels, and the focus returns to where it was. */
export function ConfirmDelete({ file, onClose, onConfirm }: ConfirmDeleteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (file !== null) dialog.current?.showModal();
    else dialog.current?.close();
  }, [file]);
  return (
    <dialog
      ref={dialog}
      className="confirm"
      role="alertdialog"
      aria-labelledby="delete-title"
      aria-describedby="delete-text"
      onClose={onClose}
    >
      <h2 id="delete-title">Delete File</h2>
      <p id="delete-text">
        {file === null ? '' : <b>{file.file_name}</b>} will be removed from your dashboard and from our
        servers. This action cannot be undone.
      </p>
      <div className="confirm-acts">
        <button type="button" className="btn quiet" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="btn danger" onClick={() => file !== null && onConfirm(file)}>
          Delete
        </button>
      </div>
    </dialog>
  );
}
