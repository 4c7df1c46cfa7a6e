import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LONGEST_PASSWORD } from '@northline/document-reader/reader-messages';
import { z } from 'zod';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { ANALYSIS_TARGET } from '../../../kernel/resources/outbound-http/webhook-targets.ts';
import { ANSWER_WITHIN_MS, type AnalysisContext, OWN_ANSWER_WITHIN_MS } from './analysis-context.server.ts';
import { ANALYSES_A_DAY, type AnalysisRequested, FILE_MISSING } from './analysis-request.contract.ts';
import { announceWhenFinished } from './finished-notice.server.ts';
import { REQUEST_EVENT } from './request-composition.server.ts';

const HEADER_LENGTH = 500;

/**
 * The function `analyze`: starts the analysis of a document of the user, free of charge. The
 * analysis and its event are one transaction; a second call returns the running analysis.
 *
 * Errors: 404 `not_found` if the user has no such file, 404 `file_missing` if its object is gone (the record is then
 * removed, docs/specification/site.md §5); 422 `password_not_sent` for a password if an automation reads the documents;
 * 429 `too_many_analyses` for more than twenty analyses of a document within a day. A password is kept only in memory,
 * and only until the analysis ends.
 */
export function declareAnalyze(http: HttpContext, context: AnalysisContext): void {
  declareFunction(http, {
    name: 'analyze',
    callers: 'users',
    status: 202,
    body: z.object({ file_id: z.uuid(), password: z.string().min(1).max(LONGEST_PASSWORD).optional() }),
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: async ({ caller, body, request }) => {
      const userId = requireUser(caller);
      const { database } = context.resources;
      const file = await database.asCaller(caller, (queries) =>
        queries.maybe(
          'select file_path from public.user_files where id = $1 and user_id = $2 and deleted_at is null',
          [body.file_id, userId],
        ),
      );
      if (file === undefined) throw new ServiceError(404, 'not_found', MESSAGES.delete.notInList);
      if (!(await context.documents.exists(file.file_path))) {
        await database.run('delete from public.user_files where id = $1 and user_id = $2', [
          body.file_id,
          userId,
        ]);
        throw new ServiceError(404, FILE_MISSING, MESSAGES.analysis.missing);
      }
      refuseUnusedPassword(context, body.password);
      const { file_id: fileId, password } = body;
      return start(context, { userId, fileId, password }, request.headers);
    },
  });
}

/** Refuses a password if an external automation reads the documents, as it never gets one. */
function refuseUnusedPassword({ resources }: AnalysisContext, password: string | undefined): void {
  if (password === undefined || resources.settings.ANALYSIS_WEBHOOK_URL === '') return;
  throw new ServiceError(
    422,
    'password_not_sent',
    'Documents are read by an automation here, which is sent no passwords. Upload a copy without the password.',
  );
}

/**
 * Starts the analysis of a user's document, as the function `analyze` does, without a request of a browser.
 *
 * @throws ServiceError 404 `not_found`, 429 `too_many_analyses`
 */
export async function startAnalysis(
  context: AnalysisContext,
  { userId, fileId }: { userId: string; fileId: string },
): Promise<void> {
  await start(context, { userId, fileId, password: undefined }, {});
}

function start(
  context: AnalysisContext,
  document: { userId: string; fileId: string; password: string | undefined },
  headers: IncomingHttpHeaders,
): Promise<AnalysisRequested> {
  return context.resources.database.transaction((queries) => startIn(queries, context, document, headers));
}

/**
 * The same in a transaction of the caller.
 *
 * @trigger private.analyses announce_start
 */
export async function startIn(
  queries: Queries,
  { resources, outbox, passwords }: Pick<AnalysisContext, 'resources' | 'outbox' | 'passwords'>,
  { userId, fileId, password }: { userId: string; fileId: string; password: string | undefined },
  headers: IncomingHttpHeaders,
): Promise<AnalysisRequested> {
  // An automation gets real documents only.
  const { demo } = await queries.one('select private.is_demo($1) as demo', [userId]);
  const isOurs = resources.settings.ANALYSIS_WEBHOOK_URL === '' || demo === true;
  const target = isOurs ? 'embedded' : 'external';
  // The lock serialises the two calls of a double click.
  const file = await queries.maybe(
    'select status from public.user_files where id = $1 and user_id = $2 for no key update',
    [fileId, userId],
  );
  if (file === undefined) throw new ServiceError(404, 'not_found', MESSAGES.delete.notInList);
  const active = await queries.maybe(
    "select id from private.analyses where file_id = $1 and state not in ('completed', 'failed')",
    [fileId],
  );
  if (active !== undefined) return { analysis_id: active.id, status: file.status };
  await requireAnalysisLeft(queries, fileId);
  const { id } = await queries.one(
    `insert into private.analyses (file_id, user_id, target, deadline_at, context)
       values ($1, $2, $3, now() + $4 * interval '1 millisecond', $5) returning id`,
    [
      fileId,
      userId,
      target,
      target === 'external' ? ANSWER_WITHIN_MS : OWN_ANSWER_WITHIN_MS,
      JSON.stringify({
        requestId: randomUUID(),
        userAgent: header(headers['user-agent']),
        referrer: header(headers.referer),
      }),
    ],
  );
  if (password !== undefined) passwords.hold(id, password);
  await queries.run(
    `update public.user_files set status = 'queued', progress = 0, status_reason = null, waits_until = null, unreadable = false,
              updated_at = now() where id = $1`,
    [fileId],
  );
  await outbox.add(queries, REQUEST_EVENT, id, target === 'external' ? ANALYSIS_TARGET : undefined);
  await announceWhenFinished(resources.jobs, queries, userId);
  return { analysis_id: id, status: 'queued' };
}

/** @throws ServiceError 429 `too_many_analyses`, with the seconds until the oldest of them is a day old */
async function requireAnalysisLeft(queries: Queries, fileId: string): Promise<void> {
  const { count, seconds } = await queries.one(
    `select count(*)::integer as count /* not null */,
            greatest(1, ceil(extract(epoch from min(created_at) + interval '1 day' - now())))::integer as seconds
       from private.analyses where file_id = $1 and created_at > now() - interval '1 day'`,
    [fileId],
  );
  if (count < ANALYSES_A_DAY) return;
  const sentence = `This document was analysed ${ANALYSES_A_DAY} times today. Try again tomorrow.`;
  throw new ServiceError(429, 'too_many_analyses', sentence, { headers: { 'retry-after': String(seconds) } });
}

function header(value: string | undefined): string {
  return (value ?? '').toWellFormed().slice(0, HEADER_LENGTH);
}
