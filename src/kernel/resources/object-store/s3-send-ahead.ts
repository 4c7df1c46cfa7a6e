import { createHash } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import type { ReceivedBytes } from './object-store.ts';
import {
  fieldText,
  parseReply,
  type S3Client,
  S3Refusal,
  type S3Reply,
  type S3Request,
} from './s3-client.ts';
import { observed, writeBehind } from './write-behind.ts';

/** Bytes that are sent to the store at once: the minimum that S3 accepts as a part. */
const PART_BYTES = 5 * 1024 * 1024;

/** Bytes in a local file, most of which are already at the store in an upload that is not yet completed. */
export interface SentBytes extends ReceivedBytes {
  /** Undefined when the bytes are few enough to be sent in one request. */
  readonly multipart?: Multipart;
  /** True when they were joined from chunks, which still exist. */
  readonly fromChunks: boolean;
}

/** The parts of an object that is not complete yet. */
export interface Multipart {
  readonly uploadId: string;
  /** Entity tag of each part, in order. */
  readonly tags: readonly string[];
}

/**
 * Receives a stream of bytes into a local file for inspection, and at the same time sends it part by part to
 * the store. Nobody can read the bytes there before `completeUpload`. At most two parts are in memory.
 *
 * @param pass called with each piece; a throw ends the reception and nothing is left behind
 */
export async function sendAhead(
  client: S3Client,
  target: { id: string; key: string; file: string; fresh: boolean },
  source: AsyncIterable<Buffer>,
  pass: (piece: Buffer) => void,
): Promise<SentBytes> {
  const { id, key, file, fresh } = target;
  const hash = createHash('sha256');
  const parts = openParts(client, key);
  const handle = await open(file, fresh ? 'wx' : 'w', 0o600);
  try {
    const inspect = (piece: Buffer): void => {
      pass(piece);
      hash.update(piece);
    };
    const bytes = await writeBehind(handle, parts.through(source), inspect, { durable: false });
    const multipart = await parts.end();
    await handle.close();
    const received = { id, bytes, sha256: hash.digest('hex'), file, fromChunks: !fresh };
    return multipart === undefined ? received : { ...received, multipart };
  } catch (error) {
    await handle.close().catch(() => {});
    await parts.abandon();
    await rm(file, { force: true });
    throw error;
  }
}

function openParts(client: S3Client, key: string) {
  const tags: string[] = [];
  let uploadId: string | undefined;
  let pending: Buffer[] = [];
  let waiting = 0;
  let sending: Promise<void> = Promise.resolve();
  const sendPart = async (): Promise<void> => {
    await sending;
    const body = Buffer.concat(pending, waiting);
    pending = [];
    waiting = 0;
    uploadId ??= await beginMultipart(client, key);
    const query = { partNumber: String(tags.push('')), uploadId };
    const place = tags.length - 1;
    sending = observed(
      client.send({ method: 'PUT', key, query, body }).then(({ headers }) => {
        tags[place] = headers.get('etag') ?? '';
      }),
    );
  };
  return {
    /**
     * Passes the pieces on. A piece is sent only when the next one is requested, because then it has been
     * inspected.
     */
    async *through(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const piece of source) {
        yield piece;
        pending.push(piece);
        waiting += piece.length;
        if (waiting >= PART_BYTES) await sendPart();
      }
    },
    /** Waits for the parts; undefined when the bytes are fewer than one part. */
    async end(): Promise<Multipart | undefined> {
      if (uploadId === undefined) return undefined;
      if (waiting > 0) await sendPart();
      await sending;
      return { uploadId, tags };
    },
    async abandon(): Promise<void> {
      await sending.catch(() => {});
      // If this fails, the sweep aborts it later.
      if (uploadId !== undefined) await abortUpload(client, key, uploadId).catch(() => {});
    },
  };
}

/** Begins an object in parts; returns the upload's id at the store. */
export async function beginMultipart(client: S3Client, key: string): Promise<string> {
  const reply = await client.send({ method: 'POST', key, query: { uploads: '' } });
  return fieldText(parseReply(reply.text), 'UploadId');
}

/** Deletes the parts of an upload; does nothing when there is none. */
export async function abortUpload(client: S3Client, key: string, uploadId: string): Promise<void> {
  await client.send({ method: 'DELETE', key, query: { uploadId } }).catch((error) => {
    if (!(error instanceof S3Refusal && error.status === 404)) throw error;
  });
}

/**
 * Makes bytes that were sent ahead an object, completely or not at all.
 *
 * @throws Error when the key is taken, or when the store reports another size
 */
export async function completeUpload(client: S3Client, key: string, sent: SentBytes): Promise<void> {
  const request = await completion(key, sent);
  try {
    await sendUnlessTaken(client, request);
    // A single body was signed with its hash, which the store compared.
    if (sent.multipart === undefined) return;
  } catch (error) {
    // The reply to an earlier attempt may have been lost; then the object exists and is the one just sent.
    const lost =
      error instanceof S3Refusal && error.repeated && (error.status === 412 || error.status === 404);
    if (!lost) throw error;
  }
  const size = await sizeOf(client, key);
  if (size === sent.bytes) return;
  throw new Error(`the object store has ${size ?? 'no'} bytes of an upload of ${sent.bytes}`);
}

async function completion(key: string, { file, multipart }: SentBytes): Promise<S3Request> {
  if (multipart === undefined) return { method: 'PUT', key, body: await readFile(file) };
  return multipartEnd(key, multipart);
}

/** The request that joins the parts into an object. */
export function multipartEnd(key: string, multipart: Multipart): S3Request {
  const parts = multipart.tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
  );
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  return { method: 'POST', key, query: { uploadId: multipart.uploadId }, body };
}

/**
 * Writes without overwriting. A store without conditional writes is asked beforehand whether the key exists.
 */
export async function sendUnlessTaken(client: S3Client, request: S3Request): Promise<S3Reply> {
  try {
    return await client.send({ ...request, headers: { ...request.headers, 'if-none-match': '*' } });
  } catch (error) {
    if (!(error instanceof S3Refusal && error.status === 501)) throw error;
    if ((await sizeOf(client, request.key)) !== undefined) throw new Error('the id of an object is taken');
    return client.send(request);
  }
}

/** The size of an object in bytes, or undefined when it does not exist. */
export async function sizeOf(client: S3Client, key: string): Promise<number | undefined> {
  try {
    const { headers } = await client.send({ method: 'HEAD', key });
    return Number(headers.get('content-length'));
  } catch (error) {
    if (error instanceof S3Refusal && error.status === 404) return undefined;
    throw error;
  }
}
