import type { FastifyReply } from 'fastify';
import { nextSlice } from '../concurrency/event-loop-slices.ts';

/** Characters that are written before other requests get their turn: about a millisecond's work. */
const SLICE = 128 * 1024;

/** A body of JSON that is already serialised, in UTF-8. */
export class JsonBytes {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/** Replies with JSON that is already serialised. */
export function sendJson(reply: FastifyReply, { bytes }: JsonBytes): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(bytes);
}

/**
 * The JSON of a list, whose rows are converted and written in slices; other requests get their turn in
 * between.
 */
export async function jsonList<Row>(
  rows: readonly Row[],
  show: (row: Row) => unknown = (row) => row,
): Promise<JsonBytes> {
  const pieces = await inSlices(rows, (row, at) => `${at === 0 ? '' : ','}${JSON.stringify(show(row))}`);
  return new JsonBytes(Buffer.concat([Buffer.from('['), ...pieces, Buffer.from(']')]));
}

/** The JSON of an object, where some fields may be JSON already. */
export function jsonFields(fields: Readonly<Record<string, unknown>>): JsonBytes {
  const pieces = Object.entries(fields).flatMap(([name, value], at) => [
    Buffer.from(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    value instanceof JsonBytes ? value.bytes : Buffer.from(JSON.stringify(value)),
  ]);
  return new JsonBytes(Buffer.concat([...pieces, Buffer.from('}')]));
}

/** The UTF-8 text that `write` makes of each row, as one buffer for each slice. */
export async function inSlices<Row>(
  rows: readonly Row[],
  write: (row: Row, at: number) => string,
): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let slice = '';
  for (const [at, row] of rows.entries()) {
    slice += write(row, at);
    if (slice.length < SLICE) continue;
    pieces.push(Buffer.from(slice));
    slice = '';
    await nextSlice();
  }
  pieces.push(Buffer.from(slice));
  return pieces;
}
