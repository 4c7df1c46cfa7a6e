import { setImmediate } from 'node:timers/promises';
import type { Block, Cite, Report, SensitiveData } from '@northline/document-reader/report.contract';
import { phrasePattern } from '@northline/document-reader/text-pattern.contract';
import type { SharedReport } from './report-share.contract.ts';

const BLOT = '█';
/** Replaces a text whose quote holds sensitive data in other words than the text. */
const LEFT_OUT = 'Left out, as it quotes sensitive data.';

/** Whether every sensitive place of a report is known, so that all can be left out. */
export function canRedact({ pii }: Pick<Report, 'pii'>): boolean {
  const places = (pii ?? []).reduce((sum, { cites }) => sum + cites.length, 0);
  return places <= MOST_PLACES && (pii?.every(({ count, cites }) => count === cites.length) ?? false);
}

const MOST_PLACES = 300;

/**
 * A shared report without its sensitive data. In the text each of its letters is blacked out, so that every other quote
 * keeps its place. Facts that quote it are dropped with their corrections, and no other text of the report repeats it.
 */
export async function redactShared(shared: SharedReport): Promise<SharedReport> {
  const { report, blocks, corrections } = shared;
  const places = (report.pii ?? []).flatMap(({ cites }) => cites);
  const blot = blotter(report.pii ?? []);
  const texts = await blottedTexts(blocks, places, blot);
  const touches = (cites: readonly Cite[]): boolean =>
    cites.some((cite) => texts.get(cite.block)?.slice(cite.start, cite.end) !== cite.quote);
  const quoted = (cite: Cite): Cite => ({
    ...cite,
    quote: texts.get(cite.block)?.slice(cite.start, cite.end) || BLOT,
  });
  const clean = <Part extends { readonly text: string; readonly cites: readonly Cite[] }>(
    part: Part,
  ): Part => {
    const text = blot(part.text);
    const isKept = text !== part.text || !touches(part.cites);
    return { ...part, text: isKept ? text : LEFT_OUT, cites: part.cites.map(quoted) };
  };
  const fields = report.fields.filter(
    ({ value, normalized = '', cites }) =>
      blot(value) === value && blot(normalized) === normalized && !touches(cites),
  );
  const points = report.summary.points.map(clean);
  // A table's quote may span several cells; the document's text shows them, blacked out.
  const { tables, tablesLeftOut, parts, ...rest } = report;
  return {
    ...shared,
    file_name: blot(shared.file_name),
    blocks: blocks.map((block) => ({ ...block, text: texts.get(block.id) ?? block.text })),
    corrections: corrections
      .filter(({ key, original }) => fields.some((field) => field.key === key && field.value === original))
      .map((each) => ({ ...each, value: blot(each.value) })),
    report: {
      ...rest,
      ...(tables === undefined || places.length > 0 ? {} : { tables }),
      ...(parts === undefined || places.length > 0 ? {} : { parts }),
      ...(tablesLeftOut === undefined || places.length > 0 ? {} : { tablesLeftOut }),
      document: { ...report.document, title: blot(report.document.title) },
      summary: { short: shortOf(report.summary, points, blot), points },
      attention: report.attention.map(clean),
      fields,
      ...(report.items === undefined
        ? {}
        : { items: { ...report.items, rows: report.items.rows.map(clean) } }),
      ...(report.obligations === undefined ? {} : { obligations: report.obligations.map(clean) }),
      outline: report.outline.map((entry) => ({
        ...entry,
        text: touches([entry.cite]) && blot(entry.text) === entry.text ? LEFT_OUT : blot(entry.text),
        cite: quoted(entry.cite),
      })),
      phrases: report.phrases.filter(({ text }) => !places.some(({ quote }) => holds(quote, text))),
      // The classes stay in the report, but their places are only blots now.
      ...(report.pii === undefined ? {} : { pii: report.pii.map(withoutPlaces) }),
    },
  };
}

/** The texts by block, after redaction; between pieces of a long document other requests get their turn. */
async function blottedTexts(
  blocks: readonly Block[],
  places: readonly Cite[],
  blot: (text: string) => string,
): Promise<Map<string, string>> {
  const byBlock = Map.groupBy(places, ({ block }) => block);
  const texts = new Map<string, string>();
  let started = performance.now();
  for (const { id, text } of blocks) {
    texts.set(id, blot(blotPlaces(text, byBlock.get(id) ?? [])));
    if (performance.now() - started < PIECE_MS) continue;
    await setImmediate();
    started = performance.now();
  }
  return texts;
}

const PIECE_MS = 10;

function withoutPlaces({ class: name, count }: SensitiveData): SensitiveData {
  return { class: name, count, cites: [] };
}

function holds(quote: string, phrase: string): boolean {
  return quote.toLowerCase().includes(phrase.toLowerCase());
}

/** The short text, written again from the redacted points or facts. */
function shortOf(
  { short, points }: Report['summary'],
  clean: Report['summary']['points'],
  blot: (text: string) => string,
): string {
  const swapped = points.reduce(
    (text, { text: before }, index) => text.replace(before, () => clean[index]?.text ?? LEFT_OUT),
    short,
  );
  return blot(swapped);
}

function blotPlaces(text: string, places: readonly Cite[]): string {
  return places.reduce(
    (blotted, { start, end }) =>
      blotted.slice(0, start) + BLOT.repeat(Math.max(0, end - start)) + blotted.slice(end),
    text,
  );
}

/** Kinds of numbers that may be written with other spaces and signs between their digits. */
const LOOSE: ReadonlySet<string> = new Set(['iban', 'card', 'national_id']);

/** Blacks out the texts wherever they stand; the white space in them may differ. */
function blotter(pii: readonly SensitiveData[]): (text: string) => string {
  const sources = pii.flatMap(({ class: name, cites }) =>
    cites.map(({ quote }) =>
      LOOSE.has(name)
        ? (quote.match(/[\p{L}\p{N}]/gu) ?? []).join('[^\\p{L}\\p{N}]{0,2}')
        : phrasePattern(quote),
    ),
  );
  const distinct = [...new Set(sources)]
    .filter((source) => source !== '')
    .sort((a, b) => b.length - a.length);
  if (distinct.length === 0) return (text) => text;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${distinct.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
  return (text) => text.replace(pattern, (found) => BLOT.repeat(found.length));
}
