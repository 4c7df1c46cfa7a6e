import { createWriteStream } from 'node:fs';
import http from 'node:http';
import { pipeline } from 'node:stream/promises';
import { OutboundBlocked } from './outbound-http.ts';

/** The result of a download from our own server. */
export type OwnDownload = { readonly ok: true } | { readonly ok: false; readonly status: number };

/**
 * Downloads a path of this server itself to a file (mode 0600), as a stream.
 *
 * @throws OutboundBlocked when `path` is not a path; Error when the connection breaks or `signal` ends it
 */
export async function downloadOwn(
  origin: string,
  path: string,
  file: string,
  signal: AbortSignal,
): Promise<OwnDownload> {
  if (!path.startsWith('/') || path.startsWith('//'))
    throw new OutboundBlocked('A path of this server is needed.');
  const reply = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get(new URL(origin + path), { agent: false, signal }, resolve).once('error', reject);
  });
  if (reply.statusCode !== 200) {
    reply.destroy();
    return { ok: false, status: reply.statusCode ?? 0 };
  }
  await pipeline(reply, createWriteStream(file, { mode: 0o600 }), { signal });
  return { ok: true };
}
