import { formatTime } from '../../kernel/contract/dates.ts';

/** States of a document (docs/specification/site.md §10: the boolean becomes true when the report exists). */
export type FileStatus = 'uploaded' | 'queued' | 'analyzing' | 'analyzed' | 'failed' | 'needs_password';

/** A file as the dashboard shows it (docs/specification/site.md §3). Times are ISO 8601. */
export interface FileRecord {
  readonly id: string;
  readonly user_id: string;
  readonly file_path: string;
  readonly file_name: string;
  readonly file_type: string;
  /** Bytes. */
  readonly file_size: number;
  readonly mime_type: string | null;
  readonly analyzed: boolean;
  readonly analyzed_url: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
  readonly order_id: string | null;
  readonly status: FileStatus;
  /** The owner's words from `file_tags`; empty for everybody else. */
  readonly tags: readonly string[];
  /** 0-100 while it is being analysed, else null. */
  readonly progress: number | null;
  /** Why an analysis failed, as a sentence for the owner. */
  readonly status_reason: string | null;
  /** Not read before this time, because the owner's documents have stopped the reader repeatedly. */
  readonly waits_until: string | null;
  /** The report in one line. */
  readonly report_line: string | null;
  /** True when the last analysis failed because of the file itself: another would fail in the same way. */
  readonly unreadable: boolean;
}

/** Whether the file may be analysed: not while it needs a password, and not when it cannot be read. */
export function mayBeAnalyzed({ status, unreadable }: Pick<FileRecord, 'status' | 'unreadable'>): boolean {
  return status !== 'needs_password' && !(status === 'failed' && unreadable);
}

/** Whether an analysis of the file is waiting or running. */
export function isBeingAnalyzed(file: Pick<FileRecord, 'status'>): boolean {
  return file.status === 'queued' || file.status === 'analyzing';
}

/** Why and until when a waiting file is held back (decision 0450); undefined for other files. */
export function pauseSentence({ status, waits_until: until }: FileRecord): string | undefined {
  if (status !== 'queued' || until === null) return undefined;
  return `Your last documents stopped the reader, so there is a pause: this one will be read at ${formatTime(new Date(until))}. The pauses end with a document that can be read.`;
}
