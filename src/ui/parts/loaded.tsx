import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** Shows the data of a query, or until then that it loads, or why it failed. */
export function Loaded<T>({
  query,
  children,
}: {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error === null)
    return (
      <div className="panel pad meta" aria-busy="true">
        One moment…
      </div>
    );
  return (
    <div className="panel empty" role="alert">
      <b>This could not be loaded</b>
      <p className="meta">{query.error.message}</p>
      <Button small look="quiet" onClick={() => void query.refetch()}>
        Try again
      </Button>
    </div>
  );
}

/**
 * The same for a page of the dashboard, where a heading says what failed.
 *
 * @param failed for example 'The rules could not be loaded'
 */
export function LoadedPage<T>({
  query,
  failed,
  children,
}: {
  query: UseQueryResult<T>;
  failed: string;
  children: (data: T) => ReactNode;
}) {
  if (query.isError)
    return (
      <section className="panel empty" role="alert">
        <h2>{failed}</h2>
        <Button look="quiet" onClick={() => void query.refetch()}>
          Try again
        </Button>
      </section>
    );
  if (query.data === undefined)
    return (
      <p className="meta" aria-busy="true">
        Loading…
      </p>
    );
  return children(query.data);
}
