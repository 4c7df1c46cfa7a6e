import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  failureOf,
  type KeptPage,
  type ReaderProgress,
  type ReadingReply,
} from '@northline/document-reader/reader-messages';
import { readerSandbox, runReader } from '@northline/document-reader/reader-run';
import type { JobAttempt } from '../../../kernel/resources/jobs/jobs.ts';
import type { Log } from '../../../kernel/resources/log/log.ts';
import { downloadOwn } from '../../../kernel/resources/outbound-http/own-download.ts';
import { lockFileFirst } from '../file-lock.server.ts';
import { storeRows } from '../own-fields/document-rows.server.ts';
import type { CompletedAnswer } from './analysis-answer.server.ts';
import { type AnalysisContext, DOCUMENT_URL_SECONDS } from './analysis-context.server.ts';
import { completeAnalysis, failAnalysis } from './analysis-outcome.server.ts';
import { mergeAnswer } from './answer-merge.server.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'private.analyses.answer': CompletedAnswer;
  }
}

/** Job in which we read a document ourselves, to merge it with an automation's answer or in place of that. */
export const READ_JOB = 'read-document';

const STALE_MS = 15 * 60 * 1000;

/** A document on our own server, for the reader. */
interface ServedDocument {
  /** Signed address on this server, as a path. */
  readonly path: string;
  readonly fileName: string;
  /** ISO time for the report. */
  readonly createdAt: string;
  /** The document's password. */
  readonly password?: string | undefined;
  /** Pages that an earlier reading of the document read. */
  readonly pages?: readonly KeptPage[];
  /** The pages on which a document begins, if the owner said so. */
  readonly begins?: readonly number[] | undefined;
}

/** Receives the progress of the reading. */
interface ReadingProgress {
  readonly onDownload?: () => Promise<void>;
  readonly onPicture?: (progress: ReaderProgress) => void;
  readonly onPage?: (page: KeptPage) => void;
}

/**
 * Most seconds for a job that reads a document: the reader's own limit is processor time, of which a busy machine gives
 * little. A process that dies is noticed by its missing heartbeats.
 */
export const READING_SECONDS = 12 * 60 * 60;

/**
 * Downloads a document through its signed address and reads it in a child process.
 *
 * @throws Error if the process stops or the download breaks, `DocumentNotServed` if the server refuses the address; the
 * job then runs again
 */
export async function readServedDocument(
  context: Pick<AnalysisContext, 'resources' | 'ownOrigin'>,
  document: ServedDocument,
  signal: AbortSignal,
  progress: ReadingProgress = {},
): Promise<ReadingReply> {
  await tellSandbox(context.resources.log);
  const base = readingFolder(context);
  await mkdir(base, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(path.join(base, 'document-'));
  try {
    const file = path.join(folder, 'document');
    const download = await downloadOwn(await context.ownOrigin(), document.path, file, signal);
    if (!download.ok) {
      throw new DocumentNotServed(`the document answered ${download.status}`);
    }
    await progress.onDownload?.();
    return await runReader(
      {
        path: file,
        fileName: document.fileName,
        createdAt: document.createdAt,
        password: document.password,
        pages: document.pages,
        ...(document.begins === undefined ? {} : { begins: [...document.begins] }),
        ocrPages: context.resources.settings.DOCUMENT_OCR_PAGES,
      },
      signal,
      {
        ...(progress.onPicture === undefined ? {} : { onProgress: progress.onPicture }),
        ...(progress.onPage === undefined ? {} : { onPage: progress.onPage }),
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The server refused a document's own address. A store that is out of order or a clock that was set may have done it, so
 * the job asks again before it takes the document for missing.
 */
export class DocumentNotServed extends Error {}

const told = new WeakSet<Log>();

/** Logs once which restrictions of the reader this machine cannot enforce. */
async function tellSandbox(log: Log): Promise<void> {
  if (told.has(log)) return;
  told.add(log);
  const { account, offline } = await readerSandbox();
  const facts = { account, offline };
  if (account === 'own' && offline) log.info(facts, SANDBOXED);
  else log.warn(facts, offline ? SAME_ACCOUNT : account === 'own' ? ONLINE : `${SAME_ACCOUNT} ${ONLINE}`);
}

const SANDBOXED = 'documents are read under an account of their own and without a network';
const SAME_ACCOUNT =
  'documents are read under the account of the server: only root can give a reader another, in a checkout that it can enter';
const ONLINE =
  'documents are read with a network: this machine has no unshare and setpriv (util-linux), or does not allow it';

/** Removes files that a killed process left in the folder of documents being read. */
export async function removeStaleDocuments(context: Pick<AnalysisContext, 'resources'>): Promise<void> {
  const base = readingFolder(context);
  for (const name of await readdir(base).catch(() => [])) {
    const folder = path.join(base, name);
    const age = Date.now() - (await stat(folder).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (age > STALE_MS) await rm(folder, { recursive: true, force: true });
  }
}

function readingFolder({ resources }: Pick<AnalysisContext, 'resources'>): string {
  return path.join(resources.settings.DATA_DIR, 'reading');
}

/** Defines the jobs in which we read a document ourselves. */
export function defineReadJob(context: AnalysisContext): void {
  context.resources.jobs.define<{ analysisId: string }>(
    READ_JOB,
    { retries: 8, retryDelaySeconds: 2, timeoutSeconds: READING_SECONDS, concurrency: 1 },
    (job) => work(context, job),
  );
}

async function work(
  context: AnalysisContext,
  { data, signal, last }: JobAttempt<{ analysisId: string }>,
): Promise<void> {
  const { database } = context.resources;
  const id = data.analysisId;
  const row = await database.maybe(
    `select a.state, a.answer, a.created_at, f.file_name, f.file_path, s.begins
       from private.analyses a join public.user_files f on f.id = a.file_id
       left join private.stack_splits s on s.file_id = f.id
      where a.id = $1 and a.state in ('merging', 'fallback')`,
    [id],
  );
  if (row === undefined) return;
  const createdAt = row.created_at.toISOString();
  const signed = await context.documents.signedPath(row.file_path, DOCUMENT_URL_SECONDS);
  const begins = row.begins ?? undefined;
  const document = { path: signed ?? '', fileName: row.file_name, createdAt, begins };
  const reply =
    signed === undefined
      ? undefined
      : await readServedDocument(context, document, signal).catch((error: unknown) => {
          if (last && error instanceof DocumentNotServed) return undefined;
          throw error;
        });
  await database.transaction(async (queries) => {
    await lockFileFirst(queries, id);
    if (reply?.outcome === 'read') await storeRows(queries, id, reply.rows);
    if (row.answer !== null) {
      const { report, blocks } = mergeAnswer(row.answer, reply, { fileName: row.file_name, createdAt });
      await completeAnalysis(queries, id, report, blocks);
    } else if (reply === undefined) {
      await failAnalysis(queries, id, {
        code: 'file_missing',
        sentence: 'The stored file could not be found.',
      });
    } else if (reply.outcome === 'unreadable') await failAnalysis(queries, id, failureOf(reply));
    else {
      const text = 'The automation did not answer in time, so the built-in analyser wrote this report.';
      const warnings = [...reply.report.warnings, { code: 'fallback', text }];
      await completeAnalysis(queries, id, { ...reply.report, warnings }, reply.blocks);
    }
  });
}
