import { LIMITS, UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';

/** Why an upload did not arrive. */
export class SendError extends Error {
  /** `code` of the storage service's reply; `network` when no reply came, `cancelled` when the user stopped it. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'SendError';
    this.code = code;
  }
}

export interface SendOptions {
  readonly path: string;
  readonly file: File;
  readonly publicKey: string;
  readonly accessToken: string;
  readonly signal: AbortSignal;
  /** Bytes that left the browser, of `file.size`. */
  readonly onProgress: (sentBytes: number) => void;
}

/**
 * Uploads an object exactly as the client library does (docs/contracts/platform.md §3: multipart,
 * `cacheControl`, then the file under an empty field name, never overwriting),
 * but by XMLHttpRequest, since `fetch` reports no progress.
 *
 * @throws SendError
 */
export function sendObject(options: SendOptions): Promise<void> {
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
      else reject(refusal(request));
    };
    request.onerror = () => reject(new SendError('network', 'The connection was lost.'));
    request.onabort = () => reject(new SendError('cancelled', 'Cancelled'));
    request.onloadend = () => signal.removeEventListener('abort', stop);
    request.open(
      'POST',
      `${SERVICES.storage}/object/${UPLOADS_BUCKET}/${path.split('/').map(encodeURIComponent).join('/')}`,
    );
    request.setRequestHeader('apikey', options.publicKey);
    request.setRequestHeader('authorization', `Bearer ${options.accessToken}`);
    request.setRequestHeader('x-upsert', 'false');
    signal.addEventListener('abort', stop);
    if (signal.aborted) reject(new SendError('cancelled', 'Cancelled'));
    else request.send(body);
  });
}

/**
 * The reply is `{statusCode, error, code, message}` (docs/contracts/platform.md §3); anything else is a proxy's page.
 */
function refusal(request: XMLHttpRequest): SendError {
  try {
    const reply = JSON.parse(request.responseText) as { code?: string; error?: string; message?: string };
    return new SendError(reply.code ?? reply.error ?? String(request.status), reply.message ?? '');
  } catch {
    return new SendError(String(request.status), '');
  }
}
