import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';

/**
 * The function `delete-analysis`: deletes the report on a document of the user, with its text, corrections and links. The
 * file stays and can be analysed again. Answers `{deleted: true}`.
 *
 * Errors: 404 `not_found`; 409 `being_analysed` while an analysis is running.
 * @trigger public.user_files keep_analyzed_true_to_status
 */
export function declareDeleteAnalysis(http: HttpContext, { database }: Resources): void {
  declareFunction(http, {
    name: 'delete-analysis',
    callers: 'users',
    body: z.object({ file_id: z.uuid() }),
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: async ({ caller, body }) => {
      const userId = requireUser(caller);
      const seen = await database.asCaller(caller, (queries) =>
        queries.maybe(
          'select file_id from northline_app.analysis_reports where file_id = $1 and user_id = $2',
          [body.file_id, userId],
        ),
      );
      if (seen === undefined) throw new ServiceError(404, 'not_found', 'There is no such report.');
      await database.transaction(async (queries) => {
        const file = await queries.maybe(
          'select status from public.user_files where id = $1 for no key update',
          [body.file_id],
        );
        if (file !== undefined && ['queued', 'analyzing'].includes(file.status)) {
          const sentence = 'This document is being analysed: wait for the report, then delete it.';
          throw new ServiceError(409, 'being_analysed', sentence);
        }
        await queries.run('delete from northline_app.analysis_reports where file_id = $1', [body.file_id]);
        await queries.run(
          `update public.user_files set status = 'uploaded', analyzed_url = null, progress = null, status_reason = null,
                  report_line = null, updated_at = now() where id = $1`,
          [body.file_id],
        );
      });
      return { deleted: true };
    },
  });
}
