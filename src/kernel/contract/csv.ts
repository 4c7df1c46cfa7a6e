/** The mark by which Excel recognises UTF-8; it begins a file. */
export const CSV_START = '\uFEFF';

/**
 * One line of a CSV file (RFC 4180) with its line break. A text that a spreadsheet would take for a formula gets an
 * apostrophe in front, because strangers write the texts (docs/security-attacks.md, attack 38).
 */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // Also behind spaces, and in the wide forms that some programs fold.
  const isFormula = /^[\s\p{Cc}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20|%]/u.test(value) || /^[\t\r\n]/.test(value);
  const safe = isFormula ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
