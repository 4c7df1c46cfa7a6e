import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { SERVICES } from '../../contract/routes.ts';
import type { Door } from '../../http/door.ts';
import type { Resources } from '../../resources/resources.ts';
import { sweepChangeLog } from './change-log.server.ts';
import { countAddresses } from './count-addresses.server.ts';
import { followChanges } from './follow-changes.server.ts';
import type { JoinService } from './join-channel.server.ts';
import { sweepParcels } from './reach-processes.server.ts';
import { openHub } from './realtime-hub.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';
import { RealtimeSocket } from './realtime-socket.server.ts';
import { mountBroadcast } from './send-broadcast.server.ts';
import { takeFrame } from './serve-socket.server.ts';

const PATH = `${SERVICES.realtime}/websocket`;
const PARCEL_SWEEP_MS = 60_000;

/** Tells of sessions that end, in any process; given by the auth feature. Answers with the way to stop. */
export type SessionEnded = (
  listener: (ended: { readonly sessionId: string; readonly userId: string }) => void,
) => () => void;

/** Mounts the realtime service under `/realtime/v1` (contract §5). */
export async function mountRealtime(
  door: Door,
  resources: Resources,
  sessionEnded: SessionEnded = () => () => {},
): Promise<void> {
  const { database, log, settings, siteUrl } = resources;
  const sockets = new Set<RealtimeSocket>();
  const service: JoinService = {
    database,
    identify: door.identify,
    feed: await followChanges(database, log),
    hub: await openHub(database, log, settings.DATABASE_URL === ''),
  };
  mountBroadcast(door, service);
  const perAddress = settings.RATE_LIMITS ? REALTIME_LIMITS.socketsPerAddress : Number.POSITIVE_INFINITY;
  const addresses = countAddresses(settings.TRUST_PROXY, perAddress);

  const server = new WebSocketServer({
    noServer: true,
    maxPayload: REALTIME_LIMITS.frameBytes,
    perMessageDeflate: false,
    clientTracking: false,
  });
  const accept = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    const address = URL.parse(request.url ?? '/', 'http://localhost');
    if (address?.pathname !== PATH) {
      // Another feature may serve other paths.
      if (door.server.server.listenerCount('upgrade') === 1) refuse(stream, '404 Not Found');
      return;
    }
    stream.on('error', () => stream.destroy());
    const { origin } = request.headers;
    const known =
      origin === undefined ||
      origin === siteUrl ||
      settings.CORS_ORIGINS.some((one) => one === origin || one === '*');
    const full = sockets.size >= REALTIME_LIMITS.socketsPerProcess;
    if (!known || full) {
      refuse(stream, known ? '503 Service Unavailable' : '403 Forbidden');
      return;
    }
    const giveBack = addresses.take(request);
    if (giveBack === undefined) {
      refuse(stream, '429 Too Many Requests');
      return;
    }
    stream.once('close', giveBack);
    const key = address.searchParams.get('apikey') ?? String(request.headers.apikey ?? '');
    door.identify({ apikey: key }).then(
      () => {
        if (stream.destroyed) return;
        const version = address.searchParams.get('vsn')?.startsWith('2') ? 2 : 1;
        server.handleUpgrade(request, stream, head, (ws) =>
          open(ws, new RealtimeSocket(ws, version, { apikey: key })),
        );
      },
      () => refuse(stream, '401 Unauthorized'),
    );
  };
  const open = (ws: WebSocket, socket: RealtimeSocket): void => {
    sockets.add(socket);
    ws.on('message', (data: RawData, isBinary: boolean) =>
      takeFrame(service, log, socket, asBuffer(data), isBinary),
    );
    ws.on('error', () => ws.terminate());
    ws.on('close', () => {
      sockets.delete(socket);
      for (const channel of [...socket.channels.values()]) channel.end();
    });
  };
  door.server.server.on('upgrade', accept);

  const timers = [
    setInterval(() => sweep(sockets, service), REALTIME_LIMITS.sweep),
    setInterval(() => recheck(sockets, service), REALTIME_LIMITS.tokenCheck),
    setInterval(() => {
      sweepParcels(database).catch((error) => log.warn({ err: error }, 'old parcels stay'));
      sweepChangeLog(database).catch((error) => log.warn({ err: error }, 'old changes stay'));
    }, PARCEL_SWEEP_MS),
    setInterval(() => expire(sockets), 1000),
  ];
  for (const timer of timers) timer.unref();
  const stopListening = sessionEnded(({ sessionId }) => {
    for (const channel of allChannels(sockets)) {
      if (channel.caller.claims.session_id === sessionId) channel.shut('session_ended');
    }
  });
  door.server.addHook('preClose', async () => {
    for (const timer of timers) clearInterval(timer);
    stopListening();
    door.server.server.off('upgrade', accept);
    for (const socket of sockets) {
      socket.close(1012, 'restart');
      // A client that does not answer the close must not hold the process up.
      setTimeout(() => socket.terminate(), 500).unref();
    }
    await Promise.all([service.feed.close(), service.hub.close()]);
  });
}

function asBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

function refuse(stream: Duplex, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function allChannels(sockets: ReadonlySet<RealtimeSocket>) {
  return [...sockets].flatMap((socket) => [...socket.channels.values()]);
}

function sweep(sockets: ReadonlySet<RealtimeSocket>, service: JoinService): void {
  const now = Date.now();
  for (const socket of sockets) socket.sweep(now);
  service.hub.sweep(now);
}

/** Closes channels whose token has run out. */
function expire(sockets: ReadonlySet<RealtimeSocket>): void {
  const now = Date.now() / 1000;
  for (const channel of allChannels(sockets)) {
    if ((channel.expiresAt ?? Number.POSITIVE_INFINITY) <= now) channel.shut('token_expired');
  }
}

/** Looks at every token again, in case the end of a session was not heard of. */
async function recheck(sockets: ReadonlySet<RealtimeSocket>, service: JoinService): Promise<void> {
  for (const channel of allChannels(sockets)) {
    const { token } = channel;
    if (token === undefined) continue;
    try {
      await service.identify({ authorization: `Bearer ${token}` });
    } catch (error) {
      if ((error as { status?: number }).status === 401 && channel.token === token)
        channel.shut('session_ended');
    }
  }
}
