import { failureOf, type ReadingReply } from '@northline/document-reader/reader-messages';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { utcMoment } from '../../../kernel/contract/times.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { JobAttempt } from '../../../kernel/resources/jobs/jobs.ts';
import { requestOwnServer } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import { storeRows } from '../own-fields/document-rows.server.ts';
import { withModelWords } from '../questions/report-wording.server.ts';
import type { Answer } from './analysis-answer.server.ts';
import { type AnalysisContext, DOCUMENT_URL_SECONDS, embeddedSecret } from './analysis-context.server.ts';
import { storePage } from './read-pages.server.ts';
import { findPause, noteReading, showPause } from './reading-pause.server.ts';
import {
  EMBEDDED_JOB,
  followAnalysis,
  notePicture,
  othersWait,
  PAGES_A_TURN,
  READERS,
  READERS_A_CUSTOMER,
  startTurn,
  type TurnDocument,
} from './reading-turn.server.ts';
import { DocumentNotServed, READING_SECONDS, readServedDocument } from './stored-document-read.server.ts';

/** Address of the built-in analyser, the default in place of an external automation. */
export const EMBEDDED_PATH = '/embedded/analysis';

const BODY_LIMIT = 256 * 1024;
/** Progress reported when the document has been received, per cent. */
const DOWNLOADED = 20;
/** … and after every page from a picture, per cent. */
const PICTURES_READ = 90;

/** The fields that it uses of the request. Only the paths of addresses count, as it serves only this server. */
const requestSchema = z.object({
  analysisId: z.uuid(),
  timestamp: utcMoment,
  user: z.object({ id: z.uuid() }),
  file: z.object({ name: z.string(), url: z.url(), size: z.number().nonnegative() }),
  callback: z.object({ url: z.url(), token: z.string() }),
});

/** One document to analyse. */
type Task = {
  readonly analysisId: string;
  readonly fileName: string;
  readonly callbackPath: string;
  readonly token: string;
  readonly createdAt: string;
};

/**
 * The built-in analyser, which reads one document of a customer at a time. It accepts the same signed request as an
 * external automation, stores it as a job, answers 202, downloads the document by its signed address, and answers through
 * the call-back.
 */
export function mountEmbeddedAnalyser(http: HttpContext, context: AnalysisContext): void {
  const { jobs, database } = context.resources;
  http.server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
      done(null, body),
    );
    scope.post(EMBEDDED_PATH, async (request, reply) => {
      const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
      const { task, group, priority } = readRequest(context, body, request.headers as Record<string, string>);
      await jobs.add(database, EMBEDDED_JOB, task, { key: task.analysisId, group, priority });
      return reply.code(202).send({ accepted: true });
    });
  });
  jobs.define<Task>(
    EMBEDDED_JOB,
    {
      retries: 8,
      retryDelaySeconds: 2,
      timeoutSeconds: READING_SECONDS,
      concurrency: READERS,
      perGroup: READERS_A_CUSTOMER,
    },
    (job) => analyse(context, job),
  );
}

/** A document to analyse, with its customer and its priority. */
interface Waiting {
  readonly task: Task;
  readonly group: string;
  readonly priority: number;
}

function readRequest(context: AnalysisContext, body: Buffer, headers: Record<string, string>): Waiting {
  try {
    new Webhook(embeddedSecret(context.resources)).verify(body, headers);
  } catch {
    throw new ServiceError(401, 'bad_signature', 'The signature is not valid.');
  }
  const outcome = requestSchema.safeParse(JSON.parse(body.toString('utf8')));
  if (!outcome.success)
    throw new ServiceError(422, 'validation_failed', 'The request is not an analysis request.');
  const { analysisId, timestamp, user, file, callback } = outcome.data;
  const [document, answer] = [new URL(file.url), new URL(callback.url)];
  if (
    !document.pathname.startsWith(`${SERVICES.storage}/`) ||
    !answer.pathname.startsWith(`${SERVICES.analysisWebhook}/`)
  ) {
    throw new ServiceError(422, 'validation_failed', 'The addresses are not those of this server.');
  }
  const task = {
    analysisId,
    fileName: file.name,
    callbackPath: answer.pathname,
    token: callback.token,
    createdAt: timestamp,
  };
  return { task, group: user.id, priority: priorityOf(file.size) };
}

const SMALL = 256 * 1024;
const MIDDLING = 4 * 1024 * 1024;

/** Small documents first: they take a moment, so that nobody with one page waits for somebody's book. */
function priorityOf(bytes: number): number {
  if (bytes <= SMALL) return 2;
  return bytes <= MIDDLING ? 1 : 0;
}

/** Why a reading is stopped before its end. */
type Stop = 'turn' | 'analysis ended';

async function analyse(
  context: AnalysisContext,
  { data: task, signal: stopped, last }: JobAttempt<Task>,
): Promise<void> {
  const { database, log } = context.resources;
  const { analysisId } = task;
  if (await waitsForPause(context, task)) return;
  const document = await startTurn(database, analysisId);
  if (document === undefined) return;
  const ending = new AbortController();
  const stop = (reason: Stop): void => ending.abort(reason);
  const over = new AbortController();
  followAnalysis(database, analysisId, { signal: over.signal, onEnd: () => stop('analysis ended') }).catch(
    (error) => log.warn({ err: error, analysis: analysisId }, 'an analysis could not be followed'),
  );
  try {
    const reply = await readDocument(context, task, document, {
      signal: AbortSignal.any([stopped, ending.signal]),
      onTurnOver: () => stop('turn'),
    });
    await noteReply(database, analysisId, reply);
    await answer(context, task, asAnswer(await worded(context, task, reply)));
    context.passwords.drop(analysisId);
  } catch (error) {
    const reason = ending.signal.reason as Stop | undefined;
    if (reason === 'analysis ended') context.passwords.drop(analysisId);
    else if (reason === 'turn') await addAgain(context, task, document);
    else if (last && !stopped.aborted) {
      const message = 'The document could not be analysed because of a fault on our side. Please try again.';
      const fault: Answer = { status: 'failed', error: { code: 'internal', message } };
      await answer(context, task, error instanceof DocumentNotServed ? asAnswer(undefined) : fault);
    } else throw error;
  } finally {
    over.abort();
  }
}

