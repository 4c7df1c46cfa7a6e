import type { FileRecord } from '../file-record.web.ts';

/** The possible orders of the lists, and their labels. */
export const FILE_ORDERS = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Name',
  size: 'Largest first',
} as const;

/** How the lists are sorted. */
export type FileOrder = keyof typeof FILE_ORDERS;

const COLLATOR = new Intl.Collator('en-GB', { numeric: true, sensitivity: 'base' });

/** The time shown in the row: that of the upload, or of the report if there is one. */
const timeOf = (file: FileRecord): string => (file.analyzed ? file.updated_at : file.created_at);

/** Sorts the files; numbers in names are compared as numbers. */
export function sortFiles(files: readonly FileRecord[], order: FileOrder): FileRecord[] {
  const by: Record<FileOrder, (a: FileRecord, b: FileRecord) => number> = {
    newest: (a, b) => timeOf(b).localeCompare(timeOf(a)),
    oldest: (a, b) => timeOf(a).localeCompare(timeOf(b)),
    name: (a, b) => COLLATOR.compare(a.file_name, b.file_name),
    size: (a, b) => b.file_size - a.file_size,
  };
  return [...files].sort(by[order]);
}
