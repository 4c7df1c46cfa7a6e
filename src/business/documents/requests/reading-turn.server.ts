import { setInterval as every } from 'node:timers/promises';
import type { KeptPage } from '@northline/document-reader/reader-messages';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { findPages } from './read-pages.server.ts';

/** The job in which our own analyser reads a document. */
export const EMBEDDED_JOB = 'embedded-analysis';
/** Readers that run at the same time, and how many of them read documents of one customer. */
export const READERS = 2;
export const READERS_A_CUSTOMER = 1;
/** After this many pages from pictures, a document lets the documents that wait go first. */
export const PAGES_A_TURN = 20;
/** How often a reading looks whether its analysis still runs. */
const LOOK_MS = 3000;

/** A document whose turn has come. */
export interface TurnDocument {
  readonly fileId: string;
  readonly userId: string;
  readonly filePath: string;
  /** Bytes. */
  readonly size: number;
  /** Pages that earlier turns read from their pictures. */
  readonly pages: readonly KeptPage[];
  /** The pages on which a document begins, if the owner said so. */
  readonly begins: readonly number[] | undefined;
}

/** Notes that the reader starts now; undefined if the analysis has ended, so that nothing is to be read. */
export async function startTurn(queries: Queries, analysisId: string): Promise<TurnDocument | undefined> {
  const row = await queries.maybe(
    `update private.analyses a set reading_since = now(), updated_at = now()
       from public.user_files f
      where a.id = $1 and f.id = a.file_id and a.state in ('queued', 'sent')
     returning f.id, f.user_id, f.file_path, f.file_size,
               (select s.begins from private.stack_splits s where s.file_id = f.id) as begins`,
    [analysisId],
  );
  if (row === undefined) return undefined;
  const pages = await findPages(queries, row.id);
  return {
    ...{ fileId: row.id, userId: row.user_id, filePath: row.file_path, size: Number(row.file_size), pages },
    begins: row.begins ?? undefined,
  };
}

/** Notes which page is read from its picture now, for the page that shows the queue. */
export async function notePicture(
  queries: Queries,
  analysisId: string,
  { done, of }: { done: number; of: number },
): Promise<void> {
  await queries.run('update private.analyses set pages_done = $2, pages_of = $3 where id = $1', [
    analysisId,
    done,
    of,
  ]);
}

/** Whether other documents wait for a reader now. */
export async function othersWait(queries: Queries, analysisId: string): Promise<boolean> {
  const other = await queries.maybe(
    `select 1 as one from private.job
      where name = $1 and state in ('created', 'retry') and start_after <= now()
        and data ->> 'analysisId' <> $2 limit 1`,
    [EMBEDDED_JOB, analysisId],
  );
  return other !== undefined;
}

/** Calls `onEnd` once the analysis no longer runs, for example because its file was deleted; until `signal` ends it. */
export async function followAnalysis(
  queries: Queries,
  analysisId: string,
  { signal, onEnd }: { signal: AbortSignal; onEnd: () => void },
): Promise<void> {
  try {
    for await (const _ of every(LOOK_MS, undefined, { signal, ref: false })) {
      const running = await queries.maybe(
        `select 1 as one from private.analyses where id = $1 and state in ('queued', 'sent')`,
        [analysisId],
      );
      if (running === undefined) {
        onEnd();
        return;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