/**
 * Reads a document from the page on where an earlier turn ended, and stores every page. `onTurnOver` is called when
 * enough pages were read and other documents wait.
 */
async function readDocument(
  context: AnalysisContext,
  task: Task,
  { filePath, pages, begins }: TurnDocument,
  { signal, onTurnOver }: { signal: AbortSignal; onTurnOver: () => void },
): Promise<ReadingReply | undefined> {
  const { database, log } = context.resources;
  const path = await context.documents.signedPath(filePath, DOCUMENT_URL_SECONDS);
  if (path === undefined) return undefined;
  // One after the other, so that the progress never goes back. A failure here must not end the reading.
  let told = Promise.resolve();
  const then = (work: () => Promise<void>): void => {
    told = told
      .then(work)
      .catch((error) =>
        log.warn({ err: error, analysis: task.analysisId }, 'progress was not delivered or stored'),
      );
  };
  let read = 0;
  const reply = await readServedDocument(
    context,
    {
      path,
      fileName: task.fileName,
      createdAt: task.createdAt,
      password: context.passwords.get(task.analysisId),
      pages,
      begins,
    },
    signal,
    {
      onDownload: () => answer(context, task, { status: 'progress', progress: DOWNLOADED }),
      onPicture: ({ done, of }) =>
        then(async () => {
          await notePicture(database, task.analysisId, { done, of });
          const progress = DOWNLOADED + (PICTURES_READ - DOWNLOADED) * Math.min(1, done / of);
          await answer(context, task, { status: 'progress', progress: Math.round(progress) });
        }),
      onPage: (page) =>
        then(async () => {
          await storePage(database, task.analysisId, page);
          read += 1;
          if (read >= PAGES_A_TURN && (await othersWait(database, task.analysisId))) onTurnOver();
        }),
    },
  );
  await told;
  return reply;
}

/** Lets the documents that wait go first; the pages that were read are stored. */
async function addAgain(
  { resources: { database, jobs } }: AnalysisContext,
  task: Task,
  { userId: group, size }: TurnDocument,
): Promise<void> {
  await jobs.add(database, EMBEDDED_JOB, task, { key: task.analysisId, group, priority: priorityOf(size) });
}

/**
 * Postpones a document while its customer is in a pause, because several of their documents in a row ended the reader
 * (decision 0450). The waiting job delays no other customer.
 */
async function waitsForPause(
  { resources: { database, jobs } }: AnalysisContext,
  task: Task,
): Promise<boolean> {
  const held = await findPause(database, task.analysisId, new Date());
  if (held === undefined) return false;
  const { userId: group, size, until } = held;
  await database.transaction(async (queries) => {
    await showPause(queries, task.analysisId, until);
    await jobs.add(queries, EMBEDDED_JOB, task, {
      key: task.analysisId,
      group,
      priority: priorityOf(size),
      after: until,
    });
  });
  return true;
}

/** The answer with a model's words, if the installation has a model for reports. */
async function worded(
  { resources }: AnalysisContext,
  { analysisId }: Task,
  reply: ReadingReply | undefined,
): Promise<ReadingReply | undefined> {
  if (reply?.outcome !== 'read' || !resources.settings.DOCUMENT_LLM_REPORTS) return reply;
  const owner = await resources.database.maybe('select user_id from private.analyses where id = $1', [
    analysisId,
  ]);
  if (owner === undefined) return reply;
  return { ...reply, report: await withModelWords(resources, owner.user_id, reply) };
}

/** Stores the printed lines, and how the reading ended. */
async function noteReply(
  queries: Queries,
  analysisId: string,
  reply: ReadingReply | undefined,
): Promise<void> {
  if (reply?.outcome === 'read') await storeRows(queries, analysisId, reply.rows);
  await noteReading(queries, analysisId, endOf(reply), new Date());
}

function endOf(reply: ReadingReply | undefined): 'read' | 'ended' | 'refused' {
  if (reply?.outcome === 'read') return 'read';
  return reply?.readerEnded === true ? 'ended' : 'refused';
}

function asAnswer(reply: ReadingReply | undefined): Answer {
  if (reply === undefined) {
    return {
      status: 'failed',
      error: { code: 'file_missing', message: 'The stored file could not be found.' },
    };
  }
  if (reply.outcome === 'unreadable') {
    const { code, sentence: message } = failureOf(reply);
    return { status: 'failed', error: { code, message } };
  }
  return { status: 'completed', report: reply.report, blocks: reply.blocks };
}

/** Sends the call-back. 404 and 409 mean that the file was deleted or the analysis is closed. */
async function answer(context: AnalysisContext, task: Task, body: Answer): Promise<void> {
  const reply = await requestOwnServer(await context.ownOrigin(), task.callbackPath, {
    method: 'POST',
    maxBytes: 2048,
    headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${task.token}` },
    body: JSON.stringify(body),
  });
  if (reply.status >= 300 && ![404, 409].includes(reply.status)) {
    throw new Error(`the call-back answered ${reply.status}: ${reply.body.toString('utf8').slice(0, 300)}`);
  }
}
