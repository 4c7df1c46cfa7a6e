import type { Row } from '@northline/document-reader/extracted-document';
import { type StoredRows, storedAsRows } from '@northline/document-reader/reader-messages';
import type { Block } from '@northline/document-reader/report.contract';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { lockFiles } from '../file-lock.server.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'private.document_rows.rows': StoredRows;
  }
}

/** Job that reads a document's lines again, for documents whose report is older than own fields. It costs no credit. */
export const ROWS_JOB = 'read-document-rows';

/** Stores the lines of a document that an analysis reads, as long as the analysis is running. */
export async function storeRows(queries: Queries, analysisId: string, rows: StoredRows): Promise<void> {
  await queries.run(
    `insert into private.document_rows (file_id, rows)
     select a.file_id, $2 from private.analyses a
      where a.id = $1 and a.state in ('queued', 'sent', 'merging', 'fallback')
     on conflict (file_id) do update set rows = excluded.rows, read_at = now()`,
    [analysisId, JSON.stringify(rows)],
  );
}

/** Stores the lines of a document that has a report, and lets its own fields be read. */
export async function storeRowsOfFile(queries: Queries, fileId: string, rows: StoredRows): Promise<void> {
  await lockFiles(queries, [fileId]);
  const stored = await queries.run(
    `insert into private.document_rows (file_id, rows)
     select f.id, $2 from public.user_files f where f.id = $1
     on conflict (file_id) do update set rows = excluded.rows, read_at = now()`,
    [fileId, JSON.stringify(rows)],
  );
  if (stored > 0) await noteArrival(queries, fileId);
}

/** The stored lines of a document; undefined if there are none yet. */
export async function rowsOfFile(queries: Queries, fileId: string): Promise<Row[] | undefined> {
  const stored = await queries.maybe('select rows from private.document_rows where file_id = $1', [fileId]);
  return stored && storedAsRows(stored.rows);
}

/** Lines from the stored text, without places, for a document that cannot be read again. */
export function rowsOfText(blocks: readonly Block[]): Row[] {
  return blocks.flatMap(({ page, text }) =>
    text
      .split('\n')
      .map((line) => ({
        page,
        cells: line
          .split(/\t| {2,}/)
          .filter((cell) => cell.trim() !== '')
          .map((cell, column) => ({ text: cell.trim(), left: column * 100, right: column * 100 + 90 })),
      }))
      .filter(({ cells }) => cells.length > 0),
  );
}

/**
 * Notes that a document's own fields are to be read.
 * @trigger private.arrived_documents notify_waiting
 */
export async function noteArrival(queries: Queries, fileId: string): Promise<void> {
  await queries.run(
    `insert into private.arrived_documents (file_id)
     select r.file_id from northline_app.analysis_reports r where r.file_id = $1
     on conflict (file_id) do update set noted_at = now()`,
    [fileId],
  );
}
