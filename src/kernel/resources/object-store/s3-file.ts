import { createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { listMultipart, type S3Client } from './s3-client.ts';
import { abortUpload, beginMultipart, multipartEnd, sizeOf } from './s3-send-ahead.ts';

/** Bytes sent at once. S3 accepts 10,000 parts, so a file may have 320 GB. */
const PART_BYTES = 32 * 1024 * 1024;

/**
 * Sends a local file, overwriting whatever is under the key. Each part is signed with its hash, which the
 * store compares.
 *
 * @throws as `S3Client.send`; Error when the store has another size afterwards
 */
export async function sendFile(client: S3Client, key: string, file: string): Promise<void> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const read = async (at: number): Promise<Buffer> => {
      const body = Buffer.alloc(Math.min(PART_BYTES, size - at));
      for (let done = 0; done < body.length; ) {
        const { bytesRead } = await handle.read(body, done, body.length - done, at + done);
        if (bytesRead === 0) throw new Error(`${file} became shorter while it was sent`);
        done += bytesRead;
      }
      return body;
    };
    if (size <= PART_BYTES) {
      await client.send({ method: 'PUT', key, body: await read(0) });
      return;
    }
    await sendParts(client, key, { size, read });
  } finally {
    await handle.close();
  }
}

async function sendParts(
  client: S3Client,
  key: string,
  { size, read }: { readonly size: number; read(at: number): Promise<Buffer> },
): Promise<void> {
  const uploadId = await beginMultipart(client, key);
  const tags: string[] = [];
  try {
    for (let at = 0; at < size; at += PART_BYTES) {
      const query = { partNumber: String(tags.length + 1), uploadId };
      const { headers } = await client.send({ method: 'PUT', key, query, body: await read(at) });
      tags.push(headers.get('etag') ?? '');
    }
    await client.send(multipartEnd(key, { uploadId, tags }));
  } catch (error) {
    await abortUpload(client, key, uploadId).catch(() => {});
    throw error;
  }
  const there = await sizeOf(client, key);
  if (there !== size) throw new Error(`the object store has ${there ?? 'no'} bytes of a file of ${size}`);
}

/** Downloads an object into a local file and creates its folder. @throws as `S3Client.send` */
export async function fetchFile(client: S3Client, key: string, file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const { stream } = await client.send({ method: 'GET', key }, true);
  const source = stream === null ? Readable.from([]) : Readable.fromWeb(stream as never);
  await pipeline(source, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
}

/** Aborts the uploads under a prefix that were begun and never completed. */
export async function abortUnfinished(client: S3Client, under: string): Promise<void> {
  for await (const { key, uploadId } of listMultipart(client, under))
    await abortUpload(client, key, uploadId);
}
