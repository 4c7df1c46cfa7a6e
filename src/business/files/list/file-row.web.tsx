import { Download, Eye, FileText, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Link } from 'wouter';
import { formatDay } from '../../../kernel/contract/dates.ts';
import { formatBytes } from '../../../kernel/contract/formats.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { analysisPath } from '../../../kernel/contract/routes.ts';
import { extensionOf } from '../../../platform/storage/content/upload-types.contract.ts';
import type { FileActions } from '../actions/file-actions.web.ts';
import type { QueuePlace } from '../analysis-queue.contract.ts';
import { type FileRecord, isBeingAnalyzed, mayBeAnalyzed, pauseSentence } from '../file-record.web.ts';
import { queueSentence } from './analysis-queue.web.ts';
import type { FileColumn } from './file-columns.web.ts';
import { RowTags } from './file-tags.web.tsx';
import { previewKind } from './preview-kind.web.ts';
import { RowColumns } from './row-columns.web.tsx';

interface RowProps {
  readonly file: FileRecord;
  /** Its place in the queue of documents, while it is in it. */
  readonly place?: QueuePlace | undefined;
  readonly actions: FileActions;
  readonly onDelete: (file: FileRecord) => void;
  readonly onPreview: (file: FileRecord) => void;
  readonly onTag: (tag: string) => void;
  readonly columns: readonly FileColumn[];
  readonly chosen: boolean;
  readonly onChoose: (file: FileRecord, chosen: boolean) => void;
}

/**
 * A file that is not analysed yet: Download, Analyze, Delete. A locked file needs its password before another
 * attempt; for an unreadable file, Analyze is not offered.
 */
export function WaitingRow({ file, place, actions, onDelete, onPreview, columns: _, ...choice }: RowProps) {
  const deleting = actions.isBusy(file, 'delete');
  const analyzing = isBeingAnalyzed(file) || actions.isBusy(file, 'analyze');
  const again = file.status === 'failed';
  const pauses = pauseSentence(file) !== undefined || (place?.place ?? null) !== null;
  const busyWord = pauses ? 'Waiting' : 'Analyzing...';
  return (
    <Row
      file={file}
      deleting={deleting}
      analyzing={analyzing}
      when={<Moment at={file.created_at} />}
      {...choice}
    >
      <span className="acts">
        <button
          type="button"
          className="btn quiet small ico"
          aria-label={`Download ${file.file_name}`}
          disabled={deleting || actions.isBusy(file, 'download')}
          onClick={() => actions.download(file)}
        >
          <Download size={18} aria-hidden="true" />
          <span>Download</span>
        </button>
        {mayBeAnalyzed(file) && (
          <button
            type="button"
            className="btn quiet small analyze"
            aria-label={`${analyzing ? busyWord : again ? 'Try again:' : 'Analyze'} ${file.file_name}`}
            disabled={deleting || analyzing}
            onClick={() => actions.analyze(file)}
          >
            {analyzing && !pauses && <i className="spin" aria-hidden="true" />}
            {analyzing ? busyWord : again ? 'Try again' : 'Analyze'}
          </button>
        )}
        <PreviewButton file={file} onPreview={onPreview} />
        <DeleteButton file={file} disabled={deleting} onDelete={onDelete} />
      </span>
      <Outcome file={file} place={place} analyzing={analyzing} />
    </Row>
  );
}

/** A file with a report: the 'Analyzed' badge, View Analysis, Delete. */
export function AnalyzedRow({ file, place: _, actions, onDelete, onPreview, columns, ...choice }: RowProps) {
  const deleting = actions.isBusy(file, 'delete');
  return (
    <Row
      file={file}
      deleting={deleting}
      analyzing={false}
      {...choice}
      badge={<span className="badge">Analyzed</span>}
      when={
        <>
          analysed <Moment at={file.updated_at} />
        </>
      }
    >
      <span className="acts">
        <ViewAnalysis file={file} />
        <button
          type="button"
          className="btn quiet small ico bare"
          aria-label={`Download ${file.file_name}`}
          title="Download"
          disabled={deleting || actions.isBusy(file, 'download')}
          onClick={() => actions.download(file)}
        >
          <Download size={18} aria-hidden="true" />
        </button>
        <PreviewButton file={file} onPreview={onPreview} />
        <DeleteButton file={file} disabled={deleting} onDelete={onDelete} />
      </span>
      {file.report_line !== null && <p className="outcome meta">{file.report_line}</p>}
      <RowColumns file={file} columns={columns} />
    </Row>
  );
}

