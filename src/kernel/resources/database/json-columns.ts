/**
 * The types of JSON columns. The feature that owns a column declares its type, because everything that it
 * writes there has that shape: `declare module '…/json-columns.ts' { interface JsonColumns {
 * 'private.things.data': Thing } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the features
export interface JsonColumns {}

/** The type of a JSON column; `unknown` when no feature has declared it. */
export type JsonColumn<Name extends string> = Name extends keyof JsonColumns ? JsonColumns[Name] : unknown;
