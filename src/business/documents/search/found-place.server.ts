import type { Cite } from '@northline/document-reader/report.contract';
import { escapePattern } from '@northline/document-reader/text-pattern.contract';
import type { SnippetPart } from './document-search.contract.ts';
import type { PassagePlace } from './passage-building.server.ts';

/** From the first character of a found word to the one after its last. */
export type Span = readonly [start: number, end: number];

/** The marks that PostgreSQL puts around found words: characters that no stored text contains. */
export const MARKS = { start: '\u0001', end: '\u0002' } as const;

const SNIPPET = 240;
const LEAD = 60;

/**
 * The places of the words that `ts_headline` has marked. The search for each starts after the one before, as the headline
 * leaves out text that it takes for markup.
 */
export function markedSpans(text: string, headline: string): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const part of headline.split(MARKS.start).slice(1)) {
    const word = part.slice(0, part.indexOf(MARKS.end));
    const at = word === '' ? -1 : text.indexOf(word, from);
    if (at === -1) continue;
    spans.push([at, at + word.length]);
    from = at + word.length;
  }
  return spans;
}

/**
 * Without the parts of an amount that stand alone: the database marks every 1 and every 350 where 1,350 is searched.
 *
 * @param query as `tsquery`
 */
export function wholeAmounts(spans: readonly Span[], text: string, query: string): Span[] {
  const parts = new Set([...query.matchAll(/'(\d+)' <-> '(\d[\d.]*)'/g)].flatMap(([, ...pair]) => pair));
  const touches = (a: Span | undefined, b: Span | undefined): boolean =>
    a !== undefined && b?.[0] === a[1] + 1;
  return spans.filter(
    (span, at) =>
      !parts.has(text.slice(...span)) || touches(spans[at - 1], span) || touches(span, spans[at + 1]),
  );
}

/** Every place of `letters` in the text, ignoring case. */
export function letterSpans(text: string, letters: string): Span[] {
  const pattern = new RegExp(escapePattern(letters.trim()), 'giu');
  return [...text.matchAll(pattern)].slice(0, 50).map(({ index, 0: found }) => [index, index + found.length]);
}

/** The part of a passage with most of the words, these marked, and the citation of the words. */
export function showPlace(
  passage: { text: string; page: number | null; places: readonly PassagePlace[] },
  spans: readonly Span[],
): { snippet: SnippetPart[]; cite: Cite | undefined } {
  const first = densest(spans);
  const from = Math.max(0, (first?.[0] ?? 0) - LEAD);
  const start = from === 0 ? 0 : passage.text.indexOf(' ', from) + 1 || from;
  const stop = Math.min(passage.text.length, start + SNIPPET);
  const inside = spans.filter(([begin, end]) => begin >= start && end <= stop);
  const cut = { start: start > 0, end: stop < passage.text.length };
  return { snippet: snippetOf(passage.text, { start, stop }, inside, cut), cite: citeOf(passage, inside) };
}

/** The first word of the part with most words within a snippet's length. */
function densest(spans: readonly Span[]): Span | undefined {
  let best: Span | undefined;
  let most = 0;
  for (const span of spans) {
    const count = spans.filter(([begin]) => begin >= span[0] && begin < span[0] + SNIPPET - LEAD).length;
    if (count > most) [best, most] = [span, count];
  }
  return best;
}

function snippetOf(
  text: string,
  { start, stop }: { start: number; stop: number },
  spans: readonly Span[],
  cut: { start: boolean; end: boolean },
): SnippetPart[] {
  const parts: SnippetPart[] = [];
  let at = start;
  for (const [begin, end] of spans) {
    if (begin > at) parts.push({ text: text.slice(at, begin), hit: false });
    parts.push({ text: text.slice(begin, end), hit: true });
    at = end;
  }
  if (at < stop) parts.push({ text: text.slice(at, stop), hit: false });
  const ellipsis = { text: '…', hit: false };
  return [...(cut.start ? [ellipsis] : []), ...parts, ...(cut.end ? [ellipsis] : [])];
}

/** The citation from the first of the words to the last one in the same block. */
export function citeOf(
  { text, page, places }: { text: string; page: number | null; places: readonly PassagePlace[] },
  spans: readonly Span[],
): Cite | undefined {
  const [first] = spans;
  if (first === undefined) return undefined;
  const index = places.findLastIndex(({ at }) => at <= first[0]);
  const place = places[index];
  if (place === undefined) return undefined;
  const limit = places[index + 1]?.at ?? Number.POSITIVE_INFINITY;
  const last = spans.findLast(([, end]) => end <= limit) ?? first;
  const shift = place.start - place.at;
  return {
    block: place.block,
    ...(page === null ? {} : { page }),
    quote: text.slice(first[0], last[1]),
    start: first[0] + shift,
    end: last[1] + shift,
  };
}
