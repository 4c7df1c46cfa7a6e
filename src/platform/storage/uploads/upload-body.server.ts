import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { storageErrors } from '../storage-errors.server.ts';

/** The one file of an upload request, before its bytes are read. */
export interface UploadBody {
  /** MIME type that the client declared. */
  readonly contentType: string;
  /** `max-age=3600`, or `no-cache`. */
  readonly cacheControl: string;
  /** The client's own metadata for the object, or null. */
  readonly userMetadata: Record<string, unknown> | null;
  /** `gzip`, `br`, `deflate` or `zstd` when the bytes are encoded, and are served with that encoding. */
  readonly contentEncoding?: string;
  /** True when each piece has memory of its own, as in a raw body; the parts of a form share theirs. */
  readonly ownsPieces: boolean;
  /** The bytes; can be read once. Ends with an error when the request does not arrive completely. */
  readonly source: AsyncIterable<Buffer>;
}

/** An upload that sends no byte for this long counts as dead. */
const IDLE_MS = 60_000;
/** Longest time for the whole upload. */
const DEADLINE_MS = 60 * 60_000;
const ENCODINGS = new Set(['gzip', 'br', 'deflate', 'zstd']);
const MAX_METADATA_BYTES = 64 * 1024;
/**
 * Bytes of a refused upload that are still read, so that the client sees the reply and not a broken
 * connection.
 */
const DISCARD_BYTES = 16 * 1024 * 1024;
const DISCARD_IDLE_MS = 5000;

/**
 * Reads an upload in the two forms that clients send (docs/contracts/platform.md §3): the raw body with
 * headers, or a multipart form with the fields first and the file under an empty name.
 */
export async function readUploadBody(request: IncomingMessage): Promise<UploadBody> {
  request.setTimeout(IDLE_MS, () => request.destroy(storageErrors.tooSlow()));
  const contentType = request.headers['content-type'] ?? '';
  if (/^multipart\/form-data\b/i.test(contentType)) return readMultipart(request, contentType);
  return {
    contentType,
    cacheControl: cacheControl(request.headers['cache-control']),
    userMetadata: readMetadataHeader(request.headers['x-metadata']),
    ...contentEncoding(request.headers['content-encoding']),
    ownsPieces: true,
    source: pieces(request),
  };
}

/** After a refusal, reads and drops the rest of the request, up to a limit. */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  request.unpipe();
  request.setTimeout(DISCARD_IDLE_MS, () => request.destroy());
  request.on('error', () => {});
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > DISCARD_BYTES) request.destroy();
  });
  request.resume();
}

/**
 * The bytes of a request. Leaving the loop does not close the connection. @throws ServiceError RequestAborted
 */
export async function* pieces(source: Readable): AsyncGenerator<Buffer> {
  const deadline = Date.now() + DEADLINE_MS;
  try {
    // The stream is the client's connection, which must stay open for the reply when the loop is left early.
    for await (const piece of source.iterator({ destroyOnReturn: false })) {
      if (Date.now() > deadline) throw storageErrors.tooSlow();
      yield piece as Buffer;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw isStreamEnd(error) ? storageErrors.aborted() : error;
  }
}

function isStreamEnd(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'EPIPE';
}

function readMultipart(request: IncomingMessage, contentType: string): Promise<UploadBody> {
  return new Promise((resolve, reject) => {
    const form = openForm(request, contentType);
    const fields = new Map<string, string>();
    let file: BusboyFileStream | undefined;
    let whole = false;
    const fail = (error: Error): void => {
      file?.destroy(error);
      reject(error);
    };
    form.on('field', (name, value) => fields.set(name, value));
    const onFile = (stream: BusboyFileStream, mimeType: string): void => {
      if (file !== undefined) {
        stream.resume();
        return;
      }
      file = stream;
      stream.on('error', () => {});
      try {
        const metadata = fields.get('metadata');
        resolve({
          contentType: mimeType,
          cacheControl: cacheControl(fields.get('cacheControl')),
          userMetadata: metadata === undefined ? null : parseMetadata(metadata),
          ...contentEncoding(fields.get('contentEncoding')),
          ownsPieces: false,
          source: pieces(stream),
        });
      } catch (error) {
        fail(error as Error);
      }
    };
    // biome-ignore lint/complexity/useMaxParams: the listener's signature is busboy's
    form.on('file', (_name, stream, _fileName, _encoding, mimeType) => onFile(stream, mimeType));
    form.on('finish', () => {
      whole = true;
      reject(storageErrors.invalidRequest('The form has no file'));
    });
    form.on('error', () => fail(storageErrors.invalidRequest('The form cannot be read')));
    request.once('close', () => {
      if (!request.complete && !whole) fail(storageErrors.aborted());
    });
    request.on('error', () => fail(storageErrors.aborted()));
    request.pipe(form);
  });
}

function openForm(request: IncomingMessage, contentType: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      limits: { files: 2, fields: 10, parts: 12, fieldSize: MAX_METADATA_BYTES, headerPairs: 100 },
      // The client's file has an empty field name (docs/contracts/platform.md §7, trap 4).
      isPartAFile: (fieldName, _type, fileName) => fileName !== undefined || fieldName === '',
    });
  } catch {
    throw storageErrors.invalidRequest('The form cannot be read');
  }
}

/** `max-age=3600` from a client's value, or `no-cache`. */
export function cacheControl(given: string | undefined): string {
  const seconds = /^(?:max-age=)?(\d{1,9})$/.exec(given?.trim() ?? '')?.[1];
  return seconds === undefined ? 'no-cache' : `max-age=${seconds}`;
}

function contentEncoding(given: string | undefined): Pick<UploadBody, 'contentEncoding'> {
  if (given === undefined || given === '' || given === 'identity') return {};
  if (!ENCODINGS.has(given))
    throw storageErrors.invalidRequest('contentEncoding: must be gzip, br, deflate or zstd');
  return { contentEncoding: given };
}

/** The header `x-metadata`: base64 of a JSON object, or null without it. @throws as `parseMetadata` */
export function readMetadataHeader(header: string | string[] | undefined): Record<string, unknown> | null {
  if (typeof header !== 'string') return null;
  return parseMetadata(Buffer.from(header, 'base64').toString('utf8'));
}

/** A client's own metadata. @throws ServiceError InvalidRequest unless it is a small JSON object */
export function parseMetadata(text: string): Record<string, unknown> {
  const tooLong = Buffer.byteLength(text) > MAX_METADATA_BYTES;
  try {
    const value: unknown = tooLong ? undefined : JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Falls through to the one sentence below.
  }
  throw storageErrors.invalidRequest('metadata: must be a JSON object of at most 64 KB');
}
