/** An object as a stranger wrote it: nothing of it is sure. */
export type Given = Readonly<Record<string, unknown>>;

/** The value where it is an object, else an empty one. */
export const objectOf = (value: unknown): Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Given) : {};

/** The value where it is text, else an empty one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
