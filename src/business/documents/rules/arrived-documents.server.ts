import { isPassingError, type Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { ROWS_JOB, rowsOfFile } from '../own-fields/document-rows.server.ts';
import { readOwnFields } from '../own-fields/own-field-values.server.ts';
import { applyRules, type RuleParts } from './rule-application.server.ts';

/** Notified when a document waits for its own fields. */
const CHANNEL = 'documents_arrived';
/** Seconds between rounds, as a safety net. */
const EVERY_SECONDS = 120;
/** Documents of a round before it checks whether the process is to stop. */
const MOST_AT_ONCE = 200;

type Parts = RuleParts & Pick<Resources, 'database' | 'jobs' | 'log'>;

/** Reads own fields in documents that have arrived, and in all of a kind after a field changed; then applies rules. */
export function defineArrivals(resources: Resources): void {
  resources.jobs.every(
    'documents that wait for own fields',
    EVERY_SECONDS,
    () => readArrivals(resources),
    CHANNEL,
  );
}

/**
 * One round. Each document is one transaction: if the process dies, the document still waits. A document that cannot be
 * read this way is skipped, with a line in the log.
 */
export async function readArrivals(parts: Parts): Promise<void> {
  const { database, log } = parts;
  for (let count = 0; count < MOST_AT_ONCE; count += 1) {
    let fileId: string | undefined;
    try {
      const worked = await database.transaction(async (queries) => {
        const waiting = await queries.maybe(
          'select file_id from private.arrived_documents order by noted_at, file_id limit 1 for update skip locked',
        );
        fileId = waiting?.file_id;
        if (fileId === undefined) return false;
        await readArrival(parts, queries, fileId);
        await forget(queries, fileId);
        return true;
      });
      if (!worked) return;
    } catch (error) {
      if (fileId === undefined || isPassingError(error)) throw error;
      log.error({ err: error, fileId }, 'the own fields of a document cannot be read');
      await forget(database, fileId);
    }
  }
}

async function readArrival(parts: Parts, queries: Queries, fileId: string): Promise<void> {
  const isRead = await readOwnFields(queries, fileId, () => rowsOfFile(queries, fileId));
  if (isRead) await applyRules(parts, queries, fileId);
  // The job notes the document again when it has the lines; rules may ask for the fields.
  else await parts.jobs.add(queries, ROWS_JOB, { fileId }, { key: fileId });
}

async function forget(queries: Queries, fileId: string): Promise<void> {
  await queries.run('delete from private.arrived_documents where file_id = $1', [fileId]);
}
