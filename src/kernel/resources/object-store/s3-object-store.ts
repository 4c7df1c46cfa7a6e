import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { opendir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { S3Address } from '../../config/storage-url.ts';
import { isUuid } from '../../contract/uuid.ts';
import { checkedId } from './object-id.ts';
import type { ObjectStore } from './object-store.ts';
import { appendChunks, chunksOf, readChunks, removeChunks } from './s3-chunks.ts';
import {
  createS3Client,
  listKeys,
  listMultipart,
  removeKeys,
  type S3Client,
  S3Refusal,
} from './s3-client.ts';
import {
  abortUpload,
  completeUpload,
  type SentBytes,
  sendAhead,
  sendUnlessTaken,
  sizeOf,
} from './s3-send-ahead.ts';

const STORE_ID = 'store-id';
const OBJECTS = 'objects/';
const PARTIAL = '.part';

/**
 * The object store in a bucket of an S3-compatible service: `objects/{id}` for stored bytes,
 * `uploads/{id}/{offset}` for bytes that arrive in several requests, and incomplete multipart uploads for
 * bytes that arrive in one. `spool` is a local folder for files under inspection.
 *
 * @throws Error with one sentence for the operator when the bucket cannot be used
 */
export async function openS3ObjectStore(address: S3Address, spool: string): Promise<ObjectStore> {
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  const client = createS3Client(address);
  const key = (id: string): string => OBJECTS + checkedId(id);
  const file = (id: string): string => path.join(spool, `${checkedId(id)}${PARTIAL}`);

  async function discard(id: string): Promise<void> {
    await rm(file(id), { force: true });
    for await (const upload of listMultipart(client, key(id)))
      await abortUpload(client, upload.key, upload.uploadId);
    await removeChunks(client, id, 0);
  }

  return {
    id: await storeId(client, address),
    async receive(id, source, { inspect }) {
      return sendAhead(client, { id, key: key(id), file: file(id), fresh: true }, source, inspect);
    },
    append: (id, offset, source, options) =>
      appendChunks(client, { id: checkedId(id), offset }, source, options),
    async assemble(id, { inspect }) {
      const source = readChunks(client, await chunksOf(client, checkedId(id)));
      return sendAhead(client, { id, key: key(id), file: file(id), fresh: false }, source, inspect);
    },
    async keep(received) {
      const sent = received as SentBytes;
      await completeUpload(client, key(sent.id), sent);
      await rm(sent.file, { force: true });
      if (sent.fromChunks) await discard(sent.id);
    },
    discard,
    async read(id, range) {
      const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
      try {
        const { stream } = await client.send({ method: 'GET', key: key(id), headers }, true);
        return stream === null
          ? Readable.from([])
          : Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);
      } catch (error) {
        if (error instanceof S3Refusal && error.status === 404) return undefined;
        if (error instanceof S3Refusal && error.status === 416) return Readable.from([]);
        throw error;
      }
    },
    async duplicate(id, copy) {
      if ((await sizeOf(client, key(copy))) !== undefined) throw new Error('the id of an object is taken');
      const source = `/${client.bucket}/${client.prefix}${key(id)}`;
      await client.send({ method: 'PUT', key: key(copy), headers: { 'x-amz-copy-source': source } });
    },
    async remove(id) {
      await client.send({ method: 'DELETE', key: key(id) });
    },
    async removeAll(ids) {
      await removeKeys(client, ids.map(key));
    },
    async *kept() {
      for await (const entry of listKeys(client, OBJECTS)) {
        const id = entry.key.slice(OBJECTS.length);
        if (isUuid(id)) yield id;
      }
    },
    async *received() {
      const seen = new Set<string>();
      for await (const entry of await opendir(spool)) seen.add(path.basename(entry.name, PARTIAL));
      for await (const upload of listMultipart(client, OBJECTS)) seen.add(upload.key.slice(OBJECTS.length));
      for await (const chunk of listKeys(client, 'uploads/')) seen.add(chunk.key.split('/')[1] ?? '');
      for (const id of seen) if (isUuid(id)) yield id;
    },
  };
}

/** Reads the store's own id; the first process to open the store creates it. */
async function storeId(client: S3Client, { bucket }: S3Address): Promise<string> {
  const read = async (): Promise<string> => (await client.send({ method: 'GET', key: STORE_ID })).text.trim();
  try {
    return await read().catch(async (error) => {
      if (!(error instanceof S3Refusal && error.code === 'NoSuchKey')) throw error;
      const body = Buffer.from(`${randomUUID()}\n`);
      await sendUnlessTaken(client, { method: 'PUT', key: STORE_ID, body }).catch((taken) => {
        if (!(taken instanceof S3Refusal && taken.status === 412)) throw taken;
      });
      return read();
    });
  } catch (error) {
    throw new Error(reason(error, bucket), { cause: error });
  }
}

/** The sentence for the operator. */
function reason(error: unknown, bucket: string): string {
  if (!(error instanceof S3Refusal))
    return 'The object store of STORAGE_URL does not answer: check its host and port.';
  if (error.code === 'NoSuchBucket')
    return `The bucket ${bucket} of STORAGE_URL does not exist: make it first.`;
  if (error.status === 403) return `The object store refuses the keys of STORAGE_URL (${error.code}).`;
  return `The bucket ${bucket} of STORAGE_URL cannot be used (${error.status} ${error.code}): check its region.`;
}
