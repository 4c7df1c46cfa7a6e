/** One line of a table of rules: the input that it refuses, and the exact words of the refusal. */
export interface Rule<Input> {
  /** Name of the line; a test that has no input for a name does not compile. */
  readonly name: string;
  readonly broken: (input: Input) => boolean;
  readonly text: string | ((input: Input) => string);
}

/**
 * Applies the lines of a table from top to bottom.
 *
 * @throws Error with the words of the first line that `input` breaks.
 */
export function enforce<Input>(rules: readonly Rule<Input>[], input: Input): void {
  const broken = rules.find((rule) => rule.broken(input));
  if (broken === undefined) return;
  throw new Error(typeof broken.text === 'string' ? broken.text : broken.text(input));
}

/** Whether `value` is an object with members: not null, not an array, not a function. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member `key` of anything, or undefined where there is none. */
export function member(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}
