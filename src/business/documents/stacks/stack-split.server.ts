import { MOST_PARTS } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { AnalysisContext } from '../requests/analysis-context.server.ts';
import type { AnalysisRequested } from '../requests/analysis-request.contract.ts';
import { startIn } from '../requests/analysis-request.server.ts';

/** More pages than any document has that is read. */
const MOST_PAGES = 10_000;

const bodySchema = z.object({
  file_id: z.uuid(),
  /** The pages on which a document begins, in order, the first of them 1. Null: the analyser finds them again. */
  begins: z.array(z.number().int().min(1).max(MOST_PAGES)).min(1).max(MOST_PARTS).nullable(),
});

/**
 * The function `split-document`: says on which pages of the user's own file a document begins, so that every page is in
 * exactly one of them, and starts an analysis that follows it. Further analyses follow it too. It takes no credit, and counts
 * as one of the day's analyses of the file.
 *
 * Errors: 404 `not_found` for a report that is not the user's; 409 `being_analysed` while an analysis of the file runs; 422
 * `wrong_pages` for pages out of order or beyond the file, `no_pages` for a file without pages or a mail; 429
 * `too_many_analyses`.
 */
export function declareSplitDocument(http: HttpContext, context: AnalysisContext): void {
  declareFunction(http, {
    name: 'split-document',
    callers: 'users',
    status: 202,
    body: bodySchema,
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: async ({ caller, body, request }) => {
      const userId = requireUser(caller);
      const fileId = body.file_id;
      return context.resources.database.transaction(async (queries): Promise<AnalysisRequested> => {
        await lockForSplit(queries, { fileId, userId, begins: body.begins });
        if (body.begins === null)
          await queries.run('delete from private.stack_splits where file_id = $1', [fileId]);
        else
          await queries.run(
            `insert into private.stack_splits (file_id, user_id, begins) values ($1, $2, $3)
             on conflict (file_id) do update set begins = excluded.begins, corrected_at = now()`,
            [fileId, userId, body.begins],
          );
        return startIn(queries, context, { userId, fileId, password: undefined }, request.headers);
      });
    },
  });
}

/** Locks the file as an analysis does, so that none starts between the check and the new split. */
async function lockForSplit(
  queries: Queries,
  { fileId, userId, begins }: { fileId: string; userId: string; begins: readonly number[] | null },
): Promise<void> {
  const file = await queries.maybe(
    'select id from public.user_files where id = $1 and user_id = $2 and deleted_at is null for no key update',
    [fileId, userId],
  );
  const report = await queries.maybe(
    `select (r.report #>> '{document,pages}')::integer as pages,
            r.report @? '$.parts[*] ? (!exists(@.pages))' as is_mail /* not null */
       from northline_app.analysis_reports r where r.file_id = $1 and r.user_id = $2`,
    [fileId, userId],
  );
  if (file === undefined || report === undefined)
    throw new ServiceError(404, 'not_found', MESSAGES.delete.notInList);
  const { pages, is_mail: isMail } = report;
  if (pages === null || isMail)
    throw new ServiceError(422, 'no_pages', 'This file has no pages between which it could be split.');
  const running = await queries.maybe(
    "select 1 from private.analyses where file_id = $1 and state not in ('completed', 'failed')",
    [fileId],
  );
  if (running !== undefined)
    throw new ServiceError(409, 'being_analysed', 'This document is being analysed. Wait until it is done.');
  if (begins !== null && !isOrdered(begins, pages))
    throw new ServiceError(422, 'wrong_pages', `Give pages in order, from 1 to at most ${pages}.`);
}

/** Whether documents begin on page 1 and on later pages of the file, each named once and in order. */
function isOrdered(begins: readonly number[], pages: number): boolean {
  return (
    begins[0] === 1 &&
    begins.every((page, index) => page <= pages && (index === 0 || page > (begins[index - 1] ?? 0)))
  );
}
