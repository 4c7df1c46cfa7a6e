const OPERATION = /\b(select|insert|update|delete|call)\b/i;
const TABLE = /\b(?:from|into|update|join)\s+("?[\w$]+"?(?:\."?[\w$]+"?)?)/i;
const LONGEST = 80;

/**
 * What a statement does, for a span: its operation and the first table that it names, `insert private.mails` (the
 * `db.query.summary` of OpenTelemetry). Nothing else of its text, and none of its values.
 */
export function statementName(text: string): string {
  const operation = OPERATION.exec(text)?.[1]?.toLowerCase() ?? 'statement';
  const table = TABLE.exec(text)?.[1]?.replaceAll('"', '');
  return (table === undefined ? operation : `${operation} ${table}`).slice(0, LONGEST);
}
