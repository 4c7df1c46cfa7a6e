/**
 * The typed form of a request's query string: the parsers make it and the compilers read it. It contains no
 * SQL.
 */

/** A column, or a place inside a JSON column: `data->a->>b`. */
export interface Place {
  readonly column: string;
  readonly path: readonly PathStep[];
}

/** One arrow: `text` for `->>`, else `->`. A key that is a whole number counts as an index. */
export interface PathStep {
  readonly key: string;
  readonly text: boolean;
}

export type Aggregate = 'sum' | 'avg' | 'min' | 'max' | 'count';

/** `alias:column->path::cast.sum()::cast` */
export interface SelectColumn {
  readonly kind: 'column';
  /** Undefined for `count()` over rows. */
  readonly place: Place | undefined;
  readonly alias: string | undefined;
  readonly cast: string | undefined;
  readonly aggregate: Aggregate | undefined;
  readonly aggregateCast: string | undefined;
}

/** `alias:target!hint!inner(select)`, or `...target(select)` to spread its columns. */
export interface SelectEmbed {
  readonly kind: 'embed';
  readonly target: string;
  readonly alias: string | undefined;
  readonly hint: string | undefined;
  readonly inner: boolean;
  readonly spread: boolean;
  readonly select: readonly SelectItem[];
}

export type SelectItem = { readonly kind: 'star' } | SelectColumn | SelectEmbed;

export type Quantifier = 'any' | 'all';

/** One comparison. `values` is set for `in`, `value` for the rest. */
export interface Comparison {
  readonly kind: 'comparison';
  readonly place: Place;
  readonly negated: boolean;
  readonly operator: string;
  readonly quantifier: Quantifier | undefined;
  /** The text-search configuration of `fts(english)`. */
  readonly language: string | undefined;
  readonly value: string;
  readonly values: readonly string[] | undefined;
}

export interface LogicGroup {
  readonly kind: 'and' | 'or';
  readonly negated: boolean;
  readonly conditions: readonly Condition[];
}

export type Condition = Comparison | LogicGroup;

export interface OrderTerm {
  /** Name of a to-one embed whose column orders the rows: `order=author(name)`. */
  readonly embed: string | undefined;
  readonly place: Place;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | undefined;
}

/** The filters, order and limits of one level: the root, or the embed at a dotted path. */
export interface Level {
  readonly conditions: Condition[];
  order: readonly OrderTerm[];
  limit: number | undefined;
  offset: number;
}

/** A whole query string. */
export interface QueryTree {
  readonly select: readonly SelectItem[];
  readonly root: Level;
  /** Keys are embed names joined by dots. */
  readonly embeds: ReadonlyMap<string, Level>;
  readonly columns: readonly string[] | undefined;
  readonly onConflict: readonly string[] | undefined;
}
