import type { Block, Report } from '@northline/document-reader/report.contract';
import { isPassingError, type Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { type IndexedText, indexText, type PassagePlace } from './passage-building.server.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'northline_app.analysis_passages.places': PassagePlace[];
  }
}

/** Notified when a report has been stored. */
const CHANNEL = 'analysis_reports_waiting';
/** Seconds between rounds, as a safety net and for reports that were stored before there was an index. */
const EVERY_SECONDS = 120;
/** Documents that a round indexes before it checks whether the process is to stop. */
const MOST_AT_ONCE = 200;
const MOST_TERMS = 60;

/** Text search configurations of PostgreSQL by language; other languages are searched without word forms. */
const CONFIGS: Readonly<Record<string, string>> = {
  ...{ ar: 'arabic', da: 'danish', de: 'german', el: 'greek', en: 'english', es: 'spanish', fi: 'finnish' },
  ...{ fr: 'french', hu: 'hungarian', it: 'italian', nl: 'dutch', no: 'norwegian', pt: 'portuguese' },
  ...{ ro: 'romanian', ru: 'russian', sv: 'swedish', tr: 'turkish' },
};

/** The text search configuration for a language. */
export function configOf(language: string | null): string {
  return `pg_catalog.${CONFIGS[language ?? ''] ?? 'simple'}`;
}

/** Indexes reports when they are stored, and older ones without an index. */
export function defineDocumentIndex(resources: Resources): void {
  resources.jobs.every('reports without an index', EVERY_SECONDS, () => indexWaiting(resources), CHANNEL);
}

/**
 * One round: indexes the waiting reports. It skips a report that cannot be indexed, with a line in the log. If the
 * database fails, the round ends, and the next one continues.
 */
export async function indexWaiting({ database, log }: Pick<Resources, 'database' | 'log'>): Promise<void> {
  for (let count = 0; count < MOST_AT_ONCE; count += 1) {
    const fileId = await database.maybe(
      `select r.file_id from northline_app.analysis_reports r left join northline_app.analysis_index i on i.file_id = r.file_id
        where i.file_id is null or i.analysis_id <> r.analysis_id order by r.created_at desc limit 1`,
    );
    if (fileId === undefined) return;
    const id = fileId.file_id;
    await database
      .transaction((queries) => indexReport(queries, id, false))
      .catch(async (error: unknown) => {
        if (isPassingError(error)) throw error;
        log.error({ err: error, fileId: id }, 'the text of a report cannot be indexed');
        await database.transaction((queries) => indexReport(queries, id, true));
      });
  }
}

/** Indexes one report; `empty` stores an index without content. */
async function indexReport(queries: Queries, fileId: string, empty: boolean): Promise<void> {
  const stored = await queries.maybe(
    'select user_id, analysis_id, report, blocks from northline_app.analysis_reports where file_id = $1 for no key update',
    [fileId],
  );
  if (stored === undefined) return;
  const { user_id: userId, analysis_id: analysisId } = stored;
  const { document } = stored.report;
  const config = configOf(document.language);
  const text = await indexText(empty ? [] : (stored.blocks as Block[]));
  const corrected = await correctedWords(queries, fileId, stored.report, text);
  const terms = await withoutStopWords(queries, config, text);
  // Its passages are deleted with it.
  await queries.run('delete from northline_app.analysis_index where file_id = $1', [fileId]);
  await queries.run(
    `insert into northline_app.analysis_index (file_id, user_id, analysis_id, title, kind, config, words, terms, counts)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      fileId,
      userId,
      analysisId,
      document.title,
      document.kind,
      config,
      [...text.words],
      terms.map(([word]) => word),
      terms.map(([, times]) => times),
    ],
  );
  await queries.run(
    `insert into northline_app.analysis_passages (file_id, position, user_id, page, text, places, lexemes)
     select $1, p.position, $2, p.page, p.text, p.places,
            to_tsvector('pg_catalog.simple', p.text) || to_tsvector($3::regconfig, p.text)
              || to_tsvector('pg_catalog.simple', p.corrected)
       from jsonb_to_recordset($4::jsonb)
         as p (position integer, page integer, text text, places jsonb, corrected text)`,
    [
      fileId,
      userId,
      config,
      JSON.stringify(
        text.passages.map((passage, position) => ({
          ...passage,
          position,
          corrected: corrected.get(position)?.join(' ') ?? '',
        })),
      ),
    ],
  );
}

/** The corrected values, by the passage in which the first value stands; the first passage for a value without a place. */
async function correctedWords(
  queries: Queries,
  fileId: string,
  { fields }: Report,
  { passages }: IndexedText,
): Promise<Map<number, string[]>> {
  const corrections = await queries.many(
    'select key, original, value from northline_app.analysis_corrections where file_id = $1',
    [fileId],
  );
  const words = new Map<number, string[]>();
  for (const { key, original, value } of corrections) {
    const cite = fields.find((field) => field.key === key && field.value === original)?.cites[0];
    const place = passages.findIndex(({ places }) => places.some(({ block }) => block === cite?.block));
    const position = Math.max(0, place);
    words.set(position, [...(words.get(position) ?? []), value]);
  }
  return words;
}

/** The terms without those that are stop words in the language's configuration. */
async function withoutStopWords(
  queries: Queries,
  config: string,
  { terms }: IndexedText,
): Promise<IndexedText['terms']> {
  const { kept } = await queries.one(
    `select coalesce(array_agg(w), '{}') as kept /* not null */ from unnest($1::text[]) as w
      where to_tsvector($2::regconfig, w) <> ''::tsvector`,
    [terms.map(([word]) => word), config],
  );
  const words = new Set(kept);
  return terms.filter(([word]) => words.has(word)).slice(0, MOST_TERMS);
}
