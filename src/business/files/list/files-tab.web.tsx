import { useQuery } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { PICKER_ACCEPT } from '../../contract/file-types.ts';
import { useShortcuts } from '../../web/parts/shortcuts.tsx';
import { PlanCard } from '../billing/plan-card.web.tsx';
import { customerQuery } from '../billing/read-customer.web.ts';
import { planOf, subscriptionQuery } from '../billing/read-subscription.web.ts';
import { DropVeil } from './drop-files.web.tsx';
import { FileLists } from './file-lists.web.tsx';
import { FileFilter } from './filter-files.web.tsx';
import { useChanges } from './follow-changes.web.ts';
import { filesQuery } from './list-files.web.ts';
import { LiveUpdates } from './live-updates.web.tsx';
import { useUploadReports } from './report-uploads.web.ts';
import { StorageUsage } from './storage-usage.web.tsx';
import { UploadList } from './upload-list.web.tsx';
import { uploads } from './upload-queue.web.ts';

/** The Files tab (`spec/site.md §2`): uploads, the two lists, storage and allowance. */
export function FilesTab({ userId }: { userId: string }) {
  const customer = useQuery(customerQuery(userId));
  const subscription = useQuery(subscriptionQuery(userId));
  const live = useChanges(userId, customer.data?.customer_id ?? null);
  const files = useQuery({ ...filesQuery(userId), refetchInterval: live ? false : OFFLINE_POLL });
  useUploadReports();
  const picker = useRef<HTMLInputElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  const [wanted, setWanted] = useState('');
  useShortcuts({ u: () => picker.current?.click(), '/': () => filter.current?.focus() });
  const add = (chosen: readonly File[]): void => uploads.add(chosen, userId);
  const plan = subscription.data ? planOf(subscription.data) : undefined;
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Files</h1>
          <LiveUpdates live={live} checkedAt={files.dataUpdatedAt} />
        </div>
        <UploadButton picker={picker} onChoose={add} />
      </div>
      <div className="cols">
        <div className="lists">
          <UploadList files={files.data ?? []} />
          <FileFilter field={filter} files={files.data ?? []} wanted={wanted} onWanted={setWanted} />
          <FileLists query={files} wanted={wanted} />
        </div>
        <aside aria-label="Storage and plan">
          <StorageUsage sizes={files.data?.map((file) => file.file_size)} plan={plan} />
          <PlanCard subscription={subscription.data} credits={customer.data?.credits} />
        </aside>
      </div>
      <DropVeil onDrop={add} />
    </>
  );
}

/** While the socket is down the list is asked for every 15 s. */
const OFFLINE_POLL = 15_000;

interface UploadButtonProps {
  readonly picker: RefObject<HTMLInputElement | null>;
  readonly onChoose: (files: readonly File[]) => void;
}

function UploadButton({ picker, onChoose }: UploadButtonProps) {
  return (
    <>
      <button type="button" className="btn signal" onClick={() => picker.current?.click()}>
        <Upload size={18} aria-hidden="true" />
        Upload Files
      </button>
      <input
        ref={picker}
        type="file"
        hidden
        multiple
        accept={PICKER_ACCEPT}
        aria-label="Files to upload"
        onChange={({ currentTarget }) => {
          onChoose([...(currentTarget.files ?? [])]);
          // The same file may be chosen again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}
