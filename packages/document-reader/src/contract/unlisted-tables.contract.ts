/** What is said of tables that a report does not hold, on its page and in its files. */
export function unlistedTables(count: number): string {
  return count === 1
    ? '1 more table of the document is not listed.'
    : `${count} more tables of the document are not listed.`;
}
