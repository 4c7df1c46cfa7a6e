import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { operatorQuery } from './operator-client.web.ts';

/** What the reader of a list has chosen beside the words. */
type Filters = Readonly<Record<string, string>>;

/**
 * One list of the console, page by page: the rows of `GET operator-NAME`, the words searched for and the filters. Other
 * words or filters begin at the first page again.
 */
export function useConsoleList<Page, Chosen extends Filters = Filters>(name: string, first: Chosen) {
  const [filters, setFilters] = useState(first);
  const [q, setQ] = useState('');
  const [ends, setEnds] = useState<readonly string[]>([]);
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
