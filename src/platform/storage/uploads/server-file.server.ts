import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { ContentCheck } from '../content/upload-content-check.server.ts';
import { findBucket } from '../objects/object-lookup.server.ts';
import type { StorageScope } from '../storage-scope.server.ts';
import { cancel, renewLease, reserve, store } from './upload-reservation.server.ts';

/** A file that another feature stores in its own bucket. */
export interface ServerFile {
  readonly bucketId: string;
  /** Chosen by the server; unique in the bucket. */
  readonly name: string;
  /** Announced length of the request in bytes; undefined when unknown. */
  readonly declared: number | undefined;
  /** Bytes of the request besides the file. */
  readonly overhead: number;
  readonly source: AsyncIterable<Buffer>;
  readonly check: ContentCheck;
  /** Figures such as a video's length, which the rules of a bucket otherwise measure. */
  readonly facts?: Readonly<Record<string, number>>;
  /** Whose file it is, with their quota and credit; left out, it belongs to the server. */
  readonly owner?: Caller;
  /** Called when the upload is refused before it begins, so that what was reserved for it can be released. */
  readonly refused?: () => Promise<void>;
}

const RENEW_MS = 30_000;
const SERVER_CALLER: Caller = { role: 'service_role', userId: undefined, claims: {} };

/**
 * Streams a file into the object store like an upload: leased, checked, scanned, and its row written in one
 * transaction with `also`, so that a kill at any point leaves both or neither.
 *
 * @param also writes what belongs to the object, under the object's id
 * @returns the object's id and its bytes
 * @throws ServiceError as an upload does
 */
export async function storeServerFile(
  scope: Pick<StorageScope, 'resources' | 'scan'>,
  file: ServerFile,
  also: (queries: Queries, id: string, bytes: number) => Promise<void>,
): Promise<{ id: string; bytes: number }> {
  const { resources, scan } = scope;
  const bucket = await findBucket(resources.database, file.bucketId);
  const target = { bucket, name: file.name, caller: file.owner ?? SERVER_CALLER, replace: false };
  const upload = await reserve(scope, target, file.declared, { overhead: file.overhead }).catch(
    async (error) => {
      await file.refused?.();
      throw error;
    },
  );
  const renewal = setInterval(() => void renewLease(scope, upload.id), RENEW_MS);
  try {
    let bytes = 0;
    const received = await resources.objects.receive(upload.id, file.source, {
      inspect(piece) {
        bytes += piece.length;
        if (bytes > upload.limit) throw upload.beyondLimit();
        file.check.inspect(piece);
      },
    });
    await file.check.finish(received.file);
    await scan(received.file);
    await resources.objects.keep(received);
    const body = { cacheControl: 'no-cache', userMetadata: null };
    const { check, facts } = file;
    const content = { ...body, ...received, mimeType: check.mimeType, ...(facts && { facts }) };
    const id = await store(scope, upload, content, (queries) => also(queries, upload.id, received.bytes));
    return { id, bytes: received.bytes };
  } catch (error) {
    await cancel(scope, upload.id);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}
