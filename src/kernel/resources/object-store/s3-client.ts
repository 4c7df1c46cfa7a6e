import { createHash } from 'node:crypto';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { childElements, readXml, textContent, type XmlElement } from '@northline/xml/xml-reader';
import { AwsV4Signer } from 'aws4fetch';
import type { S3Address } from '../../config/storage-url.ts';
import { escapeHtml } from '../../contract/html-escape.ts';
import { ServiceError } from '../../contract/service-error.ts';

/** One request to the store. */
export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The key below the address's prefix; '' is the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A successful reply of the store, or one of the refusals that the caller can handle. */
export interface S3Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text; '' when it was requested as a stream. */
  readonly text: string;
  readonly stream: ReadableStream<Uint8Array> | null;
  /** False for the first attempt; true after a failure that may have been a success whose reply was lost. */
  readonly repeated: boolean;
}

/** A refusal by the store: its HTTP status and its own error code. */
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
   * @param asStream true when the reader of the reply reads the body, at its own speed
   * @throws S3Refusal; ServiceError 503 `storage_unavailable` when the store does not answer
   */
  send(request: S3Request, asStream?: boolean): Promise<S3Reply>;
}

const ATTEMPTS = 4;
const PAUSE_MS = 100;
/** Longest time for a request with its body, or until the first byte of a stream. */
const TIMEOUT_MS = 60_000;
/** Most keys that one request removes (S3, DeleteObjects). */
const REMOVED_AT_ONCE = 1000;
/** The reply to a copy has the entity tag in its body. */
const COPIED = /<CopyObjectResult[\s/>]/;
const FULL = ['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage'];

/** A list of keys is at most about 1 MB. */
const REPLY_BYTES = 16 * 1024 * 1024;

/**
 * Opens the client without making a request. Every body is signed with its SHA-256, which the store checks.
 */
export function createS3Client(address: S3Address): S3Client {
  const cache = new Map<string, ArrayBuffer>();
  const { bucket, prefix, region, accessKeyId, secretAccessKey } = address;

  function sign({ method, key, query = {}, headers = {}, body }: S3Request): Promise<SignedRequest> {
    const url = new URL(address.bucketUrl + (key === '' ? '/' : `/${prefix}${key}`));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return new AwsV4Signer({
      url: url.href,
      method,
      headers: { ...headers, 'x-amz-content-sha256': sha256(body ?? Buffer.alloc(0)) },
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
      cache,
    }).sign();
  }

  return {
    prefix,
    bucket,
    async send(request, asStream = false) {
      for (let count = 1; ; count += 1) {
        try {
          return await attempt(request, await sign(request), { asStream, repeated: count > 1 });
        } catch (error) {
          if (count === ATTEMPTS || !mayPass(error)) throw asFailure(error);
          await setTimeoutAsync(PAUSE_MS * 2 ** count * (0.5 + Math.random()));
        }
      }
    },
  };
}

type SignedRequest = Awaited<ReturnType<AwsV4Signer['sign']>>;

async function attempt(
  request: S3Request,
  { url, headers }: SignedRequest,
  { asStream, repeated }: { readonly asStream: boolean; readonly repeated: boolean },
): Promise<S3Reply> {
  const { method, body } = request;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new Error('the object store is silent')), TIMEOUT_MS);
  try {
    const init: RequestInit = { method, headers, redirect: 'manual', signal: abort.signal };
    if (body !== undefined) init.body = body as Uint8Array<ArrayBuffer>;
    const reply = await fetch(url, init);
    const streams = asStream && reply.ok;
    const text = streams ? '' : await reply.text();
    // A copy or the completion of an upload may fail after the status line was sent.
    if (!reply.ok || /^\s*(?:<\?xml[^>]*\?>\s*)?<Error[\s>]/.test(text)) {
      throw new S3Refusal(request, reply.ok ? 500 : reply.status, errorCode(text), repeated);
    }
    // Every store sends an entity tag; a 200 without one comes from something in between, and nothing was
    // stored or read.
    if ((streams || method === 'PUT') && reply.headers.get('etag') === null && !COPIED.test(text)) {
      if (streams) await reply.body?.cancel();
      throw new S3Refusal(request, 500, 'no entity tag', repeated);
    }
    return {
      status: reply.status,
      headers: reply.headers,
      text,
      stream: streams ? reply.body : null,
      repeated,
    };
  } finally {
    clearTimeout(timer);
  }
}

