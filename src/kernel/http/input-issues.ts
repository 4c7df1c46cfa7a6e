import type { z } from 'zod';

/** The largest number of wrong fields that a reply names. */
const MAX_NAMED_FIELDS = 20;

/** What is wrong with an input, for a 400: the first field, and every named field with its reason. */
export interface InputIssues {
  readonly field: string;
  readonly reason: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The issues of a failed parse; `body` stands for the input as a whole. */
export function inputIssues({ issues }: z.ZodError): InputIssues {
  const named = issues
    .slice(0, MAX_NAMED_FIELDS)
    .map((issue): [string, string] => [issue.path.join('.') || 'body', issue.message]);
  const [field, reason] = named[0] ?? ['body', 'not valid'];
  return { field, reason, fields: Object.fromEntries(named) };
}
