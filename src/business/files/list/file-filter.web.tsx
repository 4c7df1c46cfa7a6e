import type { RefObject } from 'react';
import { Link } from 'wouter';
import { PAGES } from '../../../kernel/contract/routes.ts';
import type { FileRecord } from '../file-record.web.ts';
import { FILE_ORDERS, type FileOrder } from './file-sorting.web.ts';
import { FILE_STATES, type FileState } from './file-states.web.ts';

const FILE_STATE_NAMES = Object.keys(FILE_STATES) as FileState[];

/** With fewer files a filter is not worth showing. */
const WORTH_FILTERING = 5;

interface FileFilterProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly files: readonly FileRecord[];
  readonly wanted: string;
  readonly onWanted: (wanted: string) => void;
  readonly state: FileState;
  readonly onState: (state: FileState) => void;
}

/** Limits both lists to one state, and to names that contain the typed text; Escape shows all names again. */
export function FileFilter({ field, files, wanted, onWanted, state, onState }: FileFilterProps) {
  if (files.length < WORTH_FILTERING && wanted === '' && state === 'all') return null;
  const inState = files.filter(FILE_STATES[state].has);
  const count = inState.filter((file) => isWanted(file, wanted)).length;
  return (
    <search className="filter">
      <fieldset className="file-states">
        <legend className="hidden-text">State</legend>
        {FILE_STATE_NAMES.map((name) => (
          <button key={name} type="button" aria-pressed={name === state} onClick={() => onState(name)}>
            {FILE_STATES[name].words}{' '}
            <span className="num">{files.filter(FILE_STATES[name].has).length}</span>
          </button>
        ))}
      </fieldset>
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
        {wanted === '' ? '' : `${count} of ${inState.length}`}
      </span>
      {wanted.trim() !== '' && (
        <Link className="text-btn" href={`${PAGES.search.path}?q=${encodeURIComponent(wanted.trim())}`}>
          Search the contents for “{wanted.trim()}”
        </Link>
      )}
    </search>
  );
}

/** Whether a file's name contains the text, in any letter case. */
export function isWanted(file: FileRecord, wanted: string): boolean {
  return file.file_name.toLocaleLowerCase().includes(wanted.trim().toLocaleLowerCase());
}

interface SortChoiceProps {
  readonly order: FileOrder;
  readonly onOrder: (order: FileOrder) => void;
}

/** The select box for the order of both lists. */
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
