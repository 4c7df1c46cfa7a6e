import { rowsToStore } from '@northline/document-reader/reader-messages';
import type { Block } from '@northline/document-reader/report.contract';
import type { JobAttempt } from '../../../kernel/resources/jobs/jobs.ts';
import { ROWS_JOB, rowsOfText, storeRowsOfFile } from '../own-fields/document-rows.server.ts';
import { type AnalysisContext, DOCUMENT_URL_SECONDS } from './analysis-context.server.ts';
import { findPages } from './read-pages.server.ts';
import { READING_SECONDS, readServedDocument } from './stored-document-read.server.ts';

/**
 * Defines the job that reads the lines of a document with a report again, so that own fields can be found in it. It costs
 * no credit and changes nothing else. A document that cannot be read again, for example for want of its password, gets the
 * lines of its stored text.
 */
export function defineRowsReading(context: AnalysisContext): void {
  context.resources.jobs.define<{ fileId: string }>(
    ROWS_JOB,
    { retries: 3, retryDelaySeconds: 5, timeoutSeconds: READING_SECONDS, concurrency: 1 },
    (job) => work(context, job),
  );
}

async function work(
  context: AnalysisContext,
  { data, signal, last }: JobAttempt<{ fileId: string }>,
): Promise<void> {
  const { database } = context.resources;
  const { fileId } = data;
  const row = await database.maybe(
    `select r.blocks, r.created_at, f.file_name, f.file_path from northline_app.analysis_reports r
       join public.user_files f on f.id = r.file_id and f.deleted_at is null
      where r.file_id = $1 and not exists (select from private.document_rows d where d.file_id = r.file_id)`,
    [fileId],
  );
  if (row === undefined) return;
  const path = await context.documents.signedPath(row.file_path, DOCUMENT_URL_SECONDS);
  const pages = await findPages(database, fileId);
  const reply =
    path === undefined
      ? undefined
      : await readServedDocument(
          context,
          { path, fileName: row.file_name, createdAt: row.created_at.toISOString(), pages },
          signal,
        ).catch((error: unknown) => {
          if (last && !signal.aborted) return undefined;
          throw error;
        });
  const rows = reply?.outcome === 'read' ? reply.rows : rowsToStore(rowsOfText(row.blocks as Block[]));
  await database.transaction((queries) => storeRowsOfFile(queries, fileId, rows));
}
