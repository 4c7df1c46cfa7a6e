import type { Log } from '../../resources/log/log.ts';
import { type Broadcast, type ClientMessage, decodeBinary, decodeText } from './frames.server.ts';
import { type JoinService, joinChannel } from './join-channel.server.ts';
import { mayUseTopic } from './private-topic.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';
import type { RealtimeSocket } from './realtime-socket.server.ts';

/** Takes one frame of a client: anything malformed is ignored or answered, never thrown. */
export function takeFrame(
  service: JoinService,
  log: Log,
  socket: RealtimeSocket,
  data: Buffer,
  isBinary: boolean,
): void {
  if (!socket.admits() || socket.queued > REALTIME_LIMITS.frameBurst) {
    socket.close(1008, 'too many messages');
    return;
  }
  const message = isBinary ? decodeBinary(data) : decodeText(data.toString('utf8'), socket.version);
  if (message === undefined) return;
  if (message.topic === 'phoenix') {
    if (message.event === 'heartbeat') socket.reply(message, 'ok', {});
    return;
  }
  socket.queued += 1;
  socket.work = socket.work
    .then(() => handle(service, socket, message))
    .catch((error) => {
      log.error({ err: error }, 'a realtime message failed');
      socket.reply(message, 'error', { reason: 'ServerError: Something went wrong on our side' });
    })
    .finally(() => {
      socket.queued -= 1;
    });
}

async function handle(service: JoinService, socket: RealtimeSocket, message: ClientMessage): Promise<void> {
  if (!socket.open) return;
  if (message.event === 'phx_join') return joinChannel(service, socket, message);
  const channel = socket.channels.get(message.topic);
  if (channel === undefined) {
    // Leaving what was closed already is no error.
    if (message.event === 'phx_leave') socket.reply(message, 'ok', {});
    else socket.reply(message, 'error', { reason: 'unmatched topic' });
    return;
  }
  if (message.event === 'phx_leave') {
    channel.end();
    socket.reply(message, 'ok', {});
    socket.push(channel.joinRef, channel.joinRef, message.topic, 'phx_close', {});
  } else if (message.event === 'access_token') await renewToken(service, socket, message);
  else if (message.event === 'presence') channel.presence(message);
  else if (message.event === 'broadcast') {
    const broadcast = message.broadcast ?? readBroadcast(message.payload);
    if (broadcast === undefined)
      return socket.reply(message, 'error', { reason: 'InvalidBroadcast: no event' });
    const allowed =
      !channel.request.isPrivate ||
      (await mayUseTopic(service.database, channel.caller, message.topic, 'write'));
    if (allowed) channel.broadcast(message, broadcast);
    else socket.reply(message, 'error', { reason: 'Unauthorized: You may not send to this channel' });
  } else socket.reply(message, 'error', { reason: 'UnknownEvent' });
}

function readBroadcast(payload: unknown): Broadcast | undefined {
  const { event, payload: content } = (payload ?? {}) as { event?: unknown; payload?: unknown };
  if (typeof event !== 'string') return undefined;
  return { event, encoding: 'json', payload: Buffer.from(JSON.stringify(content ?? {})) };
}

/** `access_token`: the channel goes on with the new token's rights, or closes. */
async function renewToken(
  service: JoinService,
  socket: RealtimeSocket,
  message: ClientMessage,
): Promise<void> {
  const channel = socket.channels.get(message.topic);
  const { access_token: token } = (message.payload ?? {}) as { access_token?: unknown };
  if (channel === undefined || typeof token !== 'string' || token.startsWith('sb_')) return;
  if (token === channel.token || token === socket.keyHeaders.apikey) return;
  const caller = await service.identify({ authorization: `Bearer ${token}` }).catch(() => undefined);
  if (caller === undefined) return channel.shut('token_invalid');
  if (channel.request.isPrivate && !(await mayUseTopic(service.database, caller, message.topic, 'read'))) {
    return channel.shut('token_invalid');
  }
  await channel.become(caller, token);
}
