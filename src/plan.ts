/**
 * The house on one page: which feature may import which others. A feature that is not
 * named on a line is given what it needs by `app.ts`. Checked by `tests/architecture.test.ts`.
 */
export const FEATURE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  functions: [],
  auth: [],
  mailbox: [],
  rest: [],
  realtime: ['rest'],
  storage: [],
  files: ['functions', 'storage', 'billing'],
  billing: ['functions'],
  analysis: ['functions', 'files', 'storage'],
  enquiries: ['functions'],
  news: ['functions'],
  statistics: ['functions'],
  operator: ['functions'],
  voice: ['storage', 'analysis'],
};

/** Files that may be longer than 300 lines, each with the reason. */
export const LONG_FILES: Readonly<Record<string, string>> = {};
