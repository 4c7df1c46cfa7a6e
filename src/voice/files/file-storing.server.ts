import { randomUUID } from 'node:crypto';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { createScan } from '../../platform/storage/content/content-scan.server.ts';
import { storeServerFile } from '../../platform/storage/uploads/server-file.server.ts';
import { INDEX_JOB } from './file-index.server.ts';
import { checkFileKind } from './file-kinds.server.ts';

/** The private bucket of files that assistants consult. */
export const FILES_BUCKET = 'voice-files';

/** A file for assistants, while it arrives. */
export interface IncomingFile {
  readonly name: string;
  readonly source: AsyncIterable<Buffer>;
  /** Bytes announced for the file and for what surrounds it; undefined when unknown. */
  readonly declared: number | undefined;
  readonly overhead: number;
  /** The other properties of its record; read once its bytes have arrived. */
  fields(): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Stores a file: the object, its record and the job that reads it are created together or not at all.
 *
 * @param also runs in the same transaction, with the file's id
 * @returns the id of its record
 * @throws ServiceError 415 `unsupported_file`, and the errors of an upload
 */
export async function storeAssistantFile(
  resources: Resources,
  file: IncomingFile,
  also: (queries: Queries, id: string) => Promise<void> = async () => {},
): Promise<string> {
  const { extension, check } = checkFileKind(file.name);
  const key = `${resources.keys.voice_org_id}/${randomUUID()}.${extension}`;
  const { declared, overhead, source } = file;
  const { id } = await storeServerFile(
    { resources, scan: createScan(resources.settings, resources.log) },
    { bucketId: FILES_BUCKET, name: key, declared, overhead, source, check },
    async (queries, objectId, bytes) => {
      const body = {
        object: 'file',
        status: 'not_indexed',
        name: file.name,
        originalName: file.name,
        bytes,
        mimetype: check.mimeType,
        key,
        path: key,
        bucket: FILES_BUCKET,
        ...(await file.fields()),
      };
      await also(queries, objectId);
      await queries.run("insert into private.voice_records (id, kind, body) values ($1, 'file', $2)", [
        objectId,
        JSON.stringify(body),
      ]);
      await resources.jobs.add(queries, INDEX_JOB, { fileId: objectId });
    },
  );
  return id;
}
