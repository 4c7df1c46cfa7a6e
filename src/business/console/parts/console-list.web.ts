import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { operatorQuery } from './operator-client.web.ts';

/** What the reader of a list has chosen beside the words. */
type Filters = Readonly<Record<string, string>>;

/** One page of a list as the server sends it. */
export interface ListPage {
  readonly rows: readonly unknown[];
  /** Where the next page begins; null on the last one. */
  readonly next: string | null;
}

/** The id of a row that does not exist yet: its panel is an empty form. */
export const NEW_ROW = 'new';

interface ListStart<Chosen extends Filters> {
  /** Filters of the first look. */
  readonly filters: Chosen;
  /** The row that is open from the beginning. */
  readonly openId?: string | undefined;
}

/**
 * One list of the console, page by page: the rows of `GET operator-NAME`, the words searched for, the filters and the
 * open row. Other words or filters begin at the first page again.
 */
export function useConsoleList<Page extends ListPage, Chosen extends Filters = Filters>(
  name: string,
  start: ListStart<Chosen>,
) {
  const [filters, setFilters] = useState(start.filters);
  const [q, setQ] = useState('');
  const [ends, setEnds] = useState<readonly string[]>([]);
  const [openId, setOpenId] = useState(start.openId);
  const query = useQuery({
    ...operatorQuery<Page>(name, { ...filters, q, after: ends.at(-1) ?? '' }),
    placeholderData: keepPreviousData,
  });
  return {
    query,
    filters,
    q,
    /** Where each page that was left ends, for `ListPages`. */
    ends,
    setEnds,
    openId,
    /** Opens a row; undefined closes the open one. */
    open(id: string | undefined): void {
      setOpenId(id);
    },
    search(words: string): void {
      setQ(words);
      setEnds([]);
    },
    choose(next: Chosen): void {
      setFilters(next);
      setEnds([]);
    },
  };
}

/** What `useConsoleList` returns. */
export type ConsoleList<Page extends ListPage, Chosen extends Filters = Filters> = ReturnType<
  typeof useConsoleList<Page, Chosen>
>;
