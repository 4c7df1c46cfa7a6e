import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { S3Address } from '../../config/storage-url.ts';
import { ServiceError } from '../../contract/service-error.ts';
import { elements, escaped, text } from './s3-xml.ts';

/** One request to the store. */
export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Below the address's prefix; '' is the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A reply of the store that is a success, or one of the refusals that the caller can do something with. */
export interface S3Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The body where it is text; '' when it was asked for as a stream. */
  readonly text: string;
  readonly stream: ReadableStream<Uint8Array> | null;
  /** The first attempt, or one after a failure that may have been a success whose reply was lost. */
  readonly repeated: boolean;
}

/** A refusal by the store: its HTTP status and its own word for it. */
export class S3Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly repeated: boolean;

  constructor(request: S3Request, status: number, code: string, repeated: boolean) {
    super(`the object store answered ${status} ${code} to ${request.method}`);
    this.name = 'S3Refusal';
    this.status = status;
    this.code = code;
    this.repeated = repeated;
  }
}

/** Signed requests to one bucket. */
export interface S3Client {
  readonly prefix: string;
  readonly bucket: string;
  /**
   * @param asStream the body is not read, and may take as long as its reader does
   * @throws S3Refusal; ServiceError 503 `storage_unavailable` when the store does not answer
   */
  send(request: S3Request, asStream?: boolean): Promise<S3Reply>;
}

const ATTEMPTS = 4;
const PAUSE_MS = 100;
/** A request with its body, or the first byte of a stream, takes no longer. */
const TIMEOUT_MS = 60_000;
/** Keys that one request removes at most (S3, DeleteObjects). */
const REMOVED_AT_ONCE = 1000;
const FULL = ['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage'];

/** Opens the client; no request is made. Every body is signed with its SHA-256, which the store checks. */
export function createS3Client(address: S3Address): S3Client {
  const cache = new Map<string, ArrayBuffer>();
  const { bucket, prefix, region, accessKeyId, secretAccessKey } = address;

  async function attempt(request: S3Request, asStream: boolean, repeated: boolean): Promise<S3Reply> {
    const { method, key, query = {}, headers = {}, body } = request;
    const url = new URL(address.bucketUrl + (key === '' ? '/' : `/${prefix}${key}`));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signed = await new AwsV4Signer({
      ...{ url: url.href, method, region, accessKeyId, secretAccessKey, service: 's3', cache },
      headers: { ...headers, 'x-amz-content-sha256': sha256(body ?? Buffer.alloc(0)) },
    }).sign();
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(new Error('the object store is silent')), TIMEOUT_MS);
    try {
      const reply = await fetch(signed.url, {
        ...{ method, headers: signed.headers, redirect: 'manual', signal: abort.signal },
        ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      });
      const streams = asStream && reply.ok;
      const answer = streams ? '' : await reply.text();
      // A copy or a completed upload may fail after the status line was sent.
      const failed = /^\s*(?:<\?xml[^>]*\?>\s*)?<Error>/.test(answer);
      if (!reply.ok || failed) {
        const code = text(answer, 'Code') || 'no code';
        throw new S3Refusal(request, reply.ok ? 500 : reply.status, code, repeated);
      }
      return {
        status: reply.status,
        headers: reply.headers,
        text: answer,
        stream: streams ? reply.body : null,
        repeated,
      };
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    prefix,
    bucket,
    async send(request, asStream = false) {
      for (let count = 1; ; count += 1) {
        try {
          return await attempt(request, asStream, count > 1);
        } catch (error) {
          if (error instanceof S3Refusal && FULL.includes(error.code)) throw full(error);
          if (error instanceof S3Refusal && !mayPass(error)) throw error;
          if (count === ATTEMPTS) throw unavailable(error);
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** count * (0.5 + Math.random())));
        }
      }
    },
  };
}

/** Every key and size under a prefix, page by page. */
export async function* listKeys(
  client: S3Client,
  under: string,
): AsyncGenerator<{ key: string; size: number }> {
  let after: string | undefined;
  do {
    const query = { 'list-type': '2', prefix: client.prefix + under };
    const page = await client.send({
      ...{ method: 'GET', key: '' },
      query: after === undefined ? query : { ...query, 'continuation-token': after },
    });
    for (const entry of elements(page.text, 'Contents')) {
      yield { key: text(entry, 'Key').slice(client.prefix.length), size: Number(text(entry, 'Size')) };
    }
    after = text(page.text, 'IsTruncated') === 'true' ? text(page.text, 'NextContinuationToken') : undefined;
  } while (after !== undefined);
}

/** Every multipart upload under a prefix that is neither completed nor aborted. */
export async function* listMultipart(
  client: S3Client,
  under: string,
): AsyncGenerator<{ key: string; uploadId: string }> {
  let markers: Record<string, string> | undefined = {};
  while (markers !== undefined) {
    const query = { uploads: '', prefix: client.prefix + under, ...markers };
    const page: S3Reply = await client.send({ method: 'GET', key: '', query });
    for (const entry of elements(page.text, 'Upload')) {
      yield { key: text(entry, 'Key').slice(client.prefix.length), uploadId: text(entry, 'UploadId') };
    }
    markers =
      text(page.text, 'IsTruncated') === 'true'
        ? {
            'key-marker': text(page.text, 'NextKeyMarker'),
            'upload-id-marker': text(page.text, 'NextUploadIdMarker'),
          }
        : undefined;
  }
}

/**
 * Removes keys in bulk; those that are not there do not matter.
 *
 * @throws Error when the store kept one of them
 */
export async function removeKeys(client: S3Client, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += REMOVED_AT_ONCE) {
    const entries = keys
      .slice(at, at + REMOVED_AT_ONCE)
      .map((key) => `<Object><Key>${escaped(client.prefix + key)}</Key></Object>`);
    const body = Buffer.from(`<Delete><Quiet>true</Quiet>${entries.join('')}</Delete>`);
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
    const reply = await client.send({ method: 'POST', key: '', query: { delete: '' }, headers, body });
    const [kept] = elements(reply.text, 'Error');
    if (kept !== undefined)
      throw new Error(`the object store kept what it was to remove: ${text(kept, 'Code')}`);
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Whether another attempt may be answered otherwise. */
function mayPass({ status, code }: S3Refusal): boolean {
  return (
    status >= 500 || status === 429 || code === 'RequestTimeout' || code === 'ConditionalRequestConflict'
  );
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError(503, 'storage_unavailable', 'The store of files does not answer at the moment.', {
    cause,
    headers: { 'retry-after': '5' },
  });
}

function full(cause: unknown): ServiceError {
  return new ServiceError(503, 'storage_full', 'The server cannot store more files at the moment.', {
    cause,
    headers: { 'retry-after': '60' },
  });
}
