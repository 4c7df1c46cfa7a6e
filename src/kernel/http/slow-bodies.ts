import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../config/settings.ts';
import { SERVICES } from '../contract/routes.ts';
import { ServiceError } from '../contract/service-error.ts';

/**
 * Bodies on these paths may take long as long as they make progress; all others have to be short
 * (docs/security-attacks.md, attack 30).
 */
const UPLOADS = [`${SERVICES.storage}/object`, `${SERVICES.storage}/upload`, '/voice/v1/file'];
const CHECKS_A_SECOND = 2;
/** Code of the reply to a request that arrived too slowly; the HTTP status is 408 in every service. */
export const SLOW_REQUEST = 'request_timeout';

type Patience = Pick<Settings, 'REQUEST_BODY_SECONDS' | 'REQUEST_SLOW_SECONDS' | 'REQUEST_BYTES_PER_SECOND'>;

/** A body that is arriving. */
interface Arriving {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Epoch ms by which the whole body has to be here; Infinity for an upload. */
  readonly until: number;
  /** When the current measurement of the rate began, and the socket's count of bytes then. */
  since: number;
  bytes: number;
}

/**
 * Cuts off senders that occupy a connection by sending their body slowly: on every route when the rate stays
 * below a minimum for some time, and for bodies other than uploads also after a total time. The sender gets
 * 408 in the shape of the service, and the connection is closed. Time in which the server itself does not
 * read is not counted.
 */
export function watchBodies(server: FastifyInstance, settings: Patience): void {
  const arriving = new Set<Arriving>();
  server.addHook('onRequest', async (request, reply) => {
    if (!hasBody(request)) return;
    const now = Date.now();
    const isUpload = UPLOADS.some((path) => request.url.startsWith(path));
    const until = isUpload ? Number.POSITIVE_INFINITY : now + settings.REQUEST_BODY_SECONDS * 1000;
    const entry = { request, reply, until, since: now, bytes: request.raw.socket.bytesRead };
    arriving.add(entry);
    request.raw.once('end', () => arriving.delete(entry)).once('close', () => arriving.delete(entry));
  });
  const timer = setInterval(() => {
    const now = Date.now();
    for (const entry of arriving) {
      if (isTooSlow(entry, now, settings)) {
        arriving.delete(entry);
        cutOff(entry);
      }
    }
  }, 1000 / CHECKS_A_SECOND);
  timer.unref();
  server.addHook('onClose', async () => clearInterval(timer));
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isTooSlow(entry: Arriving, now: number, settings: Patience): boolean {
  const { raw } = entry.request;
  if (raw.complete) return false;
  if (now > entry.until) return true;
  const elapsed = (now - entry.since) / 1000;
  // As long as received bytes wait here to be read, the sender cannot send more.
  const isOurTurn = raw.readableLength >= raw.readableHighWaterMark;
  if (!isOurTurn && elapsed < settings.REQUEST_SLOW_SECONDS) return false;
  const came = raw.socket.bytesRead - entry.bytes;
  entry.since = now;
  entry.bytes = raw.socket.bytesRead;
  return !isOurTurn && came / elapsed < settings.REQUEST_BYTES_PER_SECOND;
}

function cutOff({ request, reply }: Arriving): void {
  const { raw } = request;
  if (reply.sent || raw.destroyed) {
    raw.destroy();
    return;
  }
  reply.raw.once('close', () => raw.destroy()).once('finish', () => raw.destroy());
  const slow = new ServiceError(408, SLOW_REQUEST, 'The request came too slowly. Please try again.');
  reply.header('connection', 'close').send(slow);
}
