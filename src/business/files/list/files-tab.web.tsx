import { useQuery } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { type ComponentType, type ReactNode, type RefObject, useRef, useState } from 'react';
import { formatPreciseTime, formatTime } from '../../../kernel/contract/dates.ts';
import { PICKER_ACCEPT } from '../../../platform/storage/content/upload-types.contract.ts';
import { site } from '../../../ui/brand.ts';
import { useShortcuts } from '../../../ui/parts/shortcuts.tsx';
import { type Customer, customerQuery, teamCreditsQuery } from '../../billing/customers/customer-read.web.ts';
import { PlanCards } from '../../billing/site/plan-card.web.tsx';
import { allowancesQuery } from '../../billing/subscription/subscription-read.web.ts';
import { ArrivalSwitch } from '../uploads/arrival-analysis.web.tsx';
import { DropOverlay } from '../uploads/file-drop.web.tsx';
import { UploadList } from '../uploads/upload-list.web.tsx';
import { uploads } from '../uploads/upload-queue.web.ts';
import { useUploadReports } from '../uploads/upload-reports.web.ts';
import { StorageUsage } from '../usage/storage-usage.web.tsx';
import { useChanges } from './change-subscription.web.ts';
import type { FileColumn } from './file-columns.web.ts';
import { FileFilter } from './file-filter.web.tsx';
import { type FileChoicePart, FileLists, type FilePreviewer } from './file-lists.web.tsx';
import { filesQuery } from './file-query.web.ts';
import type { FileState } from './file-states.web.ts';

interface FilesTabProps {
  readonly userId: string;
  /** Sizes in bytes of everything else that uses the user's storage; undefined until they are known. */
  readonly furtherSizes: readonly number[] | undefined;
  /** Shows a file over the list. */
  readonly Preview: FilePreviewer;
  /** Further actions on chosen files. */
  readonly Choice: FileChoicePart;
  /** Further lists below the user's own. */
  readonly Further: ComponentType<{ userId: string }>;
  /** Further columns of the lists. */
  readonly columns: readonly FileColumn[];
  /** Chooses them. */
  readonly columnChoice: ReactNode;
  /** Shown below the plan. */
  readonly Beside: ComponentType<{ userId: string }>;
}

/** The Files tab (docs/specification/site.md §2): uploads, the two lists, storage and allowance. */
export function FilesTab({
  userId,
  furtherSizes,
  Preview,
  Choice,
  Further,
  columns,
  columnChoice,
  Beside,
}: FilesTabProps) {
  const customer = useQuery(customerQuery(userId));
  const allowances = useQuery(allowancesQuery(userId));
  const live = useChanges(userId, customer.data?.customer_id ?? null);
  const files = useQuery({ ...filesQuery(userId), refetchInterval: live ? false : OFFLINE_POLL });
  useUploadReports();
  const picker = useRef<HTMLInputElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  const [wanted, setWanted] = useState('');
  const [state, setState] = useState<FileState>('all');
  useShortcuts({ u: () => picker.current?.click(), '/': () => filter.current?.focus() });
  const add = (chosen: readonly File[]): void => uploads.add(chosen, userId);
  const isFree = allowances.data?.plans.length === 0 && (customer.data?.credits ?? 0) > 0;
  const isStuck = useIsStuck(userId, customer.data);
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Files</h1>
          <LiveUpdates live={live && !files.isError} failed={files.isError} checkedAt={files.dataUpdatedAt} />
        </div>
        <UploadButton picker={picker} isNext={!isStuck} onChoose={add} />
      </div>
      <div className="cols">
        <div className="lists">
          <UploadList files={files.data ?? []} userId={userId} />
          <FileFilter
            field={filter}
            files={files.data ?? []}
            wanted={wanted}
            onWanted={setWanted}
            state={state}
            onState={setState}
            columns={columns}
          />
          <FileLists
            query={files}
            wanted={wanted}
            state={state}
            note={isFree ? site.freeNote : ''}
            Preview={Preview}
            Choice={Choice}
            columns={columns}
            columnChoice={columnChoice}
          />
          <ArrivalSwitch />
          <Further userId={userId} />
        </div>
        <aside aria-label="Storage and plan">
          <PlanCards allowances={allowances.data} credits={customer.data?.credits} isNext={isStuck} />
          <Beside userId={userId} />
          <StorageUsage
            sizes={files.data?.map((file) => file.file_size)}
            further={[...(furtherSizes ?? []), allowances.data?.picture_bytes ?? 0]}
            limitBytes={allowances.data?.storage_limit_bytes}
          />
        </aside>
      </div>
      <DropOverlay onDrop={add} />
    </>
  );
}

/**
 * Whether an upload would be refused for lack of credits, so that a plan is the next step; false while that
 * is not known.
 */
function useIsStuck(userId: string, customer: Customer | null | undefined): boolean {
  const isOut = customer !== undefined && (customer?.credits ?? 0) === 0;
  const team = useQuery({ ...teamCreditsQuery(userId), enabled: isOut });
  return isOut && team.data === 0;
}

/** While the connection is lost, the list is read every 15 s. */
const OFFLINE_POLL = 15_000;

interface UploadButtonProps {
  readonly picker: RefObject<HTMLInputElement | null>;
  /** True when it is the main next step of the page. */
  readonly isNext: boolean;
  readonly onChoose: (files: readonly File[]) => void;
}

function UploadButton({ picker, isNext, onChoose }: UploadButtonProps) {
  return (
    <>
      <button
        type="button"
        className={isNext ? 'btn signal' : 'btn quiet'}
        onClick={() => picker.current?.click()}
      >
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
          // So that the same file can be chosen again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}

interface LiveUpdatesProps {
  readonly live: boolean;
  /** True when the last attempt to load the list failed. */
  readonly failed: boolean;
  /** Epoch milliseconds, 0 before the first reply. */
  readonly checkedAt: number;
}

/** How current the list is: up to the second while the connection works, else when it was last read. */
function LiveUpdates({ live, failed, checkedAt }: LiveUpdatesProps) {
  const at = new Date(checkedAt);
  const known = checkedAt > 0;
  return (
    <p className="live num" data-live-state={live ? 'on' : 'off'}>
      <i aria-hidden="true" />
      {live ? 'Live updates' : `${failed ? 'Not up to date' : 'Offline'}${known ? ', last checked' : ''}`}{' '}
      {known && <time dateTime={at.toISOString()}>{live ? formatPreciseTime(at) : formatTime(at)}</time>}
    </p>
  );
}
