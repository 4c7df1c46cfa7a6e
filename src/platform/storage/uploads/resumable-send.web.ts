import type { DetailedError, Upload } from 'tus-js-client';
import { LIMITS } from '../../../kernel/contract/limits.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { supabase } from '../../../ui/session/client.ts';
import { publicConfig } from '../../../ui/session/public-config.ts';

/** Bytes sent in one request, so that the server checks what has arrived before more is sent. */
const PIECE_BYTES = 6 * 1024 * 1024;
/**
 * A request without progress for this long counts as lost, because browsers wait minutes longer on a
 * connection that hangs. The server gives up a silent request after the same time.
 */
const STALLED_MS = 60_000;
const ADDRESS = `${SERVICES.storage}/upload/resumable`;

/** A file, its destination, and what is stored with it. */
export interface ResumableFile {
  readonly file: File;
  readonly bucket: string;
  readonly path: string;
  readonly contentType: string;
  /** Stored with the upload and with the object that it becomes; JSON. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The id of an unfinished upload of the same file, which is continued. */
  readonly unfinishedId?: string | undefined;
}

/** How an upload reports its progress. */
export interface ResumableReport {
  /** The server has created the upload; this id continues or ends it. */
  begun?(id: string): void;
  /** Bytes that the server has, or that are on their way. */
  progress(bytes: number): void;
  done(): void;
  /** @param reply undefined when the connection was lost */
  stopped(reply: RefusedUpload | undefined): void;
}

/** A refusal by the storage service. */
export interface RefusedUpload {
  readonly status: number;
  /** The service's code, or the status when there is none. */
  readonly code: string;
  /** The service's sentence; empty when there is none. */
  readonly message: string;
}

/**
 * Prepares a resumable upload without starting it: `start` begins or continues it, `abort` pauses it,
 * `abort(true)` ends it. Received bytes stay on the server for a day.
 */
export async function prepareUpload(sent: ResumableFile, report: ResumableReport): Promise<Upload> {
  const [tus, { publicKey }] = await Promise.all([import('tus-js-client'), publicConfig()]);
  const endpoint = `${location.origin}${ADDRESS}`;
  const { unfinishedId } = sent;
  const upload: Upload = new tus.Upload(sent.file, {
    // An upload that should continue must not begin anew when the server no longer has it, because that takes
    // another credit.
    ...(unfinishedId === undefined ? { endpoint } : { uploadUrl: `${endpoint}/${unfinishedId}` }),
    headers: { apikey: publicKey, 'x-upsert': 'false' },
    metadata: {
      bucketName: sent.bucket,
      objectName: sent.path,
      contentType: sent.contentType,
      cacheControl: String(LIMITS.storageCacheSeconds),
      metadata: JSON.stringify(sent.metadata),
    },
    chunkSize: PIECE_BYTES,
    // The queue of the page retries.
    retryDelays: null,
    storeFingerprintForResuming: false,
    async onBeforeRequest(request) {
      const token = await unlessStalled(accessToken());
      if (token !== undefined) request.setHeader('authorization', `Bearer ${token}`);
      endWhenStalled(request.getUnderlyingObject() as XMLHttpRequest);
    },
    onUploadUrlAvailable: () => report.begun?.(upload.url?.split('/').at(-1) ?? ''),
    onProgress: (bytes) => report.progress(bytes),
    onSuccess: () => report.done(),
    onError: (error) => report.stopped(replyOf(error)),
  });
  return upload;
}

/**
 * The session's access token, refreshed when an upload has outlasted it; undefined without a session.
 *
 * @throws Error when the refresh failed: the session is still valid, but the connection is lost
 */
async function accessToken(): Promise<string | undefined> {
  const { data, error } = await (await supabase()).auth.getSession();
  if (error?.name === 'AuthRetryableFetchError') throw error;
  return data.session?.access_token;
}

/**
 * Waits for something that is needed before a request is sent; fails like a stalled request when it does not
 * come.
 */
async function unlessStalled<Answer>(asked: Promise<Answer>): Promise<Answer> {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('stalled')), STALLED_MS);
  try {
    return await Promise.race([asked, stalled]);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a request, as a lost connection would, once it neither sends nor receives. */
function endWhenStalled(request: XMLHttpRequest): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(end, STALLED_MS);
  };
  const end = (): void => {
    request.abort();
    // Aborting a request reports nothing. An error event does, and makes the upload retry.
    request.dispatchEvent(new ProgressEvent('error'));
  };
  request.upload.addEventListener('progress', wait);
  request.addEventListener('progress', wait);
  request.addEventListener('loadend', () => clearTimeout(timer));
  wait();
}

/** Ends an upload that has not arrived completely; its credit is released. @throws Error with a sentence */
export async function endUnfinished(id: string): Promise<void> {
  const [{ publicKey }, client] = await Promise.all([publicConfig(), supabase()]);
  const { data } = await client.auth.getSession();
  const reply = await fetch(`${ADDRESS}/${id}`, {
    method: 'DELETE',
    headers: {
      apikey: publicKey,
      authorization: `Bearer ${data.session?.access_token ?? ''}`,
      'tus-resumable': '1.0.0',
    },
  });
  if (!reply.ok && reply.status !== 404) throw new Error('The upload could not be ended. Please try again.');
}

/**
 * Reads `{statusCode, error, code, message}` (docs/contracts/platform.md §3); anything else is the page of a
 * proxy.
 */
export function readRefusal(status: number, body: string): RefusedUpload {
  try {
    const { code, error, message } = JSON.parse(body) as Partial<Record<string, string>>;
    return { status, code: code ?? error ?? String(status), message: message ?? '' };
  } catch {
    return { status, code: String(status), message: '' };
  }
}

function replyOf(error: Error | DetailedError): RefusedUpload | undefined {
  const reply = 'originalResponse' in error ? error.originalResponse : null;
  return reply === null ? undefined : readRefusal(reply.getStatus(), reply.getBody());
}
