import type { Queries } from '../../kernel/resources/database/database.ts';

/**
 * Locks the file of an analysis. A transaction that changes several rows of a document locks the file before its analysis,
 * its report and the rest, as the deletion of a file does (decision 0850).
 */
export async function lockFileFirst(queries: Queries, analysisId: string): Promise<void> {
  await queries.maybe(
    'select 1 from public.user_files where id = (select file_id from private.analyses where id = $1) for no key update',
    [analysisId],
  );
}

/** Locks files in the order of their ids. */
export async function lockFiles(queries: Queries, fileIds: readonly string[]): Promise<void> {
  await queries.many(
    'select 1 from public.user_files where id = any ($1::uuid[]) order by id for no key update',
    [fileIds],
  );
}

/** Locks a file whose fact is corrected, and the files that follow an earlier correction of it. */
export async function lockFilesOfCorrection(queries: Queries, fileId: string, key: string): Promise<void> {
  const followers = await queries.many(
    `select distinct c.file_id from northline_app.analysis_corrections c
       join northline_app.correction_precedents l on l.id = c.precedent_id
      where l.file_id = $1 and l.key = $2`,
    [fileId, key],
  );
  await lockFiles(queries, [fileId, ...followers.map(({ file_id: id }) => id)]);
}
