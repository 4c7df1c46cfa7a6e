import type { FileRecord } from '../../../src/business/files/file-record.web.ts';

/**
 * A document in the list of files as its page gets it: uploaded, 2 KB, not analysed; `differs` says what is
 * different.
 */
export const fileRecord = (differs: Partial<FileRecord> = {}): FileRecord => ({
  id: 'f1',
  user_id: 'u',
  file_path: 'u/lease.pdf',
  file_name: 'lease.pdf',
  file_type: 'document',
  file_size: 2048,
  mime_type: 'application/pdf',
  analyzed: false,
  analyzed_url: null,
  created_at: '2026-11-01T09:00:00Z',
  updated_at: '2026-11-02T09:00:00Z',
  deleted_at: null,
  order_id: null,
  status: 'uploaded',
  tags: [],
  progress: null,
  status_reason: null,
  waits_until: null,
  report_line: null,
  unreadable: false,
  ...differs,
});
