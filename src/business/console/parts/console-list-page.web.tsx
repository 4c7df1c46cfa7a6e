import { Fragment, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import type { ConsoleList, ListPage } from './console-list.web.ts';
import { EmptyState, ListPages, SearchField } from './console-parts.web.tsx';

type AnyList = Pick<ConsoleList<ListPage>, 'q' | 'ends' | 'setEnds' | 'openId' | 'open' | 'search'>;

/** The content of one row. */
interface RowWords {
  readonly id: string;
  readonly name: ReactNode;
  readonly about: ReactNode;
  /** Under the name. */
  readonly badge?: ReactNode;
  /** At the end of the row, with `note` under it. */
  readonly state?: ReactNode;
  readonly note?: ReactNode;
  /** At the end of the row, instead of a state. */
  readonly mark?: ReactNode;
}

interface ListProps<Page extends ListPage> {
  readonly list: AnyList & Pick<ConsoleList<Page>, 'query'>;
  readonly searchLabel: string;
  /** Filters beside the search. */
  readonly filters?: ReactNode;
  /** The sentence of an empty list without a search. */
  readonly empty: string;
  /** The sentence beside the list while no row is open; without it, rows open elsewhere and the list has the whole width. */
  readonly hint?: string;
  readonly className?: string;
  /** The rows, usually as `OpenRows`. */
  readonly rows: (rows: Page['rows']) => ReactNode;
  /** Renders the open row; null when it is no longer on the page. */
  readonly panel: (id: string, onBack: () => void) => ReactNode;
}

/** A list with a search, filters and pages. The open row appears beside it. */
export function ConsoleListView<Page extends ListPage>(props: ListProps<Page>) {
  const { list, searchLabel, filters, empty, className = '' } = props;
  const { openId } = list;
  const panel = openId === undefined ? null : props.panel(openId, () => list.open(undefined));
  const place = useOpenPlace(openId);
  return (
    <>
      <div className="console-tools">
        <SearchField label={searchLabel} onSettled={list.search} />
        {filters}
      </div>
      <div className={`console ${className}`.trim()} data-open={panel === null ? undefined : ''}>
        <div className="console-list" ref={place}>
          <Loaded query={list.query}>
            {({ rows, next }) => (
              <>
                {rows.length === 0 ? (
                  <EmptyState>{list.q === '' ? empty : 'Nothing was found.'}</EmptyState>
                ) : (
                  props.rows(rows)
                )}
                <ListPages ends={list.ends} next={next} onEnds={list.setEnds} />
              </>
            )}
          </Loaded>
        </div>
        {panel === null ? (
          props.hint !== undefined && <p className="console-hint meta">{props.hint}</p>
        ) : (
          <Fragment key={openId}>{panel}</Fragment>
        )}
      </div>
    </>
  );
}

/**
 * Notes on the list where its open record stands or stood, for the keys that move in it: the record may leave the list while
 * it is open.
 */
function useOpenPlace(openId: string | undefined): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (list.current === null) return;
    const rows = [...list.current.querySelectorAll('[data-record]')];
    const at = rows.findIndex((row) => row.ariaCurrent === 'true');
    if (openId === undefined) delete list.current.dataset.openPlace;
    else if (at >= 0) list.current.dataset.openPlace = String(at);
  });
  return list;
}

interface OpenRowsProps {
  readonly list: Pick<AnyList, 'openId' | 'open'>;
  readonly rows: readonly RowWords[];
}

/** Rows of buttons; a press opens the row beside the list. */
export function OpenRows({ list: { openId, open }, rows }: OpenRowsProps) {
  return (
    <ul className="panel rows people">
      {rows.map(({ id, name, about, badge, state, note, mark }) => (
        <li key={id}>
          <button
            type="button"
            data-record=""
            aria-current={id === openId ? 'true' : undefined}
            onClick={() => open(id)}
          >
            <span className="name">
              <b>{name}</b>
              <span className="meta">{about}</span>
              {badge}
            </span>
            {state !== undefined && (
              <span className="people-plan num">
                <b>{state}</b>
                <span className="meta">{note}</span>
              </span>
            )}
            {mark}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface PanelProps {
  /** The name of the panel for screen readers. */
  readonly label: string;
  readonly className?: string;
  readonly onBack: () => void;
  readonly children: ReactNode;
}

/** The open row beside its list. It takes the focus when it opens. */
export function ConsolePanel({ label, className = '', onBack, children }: PanelProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  return (
    <article
      className={`panel pad console-panel ${className}`.trim()}
      aria-label={label}
      ref={panel}
      tabIndex={-1}
    >
      <button type="button" className="text-btn console-back" onClick={onBack}>
        Back to the list
      </button>
      {children}
    </article>
  );
}
