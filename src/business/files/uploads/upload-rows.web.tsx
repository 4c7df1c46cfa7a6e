import { useQuery } from '@tanstack/react-query';
import { Pause, Play, RotateCw, X } from 'lucide-react';
import { type ReactNode, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { formatBytes } from '../../../kernel/contract/formats.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { UnfinishedRow, UploadAct } from './unfinished-row.web.tsx';
import { unfinishedQuery } from './unfinished-uploads.web.ts';
import type { QueuedUpload, UploadQueue } from './upload-queue.web.ts';

interface UploadRowsProps {
  readonly queue: UploadQueue;
  readonly bucket: string;
  readonly userId: string;
  /** File types that its pickers offer. */
  readonly accept: string;
  /** Said while the server works on a file that has arrived completely. */
  readonly finishing: string;
  /** A remark about a file. */
  readonly noteOf?: (file: File) => string | undefined;
  /** Called when an unfinished upload was ended. */
  readonly onEnded: () => void;
}

/**
 * The files being uploaded, each with its progress, Cancel and, after a failure, the reason and Retry; also
 * uploads that stopped when their page was closed.
 */
export function UploadRows({ queue, bucket, userId, accept, onEnded, ...words }: UploadRowsProps) {
  const items = useSyncExternalStore(queue.watch, queue.items, queue.items);
  const unfinished = useQuery(unfinishedQuery(userId, bucket));
  const here = queue.unfinishedIds();
  const left = (unfinished.data ?? []).filter(({ id }) => !here.has(id));
  if (items.length + left.length === 0) return null;
  return (
    <section aria-label="Uploads">
      <ul className="panel uploads">
        {items.map((item) => (
          <UploadRow key={item.id} queue={queue} item={item} {...words} />
        ))}
        {left.map((upload) => (
          <UnfinishedRow
            key={upload.id}
            upload={upload}
            accept={accept}
            onResume={(file) => queue.add([file], userId, { resumed: upload })}
            onEnded={onEnded}
          />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({
  queue,
  item,
  finishing,
  noteOf,
}: Pick<UploadRowsProps, 'queue' | 'finishing' | 'noteOf'> & { item: QueuedUpload }) {
  const { id, file, state, reason } = item;
  const failed = state === 'failed';
  const note = failed ? undefined : noteOf?.(file);
  const act = (name: string, icon: ReactNode, onAct: () => void, target = file.name) => (
    <UploadAct name={`${name} ${target}`} onAct={onAct}>
      {icon}
      {name}
    </UploadAct>
  );
  return (
    <li className="upload" data-state={state}>
      <div className="upload-head">
        <b>{file.name}</b>
        {!failed && <span className="meta num">{wordsOf(item, finishing)}</span>}
      </div>
      {!failed && <progress max={file.size} value={item.sentBytes} aria-label={`Upload of ${file.name}`} />}
      {reason !== null && (
        <p className={failed ? 'fault' : 'meta'} role={failed ? 'alert' : 'status'}>
          {reason}
        </p>
      )}
      {note !== undefined && <p className="meta">{note}</p>}
      <div className="upload-acts">
        {item.needsPlan && (
          <Link className="btn small" href={PAGES.billing.path}>
            See the plans
          </Link>
        )}
        {item.pausable && act('Pause', <Pause size={18} aria-hidden="true" />, () => queue.pause(id))}
        {state === 'paused' &&
          act('Go on', <Play size={18} aria-hidden="true" />, () => queue.retry(id), `with ${file.name}`)}
        {failed &&
          item.retryable &&
          act('Retry', <RotateCw size={18} aria-hidden="true" />, () => queue.retry(id))}
        {act(failed ? 'Dismiss' : 'Cancel', <X size={18} aria-hidden="true" />, () => queue.cancel(id))}
      </div>
    </li>
  );
}

function wordsOf({ file, state, sentBytes, secondsLeft, reason }: QueuedUpload, finishing: string): string {
  const amount = `${formatBytes(sentBytes)} of ${formatBytes(file.size)}`;
  if (state === 'paused') return `${amount}, paused`;
  if (state !== 'sending' || reason !== null)
    return `${sentBytes === 0 ? formatBytes(file.size) : amount}, waiting`;
  if (sentBytes >= file.size) return finishing;
  if (secondsLeft === null) return amount;
  return `${amount}, ${secondsLeft} ${secondsLeft === 1 ? 'second' : 'seconds'} left`;
}
