import { LIMITS, UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import {
  prepareUpload,
  type RefusedUpload,
  readRefusal,
} from '../../../platform/storage/uploads/resumable-send.web.ts';

/** Why an upload did not arrive. */
export class SendError extends Error {
  /**
   * `code` of the storage service's reply; `network` when no reply came, `cancelled` when the user stopped
   * it.
   */
  readonly code: string;
  /** Status of that reply. */
  readonly status: number | undefined;

  constructor(code: string, message: string, status?: number) {
    super(message);
    this.name = 'SendError';
    this.code = code;
    this.status = status;
  }
}

export interface SendOptions {
  readonly path: string;
  readonly file: File;
  readonly signal: AbortSignal;
  /** Called with the bytes that have left the browser, out of `file.size`. */
  readonly onProgress: (sentBytes: number) => void;
}

/**
 * Uploads an object exactly as the client library does (docs/contracts/platform.md §3: multipart,
 * `cacheControl`, then the file under an empty field name, never overwriting), but by XMLHttpRequest, because
 * `fetch` reports no progress.
 *
 * @throws SendError
 */
export function sendObject(
  options: SendOptions & { readonly publicKey: string; readonly accessToken: string },
): Promise<void> {
  const { path, file, signal } = options;
  const body = new FormData();
  body.append('cacheControl', String(LIMITS.storageCacheSeconds));
  body.append('', file, file.name);
  const request = new XMLHttpRequest();
  return new Promise<void>((resolve, reject) => {
    const stop = (): void => request.abort();
    request.upload.onprogress = (event) => {
      if (event.total > 0) options.onProgress(Math.round((event.loaded / event.total) * file.size));
    };
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(asSendError(readRefusal(request.status, request.responseText)));
    };
    request.onerror = () => reject(lostLine());
    request.onabort = () => reject(cancelled());
    request.onloadend = () => signal.removeEventListener('abort', stop);
    request.open(
      'POST',
      `${SERVICES.storage}/object/${UPLOADS_BUCKET}/${path.split('/').map(encodeURIComponent).join('/')}`,
    );
    request.setRequestHeader('apikey', options.publicKey);
    request.setRequestHeader('authorization', `Bearer ${options.accessToken}`);
    request.setRequestHeader('x-upsert', 'false');
    signal.addEventListener('abort', stop);
    if (signal.aborted) reject(cancelled());
    else request.send(body);
  });
}

/**
 * Replies to a resumable upload that say nothing about its state: another request still writes, or a proxy
 * cannot reach the server.
 */
const PASSING = new Set([408, 423, 502, 504]);

/**
 * Uploads an object so that it can continue where it stopped: one attempt, which reports the upload's id by
 * `onBegun`, and with the id of an earlier one sends only what is missing.
 *
 * @throws SendError
 */
export async function sendResumable({
  file,
  path,
  unfinishedId,
  signal,
  onProgress,
  onBegun,
  ...stored
}: SendOptions & {
  readonly bucket: string;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly unfinishedId: string | undefined;
  readonly onBegun: (id: string) => void;
}): Promise<void> {
  // Some browsers never fetch a module again after the first attempt failed.
  if (!navigator.onLine) throw lostLine();
  const metadata = { name: file.name.normalize('NFC'), modified: file.lastModified, ...stored.metadata };
  await new Promise<void>((resolve, reject) => {
    const report = {
      begun: onBegun,
      progress: onProgress,
      done: resolve,
      stopped: (reply: RefusedUpload | undefined) =>
        reject(reply === undefined || isPassing(reply) ? lostLine() : asSendError(reply)),
    };
    prepareUpload({ ...stored, file, path, metadata, unfinishedId }, report).then(
      (upload) => {
        const stop = (): void => {
          void upload.abort();
          reject(cancelled());
        };
        if (signal.aborted) stop();
        else upload.start();
        signal.addEventListener('abort', stop);
      },
      () => reject(lostLine()),
    );
  });
}

/** The error for a lost connection. */
export function lostLine(): SendError {
  return new SendError('network', 'The connection was lost.');
}

function cancelled(): SendError {
  return new SendError('cancelled', 'Cancelled');
}

function isPassing({ status, code }: RefusedUpload): boolean {
  return PASSING.has(status) || code === 'InvalidOffset';
}

function asSendError({ status, code, message }: RefusedUpload): SendError {
  return new SendError(code, message, status);
}
