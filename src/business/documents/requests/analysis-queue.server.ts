import { z } from 'zod';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { AnalysisQueue, QueuePlace } from '../../files/analysis-queue.contract.ts';
import { EMBEDDED_JOB, READERS, READERS_A_CUSTOMER } from './reading-turn.server.ts';

/** Most documents of the queue that we read; behind them, nobody needs the exact place. */
const MOST = 5000;
/** Finished readings from which the expected time is taken. */
const SAMPLE = 200;
/** Seconds that are expected of a small, a middling and a large document before any was read. */
const FIRST_GUESS = [4, 8, 30] as const;
/** Seconds that are expected of a page which is read from its picture. */
const PAGE_SECONDS = 7;

/**
 * The function `analysis-queue`: where the user's documents are in the queue of our own analyser, and how long they will
 * take. Answers `{documents}`; it says nothing about the documents of others.
 */
export function declareAnalysisQueue(http: HttpContext, { database }: Resources): void {
  declareFunction(http, {
    name: 'analysis-queue',
    callers: 'users',
    body: z.object({}),
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: async ({ caller }): Promise<AnalysisQueue> => {
      const userId = requireUser(caller);
      const [queue, typical] = await Promise.all([readQueue(database), typicalSeconds(database)]);
      const places = forecast(queue, typical);
      return {
        documents: queue.flatMap((document, index) => {
          const expected = places[index];
          return document.userId === userId && expected !== undefined
            ? [{ file_id: document.fileId, ...expected }]
            : [];
        }),
      };
    },
  });
}

/** A document that waits or is being read. */
export interface QueuedDocument {
  readonly fileId: string;
  readonly userId: string;
  /** 2 for a small document, 0 for a large one. */
  readonly priority: number;
  /** Seconds since the reader started; undefined while it waits. */
  readonly readFor: number | undefined;
  readonly page: number | null;
  readonly pages: number | null;
}

/** The documents that are being read, then those that wait, in the order in which the jobs are taken. */
async function readQueue(queries: Queries): Promise<QueuedDocument[]> {
  const rows = await queries.many(
    `select a.file_id, a.user_id, j.priority, a.pages_done, a.pages_of,
            case when j.state = 'active' then extract(epoch from now() - a.reading_since)::float8 end as read_for
       from private.job j join private.analyses a on a.id::text = j.data ->> 'analysisId'
      where j.name = $1 and j.state in ('created', 'retry', 'active') and j.start_after <= now()
        and a.state in ('queued', 'sent')
      order by (j.state = 'active') desc, j.priority desc, j.created_on, j.id limit $2`,
    [EMBEDDED_JOB, MOST],
  );
  return rows.map((row) => ({
    fileId: row.file_id,
    userId: row.user_id,
    priority: row.priority,
    readFor: row.read_for ?? undefined,
    page: row.pages_done === null ? null : row.pages_done + 1,
    pages: row.pages_of,
  }));
}

/** Seconds of real time that the readings of small, middling and large documents took lately. */
async function typicalSeconds(queries: Queries): Promise<readonly number[]> {
  const rows = await queries.many(
    `select case when size <= 262144 then 0 when size <= 4194304 then 1 else 2 end as class /* not null */,
            avg(seconds)::float8 as seconds /* not null */
       from (select f.file_size as size, extract(epoch from a.finished_at - a.reading_since) as seconds
               from private.analyses a join public.user_files f on f.id = a.file_id
              where a.reading_since is not null and a.state = 'completed' and a.finished_at > now() - interval '1 day'
              order by a.finished_at desc limit $1) as recent
      group by 1`,
    [SAMPLE],
  );
  return FIRST_GUESS.map((guess, index) => rows.find((row) => row.class === index)?.seconds ?? guess);
}

/**
 * When each document will have been read: the readers take the documents in order, but never two of one customer.
 *
 * @param queue as `readQueue` orders it
 * @param typical seconds for a small, a middling and a large document
 */
export function forecast(
  queue: readonly QueuedDocument[],
  typical: readonly number[],
): Omit<QueuePlace, 'file_id'>[] {
  const readers = Array.from({ length: READERS }, () => 0);
  const customers = new Map<string, number>();
  let place = 0;
  return queue.map((document) => {
    const { userId, priority, readFor, page, pages } = document;
    const whole = typical[2 - priority] ?? FIRST_GUESS[2];
    const left = page === null || pages === null ? whole - (readFor ?? 0) : (pages - page + 1) * PAGE_SECONDS;
    const reader = readers.indexOf(Math.min(...readers));
    const start = Math.max(readers[reader] ?? 0, customers.get(userId) ?? 0);
    const end = start + Math.max(1, left);
    readers[reader] = end;
    if (READERS_A_CUSTOMER === 1) customers.set(userId, end);
    if (readFor === undefined) place += 1;
    return { place: readFor === undefined ? place : null, seconds: Math.round(end), page, pages };
  });
}
