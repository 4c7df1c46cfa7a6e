import type { RefObject } from 'react';
import { Link } from 'wouter';
import { PAGES } from '../../../kernel/contract/routes.ts';
import type { FileRecord } from '../file-record.web.ts';
import { type FileColumn, isWanted } from './file-columns.web.ts';
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
  /** Further columns, in whose values the text is looked for too. */
  readonly columns: readonly FileColumn[];
}

/** Limits both lists to one state, and to names that contain the typed text; Escape shows all names again. */
export function FileFilter({ field, files, wanted, onWanted, state, onState, columns }: FileFilterProps) {
  if (files.length < WORTH_FILTERING && wanted === '' && state === 'all') return null;
  const inState = files.filter(FILE_STATES[state].has);
  const count = inState.filter((file) => isWanted(file, wanted, columns)).length;
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
      <label htmlFor="file-filter">
        {columns.length === 0 ? 'Filter by name' : 'Filter by name or field'}
      </label>
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

interface SortChoiceProps {
  readonly order: FileOrder;
  readonly onOrder: (order: FileOrder) => void;
  readonly columns: readonly FileColumn[];
}

/** The select box for the order of both lists. */
export function SortChoice({ order, onOrder, columns }: SortChoiceProps) {
  return (
    <label className="filter file-order">
      Sort by
      <select value={order} onChange={({ currentTarget }) => onOrder(currentTarget.value)}>
        {Object.entries(FILE_ORDERS).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
        {columns.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
