/** Where the documents of a file begin: pages in order, the first of them 1. */
export type Begins = readonly number[];

/** One document of the file: its first and its last page. */
export interface PageGroup {
  readonly from: number;
  readonly to: number;
}

/** The documents of a file with `pages` pages. */
export function groupsOf(begins: Begins, pages: number): PageGroup[] {
  return begins.map((from, index) => ({ from, to: (begins[index + 1] ?? pages + 1) - 1 }));
}

/** A document more begins on the page. */
export function splitAt(begins: Begins, page: number): Begins {
  return [...new Set([...begins, page])].sort((a, b) => a - b);
}

/** The document that begins on the page joins the one before it. */
export function joinAt(begins: Begins, page: number): Begins {
  return begins.filter((each) => each !== page || each === 1);
}

/** Moves a border to before the page `to`, as far as its neighbours leave each document a page. */
export function moveBorder(begins: Begins, border: number, to: number, pages: number): Begins {
  const at = begins.indexOf(border);
  if (at < 1) return begins;
  const least = (begins[at - 1] ?? 0) + 1;
  const most = (begins[at + 1] ?? pages + 1) - 1;
  return begins.with(at, Math.min(most, Math.max(least, to)));
}

/**
 * Moves a page into the document that begins at `into`. As documents have pages in order, the pages between the page and that
 * document go with it.
 */
export function movePage(begins: Begins, page: number, into: number, pages: number): Begins {
  const group = groupsOf(begins, pages).find(({ from, to }) => from <= page && page <= to);
  if (group === undefined || group.from === into) return begins;
  if (into > page)
    return splitAt(
      begins.filter((each) => each < page || each > into),
      page,
    );
  const kept = begins.filter((each) => each <= into || each > page);
  return page === group.to ? kept : splitAt(kept, page + 1);
}
