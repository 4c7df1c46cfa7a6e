/**
 * What the JSON of a column looks like. The feature that owns the column says so, as everything that it writes there
 * has that shape: `declare module '…/json-columns.ts' { interface JsonColumns { 'private.things.data': Thing } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the features
export interface JsonColumns {}

/** The JSON of a column, `unknown` where nobody said what it looks like. */
export type JsonColumn<Name extends string> = Name extends keyof JsonColumns ? JsonColumns[Name] : unknown;
