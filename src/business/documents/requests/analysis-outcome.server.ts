import type { Block, Report } from '@northline/document-reader/report.contract';
import { analysisPath } from '../../../kernel/contract/routes.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { applyCorrections } from '../corrections/correction-application.server.ts';
import { lockFileFirst } from '../file-lock.server.ts';
import { withEarlierCopy } from '../invoices/earlier-copy.server.ts';
import { applyPrecedents } from '../own-fields/correction-precedents.server.ts';
import { noteArrival } from '../own-fields/document-rows.server.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'northline_app.analysis_reports.report': Report;
    'northline_app.analysis_reports.blocks': unknown[];
  }
}

/** States of a running analysis, as SQL. */
export const ACTIVE = "('queued', 'sent', 'merging', 'fallback')";

/** Progress that the list shows as soon as an automation has the document, per cent. */
const SENT_PROGRESS = 5;

/** Notes that the analyser has the request. With our own analyser, the document still waits for its reader. */
export async function markSent(queries: Queries, analysisId: string): Promise<void> {
  await lockFileFirst(queries, analysisId);
  const sent = await queries.maybe(
    `update private.analyses set state = 'sent', updated_at = now() where id = $1 and state = 'queued'
     returning target`,
    [analysisId],
  );
  if (sent?.target === 'external') await showProgress(queries, analysisId, SENT_PROGRESS);
}

/** Shows progress in the list; it never goes back. The document's pause does not end when the analyser has it. */
export async function showProgress(queries: Queries, analysisId: string, percent: number): Promise<void> {
  await queries.run(
    `update public.user_files f
        set status = 'analyzing', progress = greatest(coalesce(f.progress, 0), $2::int), waits_until = null, updated_at = now()
       from private.analyses a
      where a.id = $1 and a.file_id = f.id and a.state in ${ACTIVE}
        and ($2::int > $3::int or f.waits_until is null)
        and (f.status <> 'analyzing' or coalesce(f.progress, 0) < $2::int)`,
    [analysisId, Math.round(percent), SENT_PROGRESS],
  );
}

/**
 * Stores the report, with a notice about an earlier copy, and shows it: report, `analyzed`, address and status change in
 * one transaction. Does nothing if the analysis is no longer running.
 * @trigger public.user_files keep_analyzed_true_to_status
 * @trigger northline_app.analysis_reports notify_waiting
 */
export async function completeAnalysis(
  queries: Queries,
  analysisId: string,
  report: Report,
  blocks: readonly Block[],
): Promise<void> {
  const closed = await close(queries, analysisId, 'completed', null);
  if (closed === undefined) return;
  const { file_id: fileId, user_id: userId } = closed;
  const isFirst =
    (await queries.maybe('select 1 from northline_app.analysis_reports where file_id = $1', [fileId])) ===
    undefined;
  const noted = await withEarlierCopy(queries, { fileId, userId }, report);
  await queries.run(
    `insert into northline_app.analysis_reports (file_id, user_id, analysis_id, report, blocks) values ($1, $2, $3, $4, $5)
     on conflict (file_id) do update set analysis_id = excluded.analysis_id, report = excluded.report,
       blocks = excluded.blocks, as_read = null, created_at = now()`,
    [fileId, userId, analysisId, JSON.stringify(noted), JSON.stringify(blocks)],
  );
  await queries.run(
    `update public.user_files set analyzed = true, analyzed_url = $2, status = 'analyzed', progress = null,
            status_reason = null, waits_until = null, unreadable = false, updated_at = now() where id = $1`,
    [fileId, analysisPath(fileId)],
  );
  // The owner of a stack may correct its split, and then only the pages without pictures are read anew.
  if (noted.parts?.some(({ pages }) => pages !== undefined) !== true)
    await queries.run('delete from private.read_pages where file_id = $1', [fileId]);
  if (isFirst) await applyPrecedents(queries, { fileId, userId }, noted);
  await applyCorrections(queries, fileId);
  await noteArrival(queries, fileId);
}

/** Failures that the file itself causes, so that another try would fail too. */
const BY_THE_FILE: ReadonlySet<string> = new Set(['corrupt', 'unsupported', 'no_text', 'too_large', 'xfa']);

/** Shows why there is no report. `password_required` leads to the state `needs_password`. Another try is free. */
export async function failAnalysis(
  queries: Queries,
  analysisId: string,
  { code, sentence }: { code: string; sentence: string },
): Promise<void> {
  const closed = await close(queries, analysisId, 'failed', code);
  if (closed === undefined) return;
  await queries.run(
    `update public.user_files set status = $2, progress = null, status_reason = $3, waits_until = null, unreadable = $4,
            updated_at = now() where id = $1`,
    [
      closed.file_id,
      code === 'password_required' ? 'needs_password' : 'failed',
      storable(sentence),
      BY_THE_FILE.has(code),
    ],
  );
}

/**
 * @trigger private.analyses announce_end
 * @trigger private.analyses note_analysis_outcome
 */
async function close(
  queries: Queries,
  analysisId: string,
  state: 'completed' | 'failed',
  code: string | null,
): Promise<{ file_id: string; user_id: string } | undefined> {
  await lockFileFirst(queries, analysisId);
  return queries.maybe(
    `update private.analyses set state = $2, error_code = $3, answer = null, finished_at = now(), updated_at = now()
      where id = $1 and state in ${ACTIVE} returning file_id, user_id`,
    [analysisId, state, code],
  );
}

function storable(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, 1000);
}
