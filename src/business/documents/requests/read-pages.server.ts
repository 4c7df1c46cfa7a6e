import type { KeptPage } from '@northline/document-reader/reader-messages';
import type { Queries } from '../../../kernel/resources/database/database.ts';

/** Days after which pages of a document without a report are deleted. */
const KEPT_DAYS = 7;

/** Stores a page that was read from its picture, as long as its analysis is running. */
export async function storePage(
  queries: Queries,
  analysisId: string,
  { page, outcome }: KeptPage,
): Promise<void> {
  await queries.run(
    `insert into private.read_pages (file_id, page, outcome)
     select a.file_id, $2, $3 from private.analyses a where a.id = $1 and a.state in ('queued', 'sent')
     on conflict (file_id, page) do update set outcome = excluded.outcome, read_at = now()`,
    [analysisId, page, outcome],
  );
}

/** The pages of a document that an earlier reading read from their pictures. */
export function findPages(queries: Queries, fileId: string): Promise<KeptPage[]> {
  return queries.many('select page, outcome from private.read_pages where file_id = $1 order by page', [
    fileId,
  ]);
}

/** Deletes the pages of documents that nobody has tried to read again. */
export async function removeOldPages(queries: Queries): Promise<void> {
  await queries.run(`delete from private.read_pages where read_at < now() - $1 * interval '1 day'`, [
    KEPT_DAYS,
  ]);
}