interface RowFrame extends Pick<RowProps, 'chosen' | 'onChoose' | 'onTag'> {
  readonly file: FileRecord;
  readonly deleting: boolean;
  readonly analyzing: boolean;
  readonly badge?: ReactNode;
  readonly when: ReactNode;
  readonly children: ReactNode;
}

function Row({ file, deleting, analyzing, badge, when, chosen, onChoose, onTag, children }: RowFrame) {
  return (
    <li
      className="file"
      data-file={file.id}
      data-busy={analyzing || undefined}
      data-deleting={deleting || undefined}
      aria-busy={analyzing || deleting}
      style={{ viewTransitionName: `file-${file.id}` }}
      data-chosen={chosen || undefined}
    >
      <label className="file-choice">
        <input
          type="checkbox"
          checked={chosen}
          disabled={deleting}
          aria-label={`Choose ${file.file_name}`}
          onChange={({ currentTarget }) => onChoose(file, currentTarget.checked)}
        />
      </label>
      <span className="kind num" aria-hidden="true">
        {(extensionOf(file.file_name) || 'file').toUpperCase().slice(0, 4)}
      </span>
      <span className="name">
        <b>{file.file_name}</b>
        <span className="meta num">
          {formatBytes(file.file_size)} · {when}
        </span>
        <RowTags file={file} onTag={onTag} />
      </span>
      {badge ?? <span />}
      {children}
    </li>
  );
}

function Moment({ at }: { at: string }) {
  return <time dateTime={at}>{formatDay(new Date(at))}</time>;
}

function PreviewButton({ file, onPreview }: Pick<RowProps, 'file' | 'onPreview'>) {
  return (
    <button
      type="button"
      className="btn quiet small ico bare"
      aria-label={`Preview ${file.file_name}`}
      title="Preview"
      // Its place stays, so that the buttons of all rows stand below each other.
      data-absent={previewKind(file.file_name) === undefined || undefined}
      onClick={() => onPreview(file)}
    >
      <FileText size={18} aria-hidden="true" />
    </button>
  );
}

function DeleteButton({
  file,
  disabled,
  onDelete,
}: {
  file: FileRecord;
  disabled: boolean;
  onDelete: RowProps['onDelete'];
}) {
  return (
    <button
      type="button"
      className="btn quiet small ico bare"
      aria-label={`Delete ${file.file_name}`}
      title="Delete"
      disabled={disabled}
      onClick={() => onDelete(file)}
    >
      <Trash2 size={18} aria-hidden="true" />
    </button>
  );
}

/** The progress of a running analysis, or why the last one failed. */
function Outcome({
  file,
  place,
  analyzing,
}: Pick<RowProps, 'file' | 'place'> & { readonly analyzing: boolean }) {
  const pause = pauseSentence(file);
  if (pause !== undefined) return <p className="outcome meta">{pause}</p>;
  if (analyzing) {
    const label = `Analysis of ${file.file_name}`;
    const sentence = place && queueSentence(place);
    if (sentence !== undefined && place?.place !== null) return <p className="outcome meta">{sentence}</p>;
    return (
      <span className="outcome meta">
        <progress
          aria-label={label}
          max={100}
          {...(file.progress === null ? {} : { value: file.progress })}
        />
        {sentence}
      </span>
    );
  }
  if (file.status === 'failed')
    return <p className="outcome fault">{file.status_reason ?? MESSAGES.analysis.failed}</p>;
  if (file.status === 'needs_password')
    return (
      <p className="outcome fault">
        {file.status_reason ?? 'This document is locked with a password.'}{' '}
        <Link href={analysisPath(file.id)}>Enter the password</Link>
      </p>
    );
  return null;
}

function ViewAnalysis({ file }: { file: FileRecord }) {
  const label = `View Analysis of ${file.file_name}`;
  const face = (
    <>
      <Eye size={18} aria-hidden="true" />
      View Analysis
    </>
  );
  const address = addressOf(file.analyzed_url);
  if (address === null)
    return (
      <button
        type="button"
        className="btn small"
        aria-label={label}
        onClick={() => toast.error(MESSAGES.analysis.noUrl)}
      >
        {face}
      </button>
    );
  if (address.startsWith('/'))
    return (
      <Link className="btn small" aria-label={label} href={address}>
        {face}
      </Link>
    );
  return (
    <a className="btn small" aria-label={label} href={address} target="_blank" rel="noreferrer">
      {face}
    </a>
  );
}

/** The path of an address on this site, the whole of an https address elsewhere, null for anything else. */
function addressOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url, location.origin)) return null;
  const target = new URL(url, location.origin);
  if (target.origin === location.origin) return `${target.pathname}${target.search}${target.hash}`;
  return target.protocol === 'https:' ? target.href : null;
}
