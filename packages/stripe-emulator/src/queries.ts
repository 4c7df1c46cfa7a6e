import type { Statements } from './statements.generated.ts';

/** The values of a statement as the last argument of a call; left out when it takes none. */
type ValuesOf<Text extends keyof Statements> = Statements[Text]['values'] extends []
  ? [values?: readonly []]
  : [values: Given<Statements[Text]['values']>];
/** Every value may be null, and `pg` sends null for undefined. */
type Given<Values extends readonly unknown[]> = {
  readonly [At in keyof Values]: Values[At] | null | undefined;
};

/** What the provider asks of PostgreSQL: its own statements, each with the types of its values and its rows. */
export interface Queries {
  /** All rows. */
  many<Text extends keyof Statements>(
    text: Text,
    ...values: ValuesOf<Text>
  ): Promise<Statements[Text]['row'][]>;
  /** The first row or undefined. */
  maybe<Text extends keyof Statements>(
    text: Text,
    ...values: ValuesOf<Text>
  ): Promise<Statements[Text]['row'] | undefined>;
  /** The only row. @throws Error when there is none */
  one<Text extends keyof Statements>(text: Text, ...values: ValuesOf<Text>): Promise<Statements[Text]['row']>;
  /** Returns the number of rows changed. */
  run<Text extends keyof Statements>(text: Text, ...values: ValuesOf<Text>): Promise<number>;
}

/** The host's database. */
export interface Database extends Queries {
  /** Several statements that happen together or not at all. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
}
