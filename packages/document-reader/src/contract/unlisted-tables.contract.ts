/** The sentence about tables that a report leaves out, for its page and its files. */
export function unlistedTables(count: number): string {
  return count === 1
    ? '1 more table of the document is not listed.'
    : `${count} more tables of the document are not listed.`;
}
