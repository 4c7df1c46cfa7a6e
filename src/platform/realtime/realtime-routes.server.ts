import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { type AddressLimit, createAddressLimit } from '../../kernel/http/address-limit.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { refuseUpgrade, type UpgradeRequest } from '../../kernel/http/upgrade-door.ts';
import type { Database } from '../../kernel/resources/database/database.ts';
import { guardedListener } from '../../kernel/resources/guarded-listener.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { servedSchemas, withOwnSchema } from '../rest/schema/schema-cache.server.ts';
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

/** Where clients open their sockets. */
const REALTIME_SOCKET = `${SERVICES.realtime}/websocket`;
const PARCEL_SWEEP_MS = 60_000;

/**
 * Registers a listener for sessions that end, in any process; the auth feature provides it. Returns a
 * function that removes the listener.
 */
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
  // Rights are checked on separate connections, so that a flood of data requests does not delay changes.
  const database: Database = { ...resources.database, ...resources.database.realtime };
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
  http.upgrades.serve(REALTIME_SOCKET, (upgrade) => sockets.accept(upgrade));
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
    sockets.close();
    await Promise.all([service.feed.close(), service.pubSub.close(), stopBroadcasts()]);
  });
}

/** A client that does not answer a close is cut off after this many milliseconds. */
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
    const listed = settings.CORS_ORIGINS;
    this.#origins = (origin) => origin === siteUrl || listed.includes(origin) || listed.includes('*');
  }

  /** Opens the socket of a client that may have one. */
  accept({ request, stream, head, target }: UpgradeRequest): void {
    const release = this.#admit(request, stream);
    if (release === undefined) return;
    stream.once('close', release);
    const apikey = target.searchParams.get('apikey') ?? String(request.headers.apikey ?? '');
    const version = target.searchParams.get('vsn')?.startsWith('2') ? 2 : 1;
    this.#http.authenticate({ apikey }).then(
      () => {
        if (stream.destroyed) return;
        this.#server.handleUpgrade(request, stream, head, (ws) =>
          this.#open(ws, new RealtimeSocket(ws, version, { apikey })),
        );
      },
      (error: unknown) => {
        const status = (error as { status?: number }).status;
        const isRefused = status === 400 || status === 401 || status === 403;
        if (!isRefused) this.#log.warn({ err: error }, 'a realtime handshake failed');
        if (isRefused) refuseUpgrade(stream, 401, 'Unauthorized');
        else refuseUpgrade(stream, 503, 'Service Unavailable');
      },
    );
  }

  /** Cuts off clients that have fallen silent or stopped reading. */
  sweep(): void {
    const now = Date.now();
    for (const socket of this.#sockets) socket.sweep(now);
    this.#service.pubSub.sweep(now);
  }

  /** Closes channels whose token has expired. */
  closeExpired(): void {
    const now = Date.now() / 1000;
    for (const channel of this.#channels()) {
      if ((channel.expiresAt ?? Number.POSITIVE_INFINITY) <= now) channel.close('token_expired');
    }
  }

  /** Checks every token again, in case the notification about the end of a session was lost. */
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

  /** Refuses a handshake, or counts it and returns a function that ends the count. */
  #admit(request: IncomingMessage, stream: Duplex): (() => void) | undefined {
    const { origin } = request.headers;
    if (origin !== undefined && !this.#origins(origin)) refuseUpgrade(stream, 403, 'Forbidden');
    else if (this.#sockets.size >= REALTIME_LIMITS.socketsPerProcess)
      refuseUpgrade(stream, 503, 'Service Unavailable');
    else {
      const release = this.#addresses.take(request);
      if (release === undefined) refuseUpgrade(stream, 429, 'Too Many Requests');
      return release;
    }
    return undefined;
  }

  #open(ws: WebSocket, socket: RealtimeSocket): void {
    this.#sockets.add(socket);
    ws.on(
      'message',
      guardedListener(
        (fault) => this.#log.error({ err: fault }, 'a frame of a realtime client was dropped'),
        (data: RawData, isBinary: boolean) =>
          handleFrame(this.#service, socket, { data: asBuffer(data), isBinary }),
      ),
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

function asBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
