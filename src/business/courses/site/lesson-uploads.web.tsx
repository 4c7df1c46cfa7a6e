import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pause, Play, RotateCw, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Link } from 'wouter';
import { formatBytes } from '../../../kernel/contract/formats.ts';
import { PAGES, SERVICES } from '../../../kernel/contract/routes.ts';
import { supabase } from '../../../ui/session/client.ts';
import { publicConfig } from '../../../ui/session/public-config.ts';
import { announce } from '../../files/list/announcer.web.tsx';
import { type UnfinishedUpload, VIDEO_ACCEPT } from '../course-videos.contract.ts';
import { refreshCourse, unfinishedQuery } from './lesson-changes.web.ts';
import { lessons, type QueuedLesson } from './lesson-queue.web.ts';

/** The videos on their way, and those that stopped half way, from here or elsewhere. */
export function LessonUploads({ userId }: { userId: string }) {
  useLessonReports();
  const items = useSyncExternalStore(lessons.watch, lessons.items, lessons.items);
  const unfinished = useQuery(unfinishedQuery(userId));
  const here = lessons.uploadIds();
  const left = (unfinished.data ?? []).filter(({ id }) => !here.has(id));
  if (items.length + left.length === 0) return null;
  return (
    <section aria-label="Uploads">
      <ul className="panel uploads">
        {items.map((item) => (
          <SendingRow key={item.id} item={item} />
        ))}
        {left.map((upload) => (
          <UnfinishedRow key={upload.id} upload={upload} userId={userId} />
        ))}
      </ul>
    </section>
  );
}

/** Asks again when a lesson has arrived, goes on after a lost line, and keeps the page from being closed half way. */
function useLessonReports(): void {
  const queries = useQueryClient();
  const busy = useSyncExternalStore(lessons.watch, lessons.items, lessons.items).some(
    ({ state }) => state !== 'failed',
  );
  useEffect(() => {
    lessons.onChange = (arrived) => {
      if (arrived !== null) {
        toast.success('Lesson received');
        announce(`${arrived.name} was received`);
      }
      void refreshCourse(queries);
    };
    const resume = (): void => lessons.resumeAll();
    addEventListener('online', resume);
    return () => removeEventListener('online', resume);
  }, [queries]);
  useEffect(() => {
    if (!busy) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [busy]);
}

function SendingRow({ item }: { item: QueuedLesson }) {
  const { id, file, state, sentBytes, reason } = item;
  return (
    <li className="upload" data-state={state}>
      <div className="upload-head">
        <b>{file.name}</b>
        {state !== 'failed' && <span className="meta num">{wordsOf(item)}</span>}
      </div>
      {state !== 'failed' && (
        <progress max={file.size} value={sentBytes} aria-label={`Upload of ${file.name}`} />
      )}
      {reason !== null && (
        <p className={state === 'failed' ? 'fault' : 'meta'} role={state === 'failed' ? 'alert' : 'status'}>
          {reason}
        </p>
      )}
      <div className="upload-acts">
        {item.needsPlan && (
          <Link className="btn small" href={PAGES.billing.path}>
            See the plans
          </Link>
        )}
        {state === 'sending' && (
          <Act name={`Pause ${file.name}`} onAct={() => lessons.pause(id)}>
            <Pause size={18} aria-hidden="true" />
            Pause
          </Act>
        )}
        {(state === 'paused' || state === 'offline') && (
          <Act name={`Go on with ${file.name}`} onAct={() => lessons.resume(id)}>
            <Play size={18} aria-hidden="true" />
            Go on
          </Act>
        )}
        {state === 'failed' && item.retryable && (
          <Act name={`Retry ${file.name}`} onAct={() => lessons.resume(id)}>
            <RotateCw size={18} aria-hidden="true" />
            Retry
          </Act>
        )}
        <Act
          name={`${state === 'failed' ? 'Dismiss' : 'Cancel'} ${file.name}`}
          onAct={() => void lessons.cancel(id)}
        >
          <X size={18} aria-hidden="true" />
          {state === 'failed' ? 'Dismiss' : 'Cancel'}
        </Act>
      </div>
    </li>
  );
}

function Act({ name, onAct, children }: { name: string; onAct: () => void; children: ReactNode }) {
  return (
    <button type="button" className="btn quiet small" aria-label={name} onClick={onAct}>
      {children}
    </button>
  );
}

function wordsOf({ file, state, sentBytes }: QueuedLesson): string {
  if (state === 'checking') return 'Checking your plan';
  if (sentBytes >= file.size) return 'Reading its length';
  const amount = `${formatBytes(sentBytes)} of ${formatBytes(file.size)}`;
  return state === 'paused' ? `${amount}, paused` : amount;
}

/** One that stopped in a page that is closed: the same file goes on where it stopped. */
function UnfinishedRow({ upload, userId }: { upload: UnfinishedUpload; userId: string }) {
  const queries = useQueryClient();
  const picker = useRef<HTMLInputElement>(null);
  const choose = (file: File | undefined): void => {
    if (file === undefined) return;
    if (file.size === upload.length) lessons.add(file, userId, { unfinishedId: upload.id });
    else toast.error(`This is another file: ${upload.file_name} has ${formatBytes(upload.length)}.`);
  };
  const end = async (): Promise<void> => {
    await endUnfinished(upload.id).catch((error: Error) => toast.error(error.message));
    await refreshCourse(queries);
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
        <Act name={`Go on with ${upload.file_name}`} onAct={() => picker.current?.click()}>
          <Play size={18} aria-hidden="true" />
          Go on
        </Act>
        <Act name={`End the upload of ${upload.file_name}`} onAct={() => void end()}>
          <X size={18} aria-hidden="true" />
          End
        </Act>
        <input
          ref={picker}
          type="file"
          hidden
          accept={VIDEO_ACCEPT}
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

/** Ends an upload that has not arrived whole; its credit comes back. @throws Error with a sentence */
async function endUnfinished(id: string): Promise<void> {
  const [{ publicKey }, client] = await Promise.all([publicConfig(), supabase()]);
  const { data } = await client.auth.getSession();
  const reply = await fetch(`${SERVICES.storage}/upload/resumable/${id}`, {
    method: 'DELETE',
    headers: {
      apikey: publicKey,
      authorization: `Bearer ${data.session?.access_token ?? ''}`,
      'tus-resumable': '1.0.0',
    },
  });
  if (!reply.ok && reply.status !== 404) throw new Error('The upload could not be ended. Please try again.');
}
