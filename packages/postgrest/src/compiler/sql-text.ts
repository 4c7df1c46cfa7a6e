/** Collects the values of one statement; the text only ever holds `$n`, names from `quoteName`, and our own words. */
export class Parameters {
  readonly values: (string | null)[] = [];

  /** The placeholder of a value. */
  bind(value: string | null): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** A name as an SQL identifier. Zero bytes were refused by the parser. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Names as a list of SQL identifiers. */
export function quoteNames(names: readonly string[]): string {
  return names.map(quoteName).join(', ');
}

/** Where SQL finds what it names without a schema, besides the schema that is served: as on the hosted stack. */
const FURTHER_SCHEMAS = ['public', 'extensions'];

/** The `search_path` of whatever is done for a schema that is served. */
export function searchPathOf(schema: string): string {
  return quoteNames([...new Set([schema, ...FURTHER_SCHEMAS])]);
}

/** A table, view or function with its schema as an SQL identifier. */
export function quoteQualified({ schema, name }: { readonly schema: string; readonly name: string }): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

/** Texts as one array literal, to be bound as a value. */
export function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