/** The store's own error code; `no code` for a reply that is not its XML, e.g. a proxy's page. */
function errorCode(text: string): string {
  try {
    return fieldText(parseReply(text), 'Code') || 'no code';
  } catch {
    return 'no code';
  }
}

/** The root element of a reply. @throws XmlError when it is not XML */
export function parseReply(text: string): XmlElement {
  return readXml(text, { maxBytes: REPLY_BYTES });
}

/** The text of a child element; '' when there is none. */
export function fieldText(element: XmlElement, name: string): string {
  return textContent(childElements(element, name)[0]);
}

/** Every key and size under a prefix, page by page. */
export async function* listKeys(
  client: S3Client,
  under: string,
): AsyncGenerator<{ key: string; size: number }> {
  let after: string | undefined;
  do {
    const query = { 'list-type': '2', prefix: client.prefix + under };
    const reply = await client.send({
      method: 'GET',
      key: '',
      query: after === undefined ? query : { ...query, 'continuation-token': after },
    });
    const page = parseReply(reply.text);
    for (const entry of childElements(page, 'Contents')) {
      yield {
        key: fieldText(entry, 'Key').slice(client.prefix.length),
        size: Number(fieldText(entry, 'Size')),
      };
    }
    after = fieldText(page, 'IsTruncated') === 'true' ? fieldText(page, 'NextContinuationToken') : undefined;
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
    const reply: S3Reply = await client.send({ method: 'GET', key: '', query });
    const page = parseReply(reply.text);
    for (const entry of childElements(page, 'Upload')) {
      yield {
        key: fieldText(entry, 'Key').slice(client.prefix.length),
        uploadId: fieldText(entry, 'UploadId'),
      };
    }
    markers =
      fieldText(page, 'IsTruncated') === 'true'
        ? {
            'key-marker': fieldText(page, 'NextKeyMarker'),
            'upload-id-marker': fieldText(page, 'NextUploadIdMarker'),
          }
        : undefined;
  }
}

/**
 * Removes keys in bulk; keys that do not exist do not matter.
 *
 * @throws Error when the store still has one of them
 */
export async function removeKeys(client: S3Client, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += REMOVED_AT_ONCE) {
    const entries = keys
      .slice(at, at + REMOVED_AT_ONCE)
      .map((key) => `<Object><Key>${escapeHtml(client.prefix + key)}</Key></Object>`);
    const body = Buffer.from(`<Delete><Quiet>true</Quiet>${entries.join('')}</Delete>`);
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
    const reply = await client.send({ method: 'POST', key: '', query: { delete: '' }, headers, body });
    const [failed] = reply.text === '' ? [] : childElements(parseReply(reply.text), 'Error');
    if (failed !== undefined) {
      throw new Error(`the object store did not remove a key: ${fieldText(failed, 'Code')}`);
    }
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Whether another attempt may succeed. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof S3Refusal)) return true;
  const { status, code } = error;
  // 501: what the store does not support now, it will not support at the next attempt either.
  if (FULL.includes(code) || status === 501) return false;
  return (
    status >= 500 || status === 429 || code === 'RequestTimeout' || code === 'ConditionalRequestConflict'
  );
}

/** What the caller of `send` gets for a final failure. */
function asFailure(error: unknown): unknown {
  if (error instanceof S3Refusal && FULL.includes(error.code)) return full(error);
  return error instanceof S3Refusal && !mayPass(error) ? error : unavailable(error);
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
