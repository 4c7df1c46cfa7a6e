import { useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { formatBytes } from '../../../kernel/contract/formats.ts';
import { UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { PICKER_ACCEPT } from '../../../platform/storage/content/upload-types.contract.ts';
import type { FileRecord } from '../file-record.web.ts';
import { UnfinishedRow, UploadAct } from './unfinished-row.web.tsx';
import { unfinishedQuery } from './unfinished-uploads.web.ts';
import { type QueuedUpload, uploads } from './upload-queue.web.ts';

/**
 * The files being uploaded, each with its progress, Cancel and, after a failure, the reason and Retry; also
 * uploads that stopped when their page was closed.
 */
export function UploadList({ files, userId }: { files: readonly FileRecord[]; userId: string }) {
  const items = useSyncExternalStore(uploads.watch, uploads.items, uploads.items);
  const queries = useQueryClient();
  const unfinished = useQuery(unfinishedQuery(userId, UPLOADS_BUCKET));
  const here = uploads.unfinishedIds();
  const left = (unfinished.data ?? []).filter(({ id }) => !here.has(id));
  if (items.length + left.length === 0) return null;
  const names = new Set(files.map((file) => file.file_name));
  const refresh = (): void => {
    for (const key of ['unfinished', 'customer']) void queries.invalidateQueries({ queryKey: [key] });
  };
  return (
    <section aria-label="Uploads">
      <ul className="panel uploads">
        {items.map((item) => (
          <UploadRow key={item.id} item={item} nameTaken={names.has(item.file.name.normalize('NFC'))} />
        ))}
        {left.map((upload) => (
          <UnfinishedRow
            key={upload.id}
            upload={upload}
            accept={PICKER_ACCEPT}
            onResume={(file) => uploads.add([file], userId, upload)}
            onEnded={refresh}
          />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({ item, nameTaken }: { item: QueuedUpload; nameTaken: boolean }) {
  const { file, state } = item;
  const failed = state === 'failed';
  return (
    <li className="upload" data-state={state}>
      <div className="upload-head">
        <b>{file.name}</b>
        {!failed && <span className="meta num">{words(item)}</span>}
      </div>
      {!failed && <progress max={file.size} value={item.sentBytes} aria-label={`Upload of ${file.name}`} />}
      {failed && (
        <p className="fault" role="alert">
          {item.reason}
        </p>
      )}
      {!failed && item.reason !== null && (
        <p className="meta" role="status">
          {item.reason}
        </p>
      )}
      {!failed && nameTaken && <p className="meta">You have a file of this name already. Both are kept.</p>}
      <div className="upload-acts">
        {item.needsPlan && (
          <Link className="btn small" href={PAGES.billing.path}>
            See the plans
          </Link>
        )}
        {failed && item.retryable && (
          <UploadAct name={`Retry ${file.name}`} onAct={() => uploads.retry(item.id)}>
            <RotateCw size={18} aria-hidden="true" />
            Retry
          </UploadAct>
        )}
        <UploadAct
          name={`${failed ? 'Dismiss' : 'Cancel'} ${file.name}`}
          onAct={() => uploads.cancel(item.id)}
        >
          <X size={18} aria-hidden="true" />
          {failed ? 'Dismiss' : 'Cancel'}
        </UploadAct>
      </div>
    </li>
  );
}

function words({ file, state, sentBytes, secondsLeft, reason }: QueuedUpload): string {
  const amount = `${formatBytes(sentBytes)} of ${formatBytes(file.size)}`;
  if (state !== 'sending' || reason !== null)
    return `${sentBytes === 0 ? formatBytes(file.size) : amount}, waiting`;
  if (sentBytes >= file.size) return 'Checking the file';
  if (secondsLeft === null) return amount;
  return `${amount}, ${secondsLeft} ${secondsLeft === 1 ? 'second' : 'seconds'} left`;
}
