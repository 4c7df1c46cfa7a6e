import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** The data of a query; until there is any, that it loads or why it could not. */
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
