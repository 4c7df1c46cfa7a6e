import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Settings } from '../../kernel/config/settings.ts';
import { SERVICES } from '../../kernel/contract/routes.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Database } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { servedSchemas, withOwnSchema } from '../rest/schema/schema-cache.server.ts';
import { type AddressLimit, createAddressLimit } from './address-limit.server.ts';
import { mountBroadcast } from './broadcast-send.server.ts';
import { followChanges } from './change-feed.server.ts';
import { sweepChangeLog } from './change-log.server.ts';
import type { Channel } from './channel.server.ts';
import type { RealtimeService } from './channel-join.server.ts';
import { followDatabaseBroadcasts, sweepDatabaseBroadcasts } from './database-broadcasts.server.ts';
import { sweepParcels } from './process-messages.server.ts';
import { openPubSub } from './pub-sub.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';
import { RealtimeSocket } from './realtime-socket.server.ts';
import { handleFrame } from './socket-frames.server.ts';

const PATH = `${SERVICES.realtime}/websocket`;
const PARCEL_SWEEP_MS = 60_000;

/** Subscribes to sessions that end, in any process; given by the auth feature. Returns the unsubscription. */
export type SessionEnded = (
  listener: (ended: { readonly sessionId: string; readonly userId: string }) => void,
) => () => void;

/** Mounts the realtime service under `/realtime/v1` (docs/contracts/platform.md §5). */
export async function mountRealtime(
  http: HttpContext,
  resources: Resources,
  sessionEnded: SessionEnded = () => () => {},
): Promise<void> {
  const { log, settings } = resources;
  // Rights are asked on connections of their own: a flood of data requests keeps nobody from hearing changes.
  const database: Database = { ...resources.database, ...resources.database.lane };
  const schemas = servedSchemas(settings);
  const service: RealtimeService = {
    database,
    log,
    schemas,
    authenticate: http.authenticate,
    feed: await followChanges(database, log, withOwnSchema(schemas)),
    pubSub: await openPubSub(database, log, settings.DATABASE_URL === ''),
  };
  const stopBroadcasts = await followDatabaseBroadcasts(database, log, service.pubSub);
  mountBroadcast(http, service);
  const sockets = new RealtimeSockets(http, resources, service);
  const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void =>
    sockets.accept(request, stream, head);
  http.server.server.on('upgrade', onUpgrade);
  const timers = [
    setInterval(() => sockets.sweep(), REALTIME_LIMITS.sweep),
    setInterval(() => sockets.recheckTokens(), REALTIME_LIMITS.tokenCheck),
    setInterval(() => {
      sweepParcels(database).catch((error) => log.warn({ err: error }, 'old parcels stay'));
      sweepDatabaseBroadcasts(database).catch((error) => log.warn({ err: error }, 'old broadcasts stay'));
      sweepChangeLog(database).catch((error) => log.warn({ err: error }, 'old changes stay'));
    }, PARCEL_SWEEP_MS),
    setInterval(() => sockets.closeExpired(), 1000),
  ];
  for (const timer of timers) timer.unref();
  const unsubscribe = sessionEnded(({ sessionId }) => sockets.endSession(sessionId));
  http.server.addHook('preClose', async () => {
    for (const timer of timers) clearInterval(timer);
    unsubscribe();
    http.server.server.off('upgrade', onUpgrade);
    sockets.close();
    await Promise.all([service.feed.close(), service.pubSub.close(), stopBroadcasts()]);
  });
}

/** A client that does not answer a close is cut off after so many milliseconds. */
const CLOSE_TIMEOUT_MS = 500;

