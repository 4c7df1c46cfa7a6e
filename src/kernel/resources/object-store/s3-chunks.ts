import { type AppendOptions, MissingBytes } from './object-store.ts';
import { listKeys, removeKeys, type S3Client } from './s3-client.ts';
import { sendUnlessTaken } from './s3-send-ahead.ts';

/** Bytes between two checkpoints: the most that a killed server loses. */
const CHUNK_BYTES = 4 * 1024 * 1024;
const OFFSET_DIGITS = 15;

/** A part of an upload that arrives in several requests, stored as an object of its own. */
export interface Chunk {
  readonly key: string;
  readonly start: number;
  readonly size: number;
}

const folder = (id: string): string => `uploads/${id}/`;

/** The chunks of an upload, in order. */
export async function chunksOf(client: S3Client, id: string): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const { key, size } of listKeys(client, folder(id))) {
    chunks.push({ key, size, start: Number(key.slice(folder(id).length)) });
  }
  return chunks.sort((a, b) => a.start - b.start);
}

/** Removes the chunks that begin at `from` or later. */
export async function removeChunks(client: S3Client, id: string, from: number): Promise<void> {
  const chunks = await chunksOf(client, id);
  await removeKeys(
    client,
    chunks.filter(({ start }) => start >= from).map(({ key }) => key),
  );
}

/**
 * Adds chunks from `offset` on and calls the checkpoint after each. When the source fails, what came before
 * is stored and counted. Two writers cannot mix, because a chunk is never overwritten.
 *
 * @throws MissingBytes when the chunks before do not reach `offset`
 */
export async function appendChunks(
  client: S3Client,
  { id, offset }: { readonly id: string; readonly offset: number },
  source: AsyncIterable<Buffer>,
  { inspect, checkpoint }: AppendOptions,
): Promise<void> {
  await removeChunks(client, id, offset);
  if (contiguous(await chunksOf(client, id)) !== offset) {
    throw new MissingBytes('bytes of a resumable upload are missing');
  }
  let start = offset;
  let pending: Buffer[] = [];
  let waiting = 0;
  const save = async (last: boolean): Promise<void> => {
    if (waiting === 0) return;
    const body = Buffer.concat(pending, waiting);
    pending = [];
    waiting = 0;
    const key = folder(id) + String(start).padStart(OFFSET_DIGITS, '0');
    await sendUnlessTaken(client, { method: 'PUT', key, body });
    start += body.length;
    await checkpoint(start, last);
  };
  try {
    for await (const piece of source) {
      inspect(piece);
      pending.push(piece);
      waiting += piece.length;
      if (waiting >= CHUNK_BYTES) await save(false);
    }
  } finally {
    await save(true);
  }
}

/** The bytes of the chunks in order. @throws MissingBytes when there is a gap */
export async function* readChunks(client: S3Client, chunks: readonly Chunk[]): AsyncGenerator<Buffer> {
  if (chunks.length > 0 && contiguous(chunks) === undefined)
    throw new MissingBytes('a resumable upload has a gap');
  for (const { key } of chunks) {
    const { stream } = await client.send({ method: 'GET', key }, true);
    if (stream === null) continue;
    for await (const piece of stream) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  }
}

/** Where the chunks end, if they follow each other without a gap from 0 on; else undefined. */
function contiguous(chunks: readonly Chunk[]): number | undefined {
  let end = 0;
  for (const { start, size } of chunks) {
    if (start !== end) return undefined;
    end += size;
  }
  return end;
}
