/** The address of one record of a page of the console, as `/operator/enquiries/ENQ-1-a`. */
export const addressOf = (page: string, id: string): string => `${page}/${encodeURIComponent(id)}`;

/** The id of the record in an address; undefined for the page itself and for other pages. */
export function recordIn(path: string, page: string): string | undefined {
  const rest = path.startsWith(`${page}/`) ? path.slice(page.length + 1).split('/')[0] : '';
  return rest === undefined || rest === '' ? undefined : decodeURIComponent(rest);
}
