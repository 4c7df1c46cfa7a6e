import { useQuery } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import type { FileRecord } from '../../files/file-record.web.ts';
import { previewKind } from '../../files/list/preview-kind.web.ts';
import { PdfView } from './pdf-view.web.tsx';
import { PictureView } from './picture-view.web.tsx';
import { readTextStart } from './text-start.web.ts';
import { viewQuery } from './viewed-file.web.ts';

const nothing = (): void => undefined;

/** A file over the list: the pages of a PDF, a picture, or the start of a text. Escape and Close lead back to its row. */
export function FilePreview({ file, onClose }: { file: FileRecord; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="preview" aria-labelledby="preview-title" onClose={onClose}>
      <div className="preview-head">
        <h2 id="preview-title" className="cut-heading" title={file.file_name}>
          {file.file_name}
        </h2>
        <Button small look="quiet" onClick={() => dialog.current?.close()}>
          Close
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls must be reachable by keyboard */}
      <div className="doc-text drawn" ref={pane} tabIndex={0}>
        <Content file={file} pane={pane} />
      </div>
    </dialog>
  );
}

function Content({ file, pane }: { file: FileRecord; pane: RefObject<HTMLDivElement | null> }) {
  const kind = previewKind(file.file_name);
  const address = useQuery(viewQuery(file, kind !== undefined));
  const [failed, setFailed] = useState(false);
  const fail = useCallback(() => setFailed(true), []);
  if (failed || address.isError)
    return (
      <p className="preview-note" role="alert">
        This file cannot be shown here. Download it to open it.
      </p>
    );
  if (address.data === undefined) return <p className="preview-note meta">Opening the file…</p>;
  const shown = { address: address.data, shown: undefined, zoom: 1, onFailure: fail };
  if (kind === 'pdf') return <PdfView {...shown} pane={pane} onPages={nothing} />;
  if (kind === 'picture') return <PictureView {...shown} name={file.file_name} />;
  return <TextStart file={file} address={address.data} onFailure={fail} />;
}

interface TextStartProps {
  readonly file: FileRecord;
  readonly address: string;
  readonly onFailure: () => void;
}

function TextStart({ file, address, onFailure }: TextStartProps) {
  const start = useQuery({
    queryKey: ['text-start', file.id],
    queryFn: () => readTextStart(address),
    retry: false,
  });
  useEffect(() => {
    if (start.isError) onFailure();
  }, [start.isError, onFailure]);
  if (start.data === undefined) return <p className="preview-note meta">Opening the file…</p>;
  return (
    <>
      <pre className="preview-text">{start.data.text}</pre>
      {start.data.more && (
        <p className="preview-note">Only the first 256 KB are shown. Download the file for the rest.</p>
      )}
    </>
  );
}
