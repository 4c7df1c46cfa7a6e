import { Play, X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { toast } from 'react-hot-toast/headless';
import { formatBytes } from '../../../kernel/contract/formats.ts';
import { endUnfinished } from '../../../platform/storage/uploads/resumable-send.web.ts';
import type { UnfinishedUpload } from './unfinished-uploads.web.ts';

interface UnfinishedRowProps {
  readonly upload: UnfinishedUpload;
  /** File types that its picker offers. */
  readonly accept: string;
  /** Called when the same file was chosen again. */
  readonly onResume: (file: File) => void;
  /** Called when the upload was ended, or could not be ended. */
  readonly onEnded: () => void;
}

/** An upload that stopped when its page was closed; choosing the same file continues it. */
export function UnfinishedRow({ upload, accept, onResume, onEnded }: UnfinishedRowProps) {
  const picker = useRef<HTMLInputElement>(null);
  const choose = (file: File | undefined): void => {
    if (file === undefined) return;
    if (file.size === upload.length) onResume(file);
    else toast.error(`This is another file: ${upload.file_name} has ${formatBytes(upload.length)}.`);
  };
  const end = async (): Promise<void> => {
    await endUnfinished(upload.id).catch((error: Error) => toast.error(error.message));
    onEnded();
  };
  return (
    <li className="upload" data-state="unfinished">
      <div className="upload-head">
        <b>{upload.file_name}</b>
        <span className="meta num">
          {formatBytes(upload.received)} of {formatBytes(upload.length)} arrived
        </span>
      </div>
      <progress max={upload.length} value={upload.received} aria-label={`Upload of ${upload.file_name}`} />
      <p className="meta">Choose the same file again to go on, or end it: then the upload is yours again.</p>
      <div className="upload-acts">
        <UploadAct name={`Go on with ${upload.file_name}`} onAct={() => picker.current?.click()}>
          <Play size={18} aria-hidden="true" />
          Go on
        </UploadAct>
        <UploadAct name={`End the upload of ${upload.file_name}`} onAct={() => void end()}>
          <X size={18} aria-hidden="true" />
          End
        </UploadAct>
        <input
          ref={picker}
          type="file"
          hidden
          accept={accept}
          aria-label={`The file ${upload.file_name}`}
          onChange={({ currentTarget }) => {
            choose(currentTarget.files?.[0]);
            currentTarget.value = '';
          }}
        />
      </div>
    </li>
  );
}

/** A button in an upload's row; `name` says which upload it is for. */
export function UploadAct({
  name,
  onAct,
  children,
}: {
  name: string;
  onAct: () => void;
  children: ReactNode;
}) {
  return (
    <button type="button" className="btn quiet small" aria-label={name} onClick={onAct}>
      {children}
    </button>
  );
}
