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

/** What is sent to the store at once, bytes: the least that S3 takes as a part. */
const PART_BYTES = 5 * 1024 * 1024;

/** Bytes in a local file, the larger part of which is in the store already, in an upload not yet completed. */
export interface SentBytes extends ReceivedBytes {
  /** Undefined when there are so few bytes that they are sent in one request. */
  readonly multipart?: Multipart;
  /** They were put together from chunks, which are still there. */
  readonly fromChunks: boolean;
}

/** Parts of an object that is not complete yet. */
export interface Multipart {
  readonly uploadId: string;
  /** Entity tag of each part, in order. */
  readonly tags: readonly string[];
}

/**
 * Streams bytes in: to a local file, for inspection, and at the same time part by part to the store.
 * Nobody can read them there before `completeUpload`. At most two parts are in memory.
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
    /** Passes the pieces on; a piece has been inspected once the next one is requested, and is sent only then. */
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
      // If this fails, the sweeper aborts it later.
      if (uploadId !== undefined) await abortUpload(client, key, uploadId).catch(() => {});
    },
  };
}

/** Begins an object in parts; its id at the store. */
export async function beginMultipart(client: S3Client, key: string): Promise<string> {
  const reply = await client.send({ method: 'POST', key, query: { uploads: '' } });
  return fieldText(parseReply(reply.text), 'UploadId');
}

/** Drops the parts of an upload; nothing happens when there is none. */
export async function abortUpload(client: S3Client, key: string, uploadId: string): Promise<void> {
  await client.send({ method: 'DELETE', key, query: { uploadId } }).catch((error) => {
    if (!(error instanceof S3Refusal && error.status === 404)) throw error;
  });
}

/**
 * Makes bytes that were sent ahead an object, whole or not at all.
 *
 * @throws Error when the key is taken, or when the store reports another size
 */
export async function completeUpload(client: S3Client, key: string, sent: SentBytes): Promise<void> {
  const request = await completion(key, sent);
  try {
    await sendUnlessTaken(client, request);
    // One body is signed with its hash, which the store has compared.
    if (sent.multipart === undefined) return;
  } catch (error) {
    // The reply to an attempt before this one may have been lost; then the object exists and is the one just sent.
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

/** The request that makes an object of its parts. */
export function multipartEnd(key: string, multipart: Multipart): S3Request {
  const parts = multipart.tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
  );
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  return { method: 'POST', key, query: { uploadId: multipart.uploadId }, body };
}

/** Writes without overwriting; a store without conditional writes is checked beforehand. */
export async function sendUnlessTaken(client: S3Client, request: S3Request): Promise<S3Reply> {
  try {
    return await client.send({ ...request, headers: { ...request.headers, 'if-none-match': '*' } });
  } catch (error) {
    if (!(error instanceof S3Refusal && error.status === 501)) throw error;
    if ((await sizeOf(client, request.key)) !== undefined) throw new Error('the id of an object is taken');
    return client.send(request);
  }
}

/** Bytes of an object, or undefined when there is none. */
export async function sizeOf(client: S3Client, key: string): Promise<number | undefined> {
  try {
    const { headers } = await client.send({ method: 'HEAD', key });
    return Number(headers.get('content-length'));
  } catch (error) {
    if (error instanceof S3Refusal && error.status === 404) return undefined;
    throw error;
  }
}
