import { RotateCw, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { formatBytes } from '../../../kernel/contract/formats.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import type { FileRecord } from '../file-record.web.ts';
import { type QueuedUpload, uploads } from './upload-queue.web.ts';

/** The files on their way, each with progress, Cancel and, after a failure, its reason and Retry. */
export function UploadList({ files }: { files: readonly FileRecord[] }) {
  const items = useSyncExternalStore(uploads.watch, uploads.items, uploads.items);
  if (items.length === 0) return null;
  const names = new Set(files.map((file) => file.file_name));
  return (
    <section aria-label="Uploads">
      <ul className="panel uploads">
        {items.map((item) => (
          <UploadRow key={item.id} item={item} nameTaken={names.has(item.file.name.normalize('NFC'))} />
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
      {!failed && (
        <progress
          max={file.size}
          {...(state === 'sending' ? { value: item.sentBytes } : { value: 0 })}
          aria-label={`Upload of ${file.name}`}
        />
      )}
      {failed && (
        <p className="fault" role="alert">
          {item.reason}
        </p>
      )}
      {state === 'offline' && (
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
          <button
            type="button"
            className="btn quiet small"
            aria-label={`Retry ${file.name}`}
            onClick={() => uploads.retry(item.id)}
          >
            <RotateCw size={18} aria-hidden="true" />
            Retry
          </button>
        )}
        <button
          type="button"
          className="btn quiet small"
          aria-label={`${failed ? 'Dismiss' : 'Cancel'} ${file.name}`}
          onClick={() => uploads.cancel(item.id)}
        >
          <X size={18} aria-hidden="true" />
          {failed ? 'Dismiss' : 'Cancel'}
        </button>
      </div>
    </li>
  );
}

function words({ file, state, sentBytes, secondsLeft }: QueuedUpload): string {
  if (state === 'waiting' || state === 'offline') return `${formatBytes(file.size)}, waiting`;
  if (sentBytes >= file.size) return 'Checking the file';
  const amount = `${formatBytes(sentBytes)} of ${formatBytes(file.size)}`;
  if (secondsLeft === null) return amount;
  return `${amount}, ${secondsLeft} ${secondsLeft === 1 ? 'second' : 'seconds'} left`;
}
