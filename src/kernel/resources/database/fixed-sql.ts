import type { Statements } from './statements.generated.ts';

/** A statement whose text is in the sources, and which `npm run lint` checks against the schema. */
export type FixedSql = keyof Statements;

/** A row that a fixed statement returns. */
export type RowOf<Text extends FixedSql> = Statements[Text]['row'];

/** The values of a fixed statement as the last argument of a call; left out when it takes none. */
export type ValuesOf<Text extends FixedSql> = Text extends FixedSql
  ? Statements[Text]['values'] extends []
    ? [values?: readonly []]
    : [values: Given<Statements[Text]['values']>]
  : never;
/** Every value may be null, and `pg` sends null for undefined. */
type Given<Values extends readonly unknown[]> = {
  readonly [At in keyof Values]: Values[At] | null | undefined;
};

declare const rowType: unique symbol;

/** A statement that no tool checks, with the type of its rows as its author wrote it. */
export type UncheckedSql<Row> = string & { readonly [rowType]: Row };

/**
 * Why no tool can check a statement: `composed` of parts that depend on a request or a setting; a `command` such as
 * SAVEPOINT, which PostgreSQL does not prepare; about `foreign` tables, which the schema does not have.
 */
export type UncheckedReason = 'composed' | 'command' | 'foreign';

/**
 * Marks a statement that no tool checks, and states why and the type of its rows. `docs/database.md` lists
 * them.
 */
export function uncheckedSql<Row extends object>(text: string, _why: UncheckedReason): UncheckedSql<Row> {
  return text as UncheckedSql<Row>;
}
