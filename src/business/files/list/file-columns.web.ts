import type { FileRecord } from '../file-record.web.ts';

/** What a file has in a further column of the lists. */
export interface ColumnValue {
  readonly text: string;
  /** What it is sorted by, for example an ISO date. */
  readonly key: string;
  readonly isSure: boolean;
}

/** A further column of the lists: something that is known of some files. */
export interface FileColumn {
  readonly id: string;
  readonly name: string;
  /** By the file's id. */
  readonly values: ReadonlyMap<string, ColumnValue>;
}

/** Whether a file's name, or its value in a further column, contains the text, in any letter case. */
export function isWanted(file: FileRecord, wanted: string, columns: readonly FileColumn[]): boolean {
  const has = (text = ''): boolean => text.toLocaleLowerCase().includes(wanted.trim().toLocaleLowerCase());
  return has(file.file_name) || columns.some(({ values }) => has(values.get(file.id)?.text));
}