/** The sockets of this process, from the handshake to the close. */
class RealtimeSockets {
  readonly #http: HttpContext;
  readonly #log: Resources['log'];
  readonly #service: RealtimeService;
  readonly #addresses: AddressLimit;
  readonly #origins: (origin: string) => boolean;
  readonly #sockets = new Set<RealtimeSocket>();
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: REALTIME_LIMITS.frameBytes,
    perMessageDeflate: false,
    clientTracking: false,
  });

  constructor(http: HttpContext, { log, settings, siteUrl }: Resources, service: RealtimeService) {
    this.#http = http;
    this.#log = log;
    this.#service = service;
    const perAddress = settings.RATE_LIMITS ? REALTIME_LIMITS.socketsPerAddress : Number.POSITIVE_INFINITY;
    this.#addresses = createAddressLimit(settings.TRUST_PROXY, perAddress);
    this.#origins = (origin) => origin === siteUrl || isListed(origin, settings);
  }

  /** Handles an upgrade request of the HTTP server. */
  accept(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const address = URL.parse(request.url ?? '/', 'http://localhost');
    // Listening in on calls has an upgrade of its own.
    if (address?.pathname.startsWith(`${SERVICES.voice}/`)) return;
    if (address?.pathname !== PATH) {
      refuse(stream, '404 Not Found');
      return;
    }
    stream.on('error', () => stream.destroy());
    const release = this.#admit(request, stream);
    if (release === undefined) return;
    stream.once('close', release);
    const apikey = address.searchParams.get('apikey') ?? String(request.headers.apikey ?? '');
    const version = address.searchParams.get('vsn')?.startsWith('2') ? 2 : 1;
    this.#http.authenticate({ apikey }).then(
      () => {
        if (stream.destroyed) return;
        this.#server.handleUpgrade(request, stream, head, (ws) =>
          this.#open(ws, new RealtimeSocket(ws, version, { apikey })),
        );
      },
      (error: unknown) => {
        const status = (error as { status?: number }).status;
        if (status !== 401) this.#log.warn({ err: error }, 'a realtime handshake failed');
        refuse(stream, status === 401 ? '401 Unauthorized' : '503 Service Unavailable');
      },
    );
  }

  /** Cuts off clients that fell silent or stopped reading. */
  sweep(): void {
    const now = Date.now();
    for (const socket of this.#sockets) socket.sweep(now);
    this.#service.pubSub.sweep(now);
  }

  /** Closes channels whose token has run out. */
  closeExpired(): void {
    const now = Date.now() / 1000;
    for (const channel of this.#channels()) {
      if ((channel.expiresAt ?? Number.POSITIVE_INFINITY) <= now) channel.close('token_expired');
    }
  }

  /** Checks every token again, in case the message about the end of a session was lost. */
  async recheckTokens(): Promise<void> {
    for (const channel of this.#channels()) {
      const { token } = channel;
      if (token === undefined) continue;
      try {
        await this.#service.authenticate({ authorization: `Bearer ${token}` });
      } catch (error) {
        const ended = (error as { status?: number }).status === 401;
        if (ended && channel.token === token) channel.close('session_ended');
      }
    }
  }

  endSession(sessionId: string): void {
    for (const channel of this.#channels()) {
      if (channel.caller.claims.session_id === sessionId) channel.close('session_ended');
    }
  }

  close(): void {
    for (const socket of this.#sockets) {
      socket.close(1012, 'restart');
      setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
    }
  }

  /** Refuses a handshake, or counts it and returns the function that ends the count. */
  #admit(request: IncomingMessage, stream: Duplex): (() => void) | undefined {
    const { origin } = request.headers;
    if (origin !== undefined && !this.#origins(origin)) refuse(stream, '403 Forbidden');
    else if (this.#sockets.size >= REALTIME_LIMITS.socketsPerProcess)
      refuse(stream, '503 Service Unavailable');
    else {
      const release = this.#addresses.take(request);
      if (release === undefined) refuse(stream, '429 Too Many Requests');
      return release;
    }
    return undefined;
  }

  #open(ws: WebSocket, socket: RealtimeSocket): void {
    this.#sockets.add(socket);
    ws.on('message', (data: RawData, isBinary: boolean) =>
      handleFrame(this.#service, socket, { data: asBuffer(data), isBinary }),
    );
    ws.on('error', () => ws.terminate());
    ws.on('close', () => {
      this.#sockets.delete(socket);
      for (const channel of [...socket.channels.values()]) channel.end();
    });
  }

  #channels(): Channel[] {
    return [...this.#sockets].flatMap((socket) => [...socket.channels.values()]);
  }
}

function isListed(origin: string, { CORS_ORIGINS: listed }: Settings): boolean {
  return listed.includes(origin) || listed.includes('*');
}

function asBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

function refuse(stream: Duplex, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
