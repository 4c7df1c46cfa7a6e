import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Block, Report } from '@northline/document-reader/report.contract';
import { writeSearchable } from '@northline/document-reader/searchable-run';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { RateLimit } from '../../../kernel/http/rate-limit.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import { downloadOwn } from '../../../kernel/resources/outbound-http/own-download.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { attachment } from '../../../platform/storage/objects/content-disposition.server.ts';
import { SEARCHABLE_PDF } from './report-export.contract.ts';

/** Where the document itself is. */
export interface ServedDocuments {
  /** A signed path of this server; undefined if the file is gone. */
  signedPath(name: string, seconds: number): Promise<string | undefined>;
  ownOrigin(): Promise<string>;
}

const LIMIT: RateLimit = { name: 'function searchable-pdf', count: 20, seconds: 60, burst: 10 };
const SIGNED_SECONDS = 600;
const querySchema = z.object({ file_id: z.uuid() });

interface ScannedDocument {
  readonly fileName: string;
  readonly filePath: string;
  readonly report: Report;
  readonly blocks: readonly Block[];
}

/**
 * `GET /functions/v1/searchable-pdf?file_id=`: a scan or a photo as a PDF whose words can be searched and selected, for
 * everybody who may see its report. The document is opened in a child process with limits.
 *
 * Errors: 400 `validation_failed`, 404 `not_found`, 404 `file_missing`, 409 `no_scan` for a document that was not read from
 * pictures; 422 `password_required`, `corrupt`, `unsupported`, `too_large` with the reason.
 */
export function mountSearchablePdf(
  http: HttpContext,
  resources: Resources,
  documents: ServedDocuments,
): void {
  http.server.get(SEARCHABLE_PDF, async (request, reply) => {
    const caller = await http.authenticate(request.headers, request.query as Record<string, unknown>);
    const userId = requireUser(caller);
    await http.rateLimiter.take(LIMIT, userId);
    const query = querySchema.safeParse(request.query);
    if (!query.success) throw new ServiceError(400, 'validation_failed', 'Give a file_id.');
    const scanned = await readScanned(resources, caller, query.data.file_id);
    return http.heavyQueues.customers.run(userId, () =>
      sendSearchable({ resources, documents }, scanned, { request, reply }),
    );
  });
}

async function readScanned(
  { database }: Resources,
  caller: Caller,
  fileId: string,
): Promise<ScannedDocument> {
  const row = await database.asCaller(caller, (queries) =>
    queries.maybe(
      `select r.report, r.blocks, f.file_name, f.file_path from northline_app.analysis_reports r
         join public.user_files f on f.id = r.file_id and f.deleted_at is null
        where r.file_id = $1`,
      [fileId],
    ),
  );
  if (row === undefined) throw new ServiceError(404, 'not_found', 'There is no such report.');
  return scannedDocument(row);
}

/** Whether pages of the document were read from pictures. */
export const isScan = ({ coverage }: Report): boolean => (coverage.pagesOcr ?? []).length > 0;

/** The answer for a document that was not read from pictures. */
export const noScan = (): ServiceError =>
  new ServiceError(409, 'no_scan', 'The words of this document can be searched as it is.');

/** A stored report with its file as a scan. @throws ServiceError 409 `no_scan` */
export function scannedDocument(row: {
  readonly report: Report;
  readonly blocks: unknown;
  readonly file_name: string;
  readonly file_path: string;
}): ScannedDocument {
  if (!isScan(row.report)) throw noScan();
  return {
    report: row.report,
    blocks: row.blocks as readonly Block[],
    fileName: row.file_name,
    filePath: row.file_path,
  };
}

/** Answers with the scan as a searchable PDF. @throws ServiceError 404 `file_missing`, 422 with the reason */
export async function sendSearchable(
  { resources, documents }: { resources: Resources; documents: ServedDocuments },
  { report, blocks, fileName, filePath }: ScannedDocument,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const base = path.join(resources.settings.DATA_DIR, 'reading');
  await mkdir(base, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(path.join(base, 'searchable-'));
  const remove = (): void => void rm(folder, { recursive: true, force: true }).catch(() => {});
  const left = new AbortController();
  const leave = (): void => left.abort();
  reply.raw.once('close', leave);
  try {
    const [document, target] = [path.join(folder, 'document'), path.join(folder, 'searchable.pdf')];
    const signed = await documents.signedPath(filePath, SIGNED_SECONDS);
    const download =
      signed === undefined
        ? undefined
        : await downloadOwn(await documents.ownOrigin(), signed, document, left.signal);
    if (download === undefined || !download.ok)
      throw new ServiceError(404, 'file_missing', 'The stored file could not be found.');
    const scan = { blocks, pagesOcr: report.coverage.pagesOcr ?? [] };
    const written = await writeSearchable({ document, scan, target }, left.signal);
    if (written.outcome === 'unreadable') throw new ServiceError(422, written.code, written.sentence);
    const { size } = await stat(target);
    const stream = createReadStream(target);
    stream.once('close', remove);
    stream.once('error', (error) => request.log.warn({ err: error }, 'a searchable PDF was not sent whole'));
    return await reply
      .headers({
        'content-disposition': attachment(`${fileName.replace(/\.[^.]+$/, '')} searchable.pdf`),
        'cache-control': 'private, no-store',
        'content-length': size,
      })
      .type('application/pdf')
      .send(stream);
  } catch (error) {
    remove();
    throw error;
  } finally {
    reply.raw.off('close', leave);
  }
}
