import type { RefObject } from 'react';
import type { FileRecord } from '../file-record.web.ts';
import { FILE_ORDERS, type FileOrder } from './file-sorting.web.ts';

/** With fewer files there is nothing to search. */
const WORTH_FILTERING = 5;

interface FileFilterProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly files: readonly FileRecord[];
  readonly wanted: string;
  readonly onWanted: (wanted: string) => void;
}

/** Narrows both lists to the files whose names contain what is typed; Escape shows all again. */
export function FileFilter({ field, files, wanted, onWanted }: FileFilterProps) {
  if (files.length < WORTH_FILTERING && wanted === '') return null;
  const count = files.filter((file) => isWanted(file, wanted)).length;
  return (
    <search className="filter">
      <label htmlFor="file-filter">Filter by name</label>
      <input
        ref={field}
        id="file-filter"
        type="search"
        autoComplete="off"
        spellCheck={false}
        value={wanted}
        onChange={({ currentTarget }) => onWanted(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Escape' && onWanted('')}
      />
      <span className="meta" role="status">
        {wanted === '' ? '' : `${count} of ${files.length}`}
      </span>
    </search>
  );
}

/** Whether a file's name contains what is looked for, whatever the case. */
export function isWanted(file: FileRecord, wanted: string): boolean {
  return file.file_name.toLocaleLowerCase().includes(wanted.trim().toLocaleLowerCase());
}

interface SortChoiceProps {
  readonly order: FileOrder;
  readonly onOrder: (order: FileOrder) => void;
}

/** The select over both lists. */
export function SortChoice({ order, onOrder }: SortChoiceProps) {
  return (
    <label className="filter file-order">
      Sort by
      <select value={order} onChange={({ currentTarget }) => onOrder(currentTarget.value as FileOrder)}>
        {Object.entries(FILE_ORDERS).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
