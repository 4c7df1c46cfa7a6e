import { isPassingError, type Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { lockFiles } from '../file-lock.server.ts';
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
    const waiting = await database.maybe(
      'select file_id from private.arrived_documents order by noted_at, file_id limit 1',
    );
    if (waiting === undefined) return;
    const fileId = waiting.file_id;
    await database
      .transaction((queries) => readArrival(parts, queries, fileId))
      .catch(async (error: unknown) => {
        if (isPassingError(error)) throw error;
        log.error({ err: error, fileId }, 'the fields that a customer named cannot be read in a document');
        await forget(database, fileId);
      });
  }
}

/** Locks the file first, then the report, then its fields, then its arrival, as others do (decision 0850). */
async function readArrival(parts: Parts, queries: Queries, fileId: string): Promise<void> {
  // A rule may rename the file.
  await lockFiles(queries, [fileId]);
  await queries.maybe('select 1 from northline_app.analysis_reports where file_id = $1 for no key update', [
    fileId,
  ]);
  const noted = await queries.maybe(
    'select noted_at::text as at /* not null */ from private.arrived_documents where file_id = $1',
    [fileId],
  );
  // Another process may have read it meanwhile.
  if (noted === undefined) return;
  const isRead = await readOwnFields(queries, fileId, () => rowsOfFile(queries, fileId));
  if (isRead) await applyRules(parts, queries, fileId);
  // The job notes the document again when it has the lines; rules may ask for the fields.
  else await parts.jobs.add(queries, ROWS_JOB, { fileId }, { key: fileId });
  // If a field has learned something since, the document waits for that.
  await queries.run(
    'delete from private.arrived_documents where file_id = $1 and noted_at = $2::text::timestamptz',
    [fileId, noted.at],
  );
}

async function forget(queries: Queries, fileId: string): Promise<void> {
  await queries.run('delete from private.arrived_documents where file_id = $1', [fileId]);
}
