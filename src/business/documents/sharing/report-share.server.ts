import { createHash, randomBytes } from 'node:crypto';
import type { Block } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { RateLimit } from '../../../kernel/http/rate-limit.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import {
  isScan,
  noScan,
  type ServedDocuments,
  scannedDocument,
  sendSearchable,
} from '../exports/searchable-export.server.ts';
import {
  MOST_SHARES,
  NO_SUCH_LINK,
  SHARE_DAYS,
  SHARE_FUNCTIONS,
  type SharedReport,
} from './report-share.contract.ts';
import { canRedact, redactShared } from './sensitive-redaction.server.ts';

const TOKEN_BYTES = 24;
const FEW = { count: 30, seconds: 60, burst: 15 };

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The functions for links to reports: to create, withdraw and use one. */
export function declareReportShares(
  http: HttpContext,
  resources: Resources,
  documents: ServedDocuments,
): void {
  mountSharedScan(http, resources, documents);
  declareShareReport(http, resources);
  declareWithdrawShare(http, resources);
  declareReadSharedReport(http, resources);
}

/**
 * `share-report`: creates a link that shows one of the user's reports to anybody who has it, for some days. The secret is
 * in the part of the address that browsers never send, and only its hash is stored. With `without_sensitive`, the link
 * shows the report and its text without sensitive data. With `with_scan`, it also gives the scan as a searchable PDF. Answers
 * `{url, expires_at}`.
 *
 * Errors: 400 for both at once, 404 `not_found`, 409 `too_many_shares`, 409 `no_scan` for a document that was not read from
 * pictures, 409 `not_marked` if not all places of sensitive data are known.
 */
function declareShareReport(http: HttpContext, { database, siteUrl }: Resources): void {
  declareFunction(http, {
    name: 'share-report',
    callers: 'users',
    body: z
      .object({
        file_id: z.uuid(),
        days: z.literal(SHARE_DAYS),
        without_sensitive: z.boolean().default(false),
        with_scan: z.boolean().default(false),
      })
      .refine(({ without_sensitive: without, with_scan: scan }) => !(without && scan), {
        error: 'A scan shows everything: choose one of the two.',
      }),
    limit: FEW,
    handle: async ({ caller, body }) => {
      const userId = requireUser(caller);
      const own = await database.asCaller(caller, (queries) =>
        queries.maybe(
          `select (select count(*)::integer from northline_app.analysis_shares s
                    where s.file_id = r.file_id and s.expires_at > now()) as shares /* not null */, r.report
             from northline_app.analysis_reports r where r.file_id = $1 and r.user_id = $2`,
          [body.file_id, userId],
        ),
      );
      if (own === undefined) throw new ServiceError(404, 'not_found', 'There is no such report.');
      if (own.shares >= MOST_SHARES) {
        const sentence = `A report has at most ${MOST_SHARES} links at a time: withdraw one first.`;
        throw new ServiceError(409, 'too_many_shares', sentence);
      }
      if (body.without_sensitive && !canRedact(own.report)) throw notMarked();
      if (body.with_scan && !isScan(own.report)) throw noScan();
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const { expires_at: expires } = await database.one(
        `insert into northline_app.analysis_shares (file_id, user_id, token_hash, expires_at, without_sensitive, with_scan)
         values ($1, $2, $3, now() + $4 * interval '1 day', $5, $6) returning expires_at`,
        [body.file_id, userId, hashOf(token), body.days, body.without_sensitive, body.with_scan],
      );
      return { url: `${siteUrl}${PAGES.shared.path}#${token}`, expires_at: expires.toISOString() };
    },
  });
}

function shareEnded(): ServiceError {
  const sentence = 'This link shows nothing: it has expired, or the person who shared it withdrew it.';
  return new ServiceError(404, 'share_ended', sentence);
}

function notMarked(): ServiceError {
  return new ServiceError(
    409,
    'not_marked',
    'The sensitive data of this document is not all marked, so the report cannot be shown without it.',
  );
}

