import { compareNames } from '../../../kernel/contract/formats.ts';
import type { FileRecord } from '../file-record.web.ts';
import type { FileColumn } from './file-columns.web.ts';

/** The possible orders of the lists, and their labels. */
export const FILE_ORDERS = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Name',
  size: 'Largest first',
} as const;

/** How the lists are sorted; or the id of a column. */
export type FileOrder = keyof typeof FILE_ORDERS | (string & {});

/** The time shown in the row: that of the upload, or of the report if there is one. */
const timeOf = (file: FileRecord): string => (file.analyzed ? file.updated_at : file.created_at);

/** Sorts the files; numbers in names are compared as numbers. Files without a value in the column come last. */
export function sortFiles(
  files: readonly FileRecord[],
  order: FileOrder,
  columns: readonly FileColumn[] = [],
): FileRecord[] {
  const by: Readonly<Record<string, (a: FileRecord, b: FileRecord) => number>> = {
    newest: (a, b) => timeOf(b).localeCompare(timeOf(a)),
    oldest: (a, b) => timeOf(a).localeCompare(timeOf(b)),
    name: (a, b) => compareNames(a.file_name, b.file_name),
    size: (a, b) => b.file_size - a.file_size,
  };
  const values = columns.find(({ id }) => id === order)?.values;
  if (values === undefined) return [...files].sort(by[order] ?? by.newest);
  return [...files].sort((a, b) => {
    const [left, right] = [values.get(a.id)?.key, values.get(b.id)?.key];
    if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? 1 : -1;
    return compareNames(left, right);
  });
}
