import type { UseQueryResult } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';
import { ConfirmDelete } from '../actions/deletion-confirm.web.tsx';
import { type FileActions, useFileActions } from '../actions/file-actions.web.ts';
import { useMovingFiles } from '../actions/file-moves.web.ts';
import type { QueuePlace } from '../analysis-queue.contract.ts';
import type { FileRecord } from '../file-record.web.ts';
import { useAnalysisQueue } from './analysis-queue.web.ts';
import { type FileColumn, isWanted } from './file-columns.web.ts';
import { SortChoice } from './file-filter.web.tsx';
import { AnalyzedRow, WaitingRow } from './file-row.web.tsx';
import { type FileChoice, SelectionBar, useFileChoice } from './file-selection.web.tsx';
import { type FileOrder, sortFiles } from './file-sorting.web.ts';
import { FILE_STATES, type FileState } from './file-states.web.ts';
import { hasTag, TagChoice, tagsOf } from './file-tags.web.tsx';

/** Buttons with further actions on the chosen files. */
export type FileChoicePart = ComponentType<{ files: readonly FileRecord[] }>;

/** Shows a file over the list. */
export type FilePreviewer = ComponentType<{ file: FileRecord; onClose: () => void }>;

interface FileListsProps {
  readonly query: UseQueryResult<FileRecord[]>;
  /** Only files whose names contain this text are shown; empty for all. */
  readonly wanted: string;
  /** Only files in this state are shown. */
  readonly state: FileState;
  /** The text when there are no files yet; may be empty. */
  readonly note: string;
  readonly Preview: FilePreviewer;
  readonly Choice: FileChoicePart;
  readonly columns: readonly FileColumn[];
  /** Chooses the columns. */
  readonly columnChoice: ReactNode;
}

/**
 * 'Your Files' and 'Your Analyzed Files' (docs/specification/site.md §2), both in the same order and fifty
 * rows at a time; chosen files are analysed, downloaded and deleted together.
 */
export function FileLists({
  query,
  wanted,
  state,
  note,
  Preview,
  Choice,
  columns,
  columnChoice,
}: FileListsProps) {
  const actions = useFileActions();
  const files = useMovingFiles(query.data);
  const [doomed, setDoomed] = useState<readonly FileRecord[]>([]);
  const [order, setOrder] = useState<FileOrder>('newest');
  const [tag, setTag] = useState('');
  const [previewed, setPreviewed] = useState<FileRecord>();
  const choice = useFileChoice(files ?? []);
  const queue = useAnalysisQueue(files ?? []);
  if (files === undefined)
    return query.isError ? <Failure retry={() => void query.refetch()} /> : <Skeleton />;
  const shown = sortFiles(
    files.filter(
      (file) => isWanted(file, wanted, columns) && hasTag(file, tag) && FILE_STATES[state].has(file),
    ),
    order,
    columns,
  );
  const known = tagsOf(files);
  const rows = {
    actions,
    choice,
    queue,
    columns,
    onDelete: (file: FileRecord) => setDoomed([file]),
    onPreview: setPreviewed,
    onTag: setTag,
  };
  return (
    <>
      {query.isError && <Failure retry={() => void query.refetch()} />}
      <div className="list-tools">
        {files.length > 1 && <SortChoice order={order} onOrder={setOrder} columns={columns} />}
        <TagChoice known={known} tag={tag} onTag={setTag} />
        {columnChoice}
      </div>
      <SelectionBar
        choice={choice}
        shown={shown}
        known={known}
        actions={actions}
        onDelete={setDoomed}
        Choice={Choice}
      />
      <BothLists
        {...rows}
        files={shown}
        state={state}
        isFiltered={shown.length < files.length}
        isFirst={files.length === 0}
        note={note}
      />
      {previewed !== undefined && <Preview file={previewed} onClose={() => setPreviewed(undefined)} />}
      <ConfirmDelete
        files={doomed}
        onClose={() => setDoomed([])}
        onConfirm={(certain) => {
          setDoomed([]);
          const [only] = certain;
          if (certain.length === 1 && only !== undefined) actions.remove(only);
          else void actions.removeAll(certain).then(choice.clear);
          // The focus would return to the row's own button, which is about to disappear.
          const heading = document.getElementById(only?.analyzed ? 'your-analyzed-files' : 'your-files');
          requestAnimationFrame(() => heading?.focus());
        }}
      />
    </>
  );
}

type RowHandlers = Omit<SectionProps, 'id' | 'text' | 'files' | 'Row' | 'empty'>;

