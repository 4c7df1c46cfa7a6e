import type { DetailedError, Upload } from 'tus-js-client';
import { LIMITS } from '../../../kernel/contract/limits.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { supabase } from '../../../ui/session/client.ts';
import { publicConfig } from '../../../ui/session/public-config.ts';

/** Sent in one request, so that the server looks at what has come before more is sent. */
const PIECE_BYTES = 6 * 1024 * 1024;
/**
 * A request on which nothing moves for so long is lost: a browser believes in a line that hangs for minutes more. The
 * server gives up one that sends nothing after the same time.
 */
const STALLED_MS = 60_000;
const ADDRESS = `${SERVICES.storage}/upload/resumable`;

/** A file, where it goes, and what is stored with it. */
export interface ResumableFile {
  readonly file: File;
  readonly bucket: string;
  readonly path: string;
  readonly contentType: string;
  /** Kept with the upload and with the object that it becomes; JSON. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The upload of the same file that goes on, instead of a new one. */
  readonly unfinishedId?: string | undefined;
  /** Waits before each further attempt by itself, ms; without them the first failure is reported. */
  readonly retryDelays?: readonly number[];
}

/** How an upload reports itself. */
export interface ResumableReport {
  /** The server knows the upload: by this id it goes on, or is ended. */
  begun?(id: string): void;
  /** Bytes that the server has, or that are on their way. */
  progress(bytes: number): void;
  done(): void;
  /** @param reply undefined when the line was lost */
  stopped(reply: RefusedUpload | undefined): void;
}

/** A reply of the storage service that is no success. */
export interface RefusedUpload {
  readonly status: number;
  /** The service's code, or else the status. */
  readonly code: string;
  /** The service's sentence; empty when it has none. */
  readonly message: string;
}

/**
 * A resumable upload that has not been started: `start` begins it or goes on, `abort` pauses it, `abort(true)` ends
 * it. The bytes that arrived stay with the server for a day.
 */
export async function prepareUpload(sent: ResumableFile, report: ResumableReport): Promise<Upload> {
  const [tus, { publicKey }] = await Promise.all([import('tus-js-client'), publicConfig()]);
  const endpoint = `${location.origin}${ADDRESS}`;
  const { unfinishedId } = sent;
  const upload: Upload = new tus.Upload(sent.file, {
    // One that is to go on does not begin anew when it is gone: that takes another credit.
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
    retryDelays: sent.retryDelays === undefined ? null : [...sent.retryDelays],
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
 * The token of the session, a new one where an upload has lasted longer than it; undefined without a session.
 *
 * @throws Error where the new one could not be asked for: the session stands, and the line is lost
 */
async function accessToken(): Promise<string | undefined> {
  const { data, error } = await (await supabase()).auth.getSession();
  if (error?.name === 'AuthRetryableFetchError') throw error;
  return data.session?.access_token;
}

/** What is asked for before a request is sent; it fails as that does when nothing comes. */
async function unlessStalled<Answer>(asked: Promise<Answer>): Promise<Answer> {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('stalled')), STALLED_MS);
  try {
    return await Promise.race([asked, stalled]);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a request that is about to be sent, as a lost line does, once it neither sends nor is answered. */
function endWhenStalled(request: XMLHttpRequest): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(end, STALLED_MS);
  };
  const end = (): void => {
    request.abort();
    // Nobody hears of a request that was aborted; of one that failed the upload makes another attempt.
    request.dispatchEvent(new ProgressEvent('error'));
  };
  request.upload.addEventListener('progress', wait);
  request.addEventListener('progress', wait);
  request.addEventListener('loadend', () => clearTimeout(timer));
  wait();
}

/** Ends an upload that has not arrived whole; its credit comes back. @throws Error with a sentence */
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

/** Reads `{statusCode, error, code, message}` (docs/contracts/platform.md §3); anything else is a proxy's page. */
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
