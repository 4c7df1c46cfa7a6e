import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { operatorQuery } from './operator-client.web.ts';
import { addressOf, recordIn } from './record-address.web.ts';

/** The filters of a list that the operator has chosen. */
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
  /** The filters of the first request. */
  readonly filters: Chosen;
  /** The page's address: the open row then has an address of its own below it. Without it, only this page knows. */
  readonly address?: string;
}

/**
 * The state of one list of the console: the rows of `GET operator-NAME` page by page, the search text, the filters and the
 * open row. Another search or filter starts at the first page again.
 */
export function useConsoleList<Page extends ListPage, Chosen extends Filters = Filters>(
  name: string,
  start: ListStart<Chosen>,
) {
  const [filters, setFilters] = useState(start.filters);
  const [q, setQ] = useState('');
  const [ends, setEnds] = useState<readonly string[]>([]);
  const [path, navigate] = useLocation();
  const [held, setHeld] = useState<string>();
  const { address } = start;
  const openId = address === undefined ? held : recordIn(path, address);
  const query = useQuery({
    ...operatorQuery<Page>(name, { ...filters, q, after: ends.at(-1) ?? '' }),
    placeholderData: keepPreviousData,
  });
  return {
    query,
    filters,
    q,
    /** The end of each earlier page, for `ListPages`. */
    ends,
    setEnds,
    openId,
    /** Opens a row; undefined closes the open one. */
    open(id: string | undefined): void {
      if (address === undefined) setHeld(id);
      else if (id !== openId) navigate(id === undefined ? address : addressOf(address, id));
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