interface BothListsProps extends RowHandlers {
  /** The files that the filter leaves. */
  readonly files: readonly FileRecord[];
  readonly state: FileState;
  /** True when the filter leaves some out. */
  readonly isFiltered: boolean;
  /** True when there is no file at all. */
  readonly isFirst: boolean;
  readonly note: string;
}

/** The two lists in one panel. */
function BothLists({ files, state, isFiltered, isFirst, note, ...rows }: BothListsProps) {
  return (
    <div className="panel file-lists">
      <section aria-labelledby="your-files" hidden={state === 'analyzed'}>
        <FileSection
          {...rows}
          id="your-files"
          text="Your Files"
          files={files.filter((file) => !file.analyzed)}
          Row={WaitingRow}
          empty={
            <Empty title="No files uploaded" isFiltered={isFiltered} isFirst={isFirst} note={note}>
              Upload a PDF or Word document and it appears here, ready to analyse. You can walk through{' '}
              <Link href={PAGES.sampleReport.path}>a whole report on a sample document</Link> first: it takes
              no credit.
            </Empty>
          }
        />
      </section>
      <section aria-labelledby="your-analyzed-files" hidden={state !== 'all' && state !== 'analyzed'}>
        <FileSection
          {...rows}
          id="your-analyzed-files"
          text="Your Analyzed Files"
          files={files.filter((file) => file.analyzed)}
          Row={AnalyzedRow}
          empty={
            <Empty title="No analyzed files yet" isFiltered={isFiltered}>
              Choose Analyze on a file; its report appears here.
            </Empty>
          }
        />
      </section>
    </div>
  );
}

/** Rows that are added to the page at a time; thousands would take seconds. */
const ROWS = 50;

interface SectionProps {
  readonly id: string;
  readonly text: string;
  readonly files: readonly FileRecord[];
  readonly Row: typeof WaitingRow;
  readonly empty: ReactNode;
  readonly actions: FileActions;
  readonly choice: FileChoice;
  readonly queue: ReadonlyMap<string, QueuePlace>;
  readonly columns: readonly FileColumn[];
  readonly onDelete: (file: FileRecord) => void;
  readonly onPreview: (file: FileRecord) => void;
  readonly onTag: (tag: string) => void;
}

function FileSection({ id, text, files, Row, empty, choice, queue, ...handlers }: SectionProps) {
  const [most, setMost] = useState(ROWS);
  const left = files.length - most;
  return (
    <>
      <Heading id={id} text={text} count={files.length} />
      {files.length === 0 ? (
        empty
      ) : (
        <ul className="rows">
          {files.slice(0, most).map((file) => (
            <Row
              key={file.id}
              file={file}
              place={queue.get(file.id)}
              {...handlers}
              chosen={choice.has(file)}
              onChoose={choice.choose}
            />
          ))}
        </ul>
      )}
      {left > 0 && (
        <button type="button" className="btn quiet small more-rows" onClick={() => setMost(most + ROWS)}>
          Show {Math.min(left, ROWS)} more of {left}
        </button>
      )}
    </>
  );
}

function Heading({ id, text, count }: { id: string; text: string; count: number }) {
  return (
    <h2 id={id} tabIndex={-1}>
      {text} <span className="num count">{count}</span>
    </h2>
  );
}

interface EmptyProps {
  readonly title: string;
  /** True when the list is empty only because of the filter. */
  readonly isFiltered: boolean;
  /** True when there is no file at all, so that this is what the page is about. */
  readonly isFirst?: boolean;
  readonly note?: string;
  readonly children: ReactNode;
}

/** The content of an empty list. */
function Empty({ title, isFiltered, isFirst = false, note = '', children }: EmptyProps) {
  if (isFiltered) return <p className="none meta">No file of that name, tag or state here.</p>;
  return (
    <div className={isFirst ? 'empty' : 'none'}>
      {isFirst && <EmptyMark />}
      <b>{title}</b>
      <p className="meta">{children}</p>
      {note !== '' && <p>{note}</p>}
    </div>
  );
}

function Failure({ retry }: { retry: () => void }) {
  return (
    <div className="panel empty" role="alert">
      <b>{MESSAGES.listing.failed}</b>
      <button type="button" className="btn quiet small" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

/** Placeholder rows of the real height while the list is loading. */
export function Skeleton() {
  return (
    <section aria-busy="true" aria-label="Your Files">
      <h2>Your Files</h2>
      <div className="panel rows" aria-hidden="true">
        <div className="file ghost" />
        <div className="file ghost" />
        <div className="file ghost" />
      </div>
    </section>
  );
}
