/** A column. Types are SQL as PostgreSQL prints them (`format_type`), without a length. */
export interface Column {
  readonly name: string;
  readonly type: string;
  /** Short name of the type, e.g. `int4`, `_text`. */
  readonly shortType: string;
  /** `g` generic, `j` json or jsonb, `t` tsvector: how operators treat it. */
  readonly family: 'json' | 'tsvector' | 'other';
  /** SQL of the default, from the catalogue; for an identity column the next value of its sequence. */
  readonly fallback: string | null;
}

/** A table or view. */
export interface Relation {
  readonly schema: string;
  readonly name: string;
  readonly isTable: boolean;
  readonly columns: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly string[];
}

/** `table(columns)` refers to `target(targetColumns)`; either may be a view that shows the columns. */
export interface ForeignKey {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** `table` is the table itself, or a view of one that the schema does not have. */
  readonly tableIsMain: boolean;
  readonly target: string;
  readonly targetColumns: readonly string[];
  readonly targetIsMain: boolean;
  /** The referring columns are unique, so the reverse is to-one as well. */
  readonly unique: boolean;
}

/** A function of a row of `table` whose results are rows of `target`: a relationship by its name. */
export interface ComputedRelationship {
  readonly name: string;
  readonly table: string;
  readonly target: string;
  readonly toOne: boolean;
}

export interface Argument {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly variadic: boolean;
}

/** A function that can be called by name. */
export interface Routine {
  readonly schema: string;
  readonly name: string;
  readonly args: readonly Argument[];
  readonly returnsSet: boolean;
  readonly returns: 'void' | 'scalar' | 'composite';
  /** Columns of a composite result. */
  readonly columns: ReadonlyMap<string, Column>;
  /** Table whose row type is returned, so that its relations can be embedded. */
  readonly relation: string | null;
  /** Only stable and immutable ones run read-only when called by POST. */
  readonly volatile: boolean;
}

/** What requests to one schema may name. */
export interface Schema {
  readonly name: string;
  readonly relations: ReadonlyMap<string, Relation>;
  readonly foreignKeys: readonly ForeignKey[];
  readonly computed: readonly ComputedRelationship[];
  /** By relation, its columns together with its computed fields; only relations that have some. */
  readonly withFields: ReadonlyMap<string, ReadonlyMap<string, Column>>;
  readonly routines: ReadonlyMap<string, readonly Routine[]>;
}
