const OPERATION = /\b(select|insert|update|delete|call)\b/i;
const TABLE = /\b(?:from|into|update|join)\s+("?[\w$]+"?(?:\."?[\w$]+"?)?)/i;
const LONGEST = 80;

/**
 * The summary of a statement for a span (`db.query.summary` of OpenTelemetry): its operation and the first
 * table that it names, e.g. `insert private.mails`. It contains no other part of the text, and no values.
 */
export function statementName(text: string): string {
  const operation = OPERATION.exec(text)?.[1]?.toLowerCase() ?? 'statement';
  const table = TABLE.exec(text)?.[1]?.replaceAll('"', '');
  return (table === undefined ? operation : `${operation} ${table}`).slice(0, LONGEST);
}
