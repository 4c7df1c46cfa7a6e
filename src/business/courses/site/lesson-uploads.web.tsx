import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pause, Play, RotateCw, X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Link } from 'wouter';
import { formatBytes } from '../../../kernel/contract/formats.ts';
import { COURSE_VIDEOS_BUCKET } from '../../../kernel/contract/limits.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { announce } from '../../files/list/announcer.web.tsx';
import { UnfinishedRow, UploadAct } from '../../files/uploads/unfinished-row.web.tsx';
import { unfinishedQuery } from '../../files/uploads/unfinished-uploads.web.ts';
import { VIDEO_ACCEPT } from '../course-videos.contract.ts';
import { refreshCourse } from './lesson-changes.web.ts';
import { lessons, type QueuedLesson } from './lesson-queue.web.ts';

/** The videos on their way, and those that stopped half way, from here or elsewhere. */
export function LessonUploads({ userId }: { userId: string }) {
  useLessonReports();
  const items = useSyncExternalStore(lessons.watch, lessons.items, lessons.items);
  const queries = useQueryClient();
  const unfinished = useQuery(unfinishedQuery(userId, COURSE_VIDEOS_BUCKET));
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
          <UnfinishedRow
            key={upload.id}
            upload={upload}
            accept={VIDEO_ACCEPT}
            onResume={(file) => lessons.add(file, userId, { unfinishedId: upload.id })}
            onEnded={() => void refreshCourse(queries)}
          />
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
          <UploadAct name={`Pause ${file.name}`} onAct={() => lessons.pause(id)}>
            <Pause size={18} aria-hidden="true" />
            Pause
          </UploadAct>
        )}
        {(state === 'paused' || state === 'offline') && (
          <UploadAct name={`Go on with ${file.name}`} onAct={() => lessons.resume(id)}>
            <Play size={18} aria-hidden="true" />
            Go on
          </UploadAct>
        )}
        {state === 'failed' && item.retryable && (
          <UploadAct name={`Retry ${file.name}`} onAct={() => lessons.resume(id)}>
            <RotateCw size={18} aria-hidden="true" />
            Retry
          </UploadAct>
        )}
        <UploadAct
          name={`${state === 'failed' ? 'Dismiss' : 'Cancel'} ${file.name}`}
          onAct={() => void lessons.cancel(id)}
        >
          <X size={18} aria-hidden="true" />
          {state === 'failed' ? 'Dismiss' : 'Cancel'}
        </UploadAct>
      </div>
    </li>
  );
}

function wordsOf({ file, state, sentBytes }: QueuedLesson): string {
  if (state === 'checking') return 'Checking your plan';
  if (sentBytes >= file.size) return 'Reading its length';
  const amount = `${formatBytes(sentBytes)} of ${formatBytes(file.size)}`;
  return state === 'paused' ? `${amount}, paused` : amount;
}
