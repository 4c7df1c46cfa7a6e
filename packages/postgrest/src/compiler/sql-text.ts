/**
 * Collects the values of one statement. Its text contains only `$n`, names from `quoteName`, and our own
 * words.
 */
export class Parameters {
  readonly values: (string | null)[] = [];

  /** Binds a value and returns its placeholder. */
  bind(value: string | null): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** A name as an SQL identifier. The parser has already refused zero bytes. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Names as a list of SQL identifiers. */
export function quoteNames(names: readonly string[]): string {
  return names.map(quoteName).join(', ');
}

/** Schemas in which SQL finds names without a schema, besides the served one; as on the hosted stack. */
const FURTHER_SCHEMAS = ['public', 'extensions'];

/** The `search_path` for statements on a served schema. */
export function searchPathOf(schema: string): string {
  return quoteNames([...new Set([schema, ...FURTHER_SCHEMAS])]);
}

/** A table, view or function with its schema as an SQL identifier. */
export function quoteQualified({ schema, name }: { readonly schema: string; readonly name: string }): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

/** Texts as an array literal, to be bound as a value. */
export function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