/** `withdraw-share`: ends a link. Answers `{withdrawn: true}`; 404 for another user's link. */
function declareWithdrawShare(http: HttpContext, { database }: Resources): void {
  declareFunction(http, {
    name: 'withdraw-share',
    callers: 'users',
    body: z.object({ share_id: z.uuid() }),
    limit: FEW,
    handle: async ({ caller, body }) => {
      const userId = requireUser(caller);
      const seen = await database.asCaller(caller, (queries) =>
        queries.maybe('select id from northline_app.analysis_shares where id = $1 and user_id = $2', [
          body.share_id,
          userId,
        ]),
      );
      if (seen === undefined) throw new ServiceError(404, 'not_found', NO_SUCH_LINK);
      await database.run('delete from northline_app.analysis_shares where id = $1', [body.share_id]);
      return { withdrawn: true };
    },
  });
}

/**
 * `read-shared-report`: the report of a link, for anybody who has it. A link without sensitive data stays so, also if the
 * document has been analysed again. The answer for a link that never existed, has expired or was withdrawn is always the
 * same 404.
 */
function declareReadSharedReport(http: HttpContext, { database }: Resources): void {
  declareFunction(http, {
    name: 'read-shared-report',
    callers: 'anyone',
    body: z.object({ token: z.string().max(100) }),
    limit: { count: 60, seconds: 60, burst: 20 },
    handle: async ({ body }): Promise<SharedReport> => {
      const row = await database.maybe(
        `with opened as (
           update northline_app.analysis_shares set opened = opened + 1, opened_at = now()
            where token_hash = $1 and expires_at > now() returning file_id, expires_at, without_sensitive, with_scan)
         select f.file_name, o.expires_at, o.without_sensitive, o.with_scan, r.report, r.blocks, r.file_id from opened o
           join northline_app.analysis_reports r on r.file_id = o.file_id
           join public.user_files f on f.id = o.file_id and f.deleted_at is null`,
        [hashOf(body.token)],
      );
      if (row === undefined) throw shareEnded();
      const corrections = await database.many(
        'select key, original, value, normalized, corrected_at from northline_app.analysis_corrections where file_id = $1',
        [row.file_id],
      );
      const shared: SharedReport = {
        file_name: row.file_name,
        expires_at: row.expires_at.toISOString(),
        without_sensitive: row.without_sensitive,
        with_scan: row.with_scan && isScan(row.report),
        report: row.report,
        blocks: row.blocks as Block[],
        corrections: corrections.map((each) => ({ ...each, corrected_at: each.corrected_at.toISOString() })),
      };
      if (!row.without_sensitive) return shared;
      if (!canRedact(row.report)) throw notMarked();
      return redactShared(shared);
    },
  });
}

const SCANS: RateLimit = { name: 'function read-shared-scan', count: 20, seconds: 60, burst: 10 };
const tokenSchema = z.object({ token: z.string().max(100) });

/**
 * `POST /functions/v1/read-shared-scan` with `{token}`: the scan of a link that gives it, as a searchable PDF. A link that gives
 * none gets the same 404 as one that never existed. Further errors as of `searchable-pdf`.
 */
function mountSharedScan(http: HttpContext, resources: Resources, documents: ServedDocuments): void {
  http.server.post(SHARE_FUNCTIONS.scan, async (request, reply) => {
    await http.authenticate(request.headers, request.query as Record<string, unknown>);
    await http.rateLimiter.take(SCANS, http.addressOf(request));
    const body = tokenSchema.safeParse(request.body);
    if (!body.success) throw new ServiceError(400, 'validation_failed', 'Give the token of a link.');
    const hash = hashOf(body.data.token);
    const row = await resources.database.maybe(
      `select r.report, r.blocks, f.file_name, f.file_path from northline_app.analysis_shares s
         join northline_app.analysis_reports r on r.file_id = s.file_id
         join public.user_files f on f.id = s.file_id and f.deleted_at is null
        where s.token_hash = $1 and s.expires_at > now() and s.with_scan`,
      [hash],
    );
    if (row === undefined) throw shareEnded();
    const scanned = scannedDocument(row);
    // A queue for each link, so that its readers do not keep the owner waiting.
    return http.heavyQueues.customers.run(`share ${hash}`, () =>
      sendSearchable({ resources, documents }, scanned, { request, reply }),
    );
  });
}
