import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';
import { ConfirmDelete } from '../actions/deletion-confirm.web.tsx';
import { useFileActions } from '../actions/file-actions.web.ts';
import { useMovingFiles } from '../actions/file-moves.web.ts';
import type { FileRecord } from '../file-record.web.ts';
import { isWanted } from './file-filter.web.tsx';
import { AnalyzedRow, WaitingRow } from './file-row.web.tsx';

interface FileListsProps {
  readonly query: UseQueryResult<FileRecord[]>;
  /** Only files whose names contain it are shown; empty for all. */
  readonly wanted: string;
}

/** 'Your Files' and 'Your Analyzed Files' (docs/specification/site.md §2). */
export function FileLists({ query, wanted }: FileListsProps) {
  const actions = useFileActions();
  const files = useMovingFiles(query.data);
  const [doomed, setDoomed] = useState<FileRecord | null>(null);
  if (files === undefined)
    return query.isError ? <Failure retry={() => void query.refetch()} /> : <Skeleton />;
  const shown = files.filter((file) => isWanted(file, wanted));
  const waiting = shown.filter((file) => !file.analyzed);
  // By the time that the rows print.
  const analyzed = shown
    .filter((file) => file.analyzed)
    .sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  const isFiltered = shown.length < files.length;
  return (
    <>
      {query.isError && <Failure retry={() => void query.refetch()} />}
      <section aria-labelledby="your-files">
        <Heading id="your-files" text="Your Files" count={waiting.length} />
        {waiting.length === 0 ? (
          <Empty title="No files uploaded" isFiltered={isFiltered}>
            Upload a PDF or Word document and it appears here, ready to analyze.
          </Empty>
        ) : (
          <ul className="panel rows">
            {waiting.map((file) => (
              <WaitingRow key={file.id} file={file} actions={actions} onDelete={setDoomed} />
            ))}
          </ul>
        )}
      </section>
      <section aria-labelledby="your-analyzed-files">
        <Heading id="your-analyzed-files" text="Your Analyzed Files" count={analyzed.length} />
        {analyzed.length === 0 ? (
          <Empty title="No analyzed files yet" isFiltered={isFiltered}>
            Choose Analyze on a file; its report appears here.
          </Empty>
        ) : (
          <ul className="panel rows">
            {analyzed.map((file) => (
              <AnalyzedRow key={file.id} file={file} actions={actions} onDelete={setDoomed} />
            ))}
          </ul>
        )}
      </section>
      <ConfirmDelete
        file={doomed}
        onClose={() => setDoomed(null)}
        onConfirm={(file) => {
          setDoomed(null);
          actions.remove(file);
          // The row's own button, where the focus would return, is going away.
          const heading = document.getElementById(file.analyzed ? 'your-analyzed-files' : 'your-files');
          requestAnimationFrame(() => heading?.focus());
        }}
      />
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
  /** There may be files, only none of the name that is looked for. */
  readonly isFiltered: boolean;
  readonly children: string;
}

/** What an empty list shows. */
function Empty({ title, isFiltered, children }: EmptyProps) {
  if (isFiltered) return <p className="panel pad meta">No file of that name here.</p>;
  return (
    <div className="panel empty">
      <EmptyMark />
      <b>{title}</b>
      <p className="meta">{children}</p>
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

/** Rows of the real height while the list is on its way. */
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
