import type { Rule } from './rule.ts';

/**
 * Most characters of a serialised app message and of serialised user data (docs/specification/platform.md
 * §9).
 */
export const LARGEST_MESSAGE = 4096;

/** The text that would be sent, or the error of serialising it. Undefined serialises to nothing. */
function serialise(value: unknown): { text: string } | { error: unknown } {
  if (typeof value === 'string') return { text: value };
  try {
    return { text: JSON.stringify(value) ?? '' };
  } catch (error) {
    return { error };
  }
}

const lengthOf = (value: unknown): number => {
  const outcome = serialise(value);
  return 'text' in outcome ? outcome.text.length : 0;
};

/** An app message: at most 4096 characters when serialised, with the quotes of a bare string. */
export const APP_MESSAGE_RULES = [
  {
    name: 'too large',
    broken: (data) => (JSON.stringify(data) ?? '').length > LARGEST_MESSAGE,
    text: 'Message data too large. Max size is 4096',
  },
] as const satisfies readonly Rule<unknown>[];

/** User data: serialisable, at most 4096 characters. "suppported" is the spelling of the contract. */
export const USER_DATA_RULES = [
  {
    name: 'not serialisable',
    broken: (data) => 'error' in serialise(data),
    text: (data) => {
      const outcome = serialise(data);
      return `userData must be serializable to JSON: ${'error' in outcome ? outcome.error : ''}`;
    },
  },
  {
    name: 'too large',
    broken: (data) => lengthOf(data) > LARGEST_MESSAGE,
    text: (data) =>
      `userData is too large (${lengthOf(data)} characters). Maximum size suppported is ${LARGEST_MESSAGE}.`,
  },
] as const satisfies readonly Rule<unknown>[];

/** The interval of a level observer in milliseconds; 0 and undefined mean the default. */
export const LEVEL_INTERVAL_RULES = [
  {
    name: 'too short or no number',
    broken: (interval) => Boolean(interval) && (typeof interval !== 'number' || !(interval >= 100)),
    text: 'The interval must be a number greater than or equal to 100 milliseconds.',
  },
] as const satisfies readonly Rule<unknown>[];
