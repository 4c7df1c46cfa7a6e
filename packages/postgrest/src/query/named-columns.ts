import type { Condition, QueryTree } from './query-tree.ts';

/** Names of the columns that a query takes from the rows of its root, without those that only filter. */
export function selectedColumns({ select, root }: Pick<QueryTree, 'select' | 'root'>): string[] {
  const selected = select.map((item) => (item.kind === 'column' ? item.place?.column : undefined));
  const ordered = root.order.filter(({ embed }) => embed === undefined).map(({ place }) => place.column);
  return [...selected, ...ordered].filter((name) => name !== undefined);
}

/** Names of the columns that conditions compare. */
export function comparedColumns(conditions: readonly Condition[]): string[] {
  return conditions.flatMap((one) =>
    one.kind === 'comparison' ? [one.place.column] : comparedColumns(one.conditions),
  );
}
