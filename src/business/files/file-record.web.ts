/** States of a document (docs/specification/site.md §10: the boolean turns true when the report exists). */
export type FileStatus = 'uploaded' | 'queued' | 'analyzing' | 'analyzed' | 'failed' | 'needs_password';

/** A row of `user_files` as the dashboard reads it (docs/specification/site.md §3). Times are ISO 8601. */
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
  /** Words of the owner. */
  readonly tags: readonly string[];
  /** 0-100 while it is being analysed, else null. */
  readonly progress: number | null;
  /** Why an analysis failed, in a sentence for the owner. */
  readonly status_reason: string | null;
}

/** Whether an analysis of the file is waiting or running. */
export function isBeingAnalyzed(file: Pick<FileRecord, 'status'>): boolean {
  return file.status === 'queued' || file.status === 'analyzing';
}
