import type { Channel } from './channel.server.ts';
import { joinChannel, type RealtimeService } from './channel-join.server.ts';
import { type Broadcast, type ClientMessage, decodeBinary, decodeText } from './frames.server.ts';
import { mayUseTopic } from './private-topic.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';
import type { RealtimeSocket } from './realtime-socket.server.ts';

/** Handles one frame of a client. A malformed frame is ignored or answered; it never throws. */
export function handleFrame(
  service: RealtimeService,
  socket: RealtimeSocket,
  { data, isBinary }: { readonly data: Buffer; readonly isBinary: boolean },
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
    .then(() => handleMessage(service, socket, message))
    .catch((error) => {
      service.log.error({ err: error }, 'a realtime message failed');
      socket.reply(message, 'error', { reason: 'ServerError: Something went wrong on our side' });
    })
    .finally(() => {
      socket.queued -= 1;
    });
}

async function handleMessage(
  service: RealtimeService,
  socket: RealtimeSocket,
  message: ClientMessage,
): Promise<void> {
  if (!socket.open) return;
  if (message.event === 'phx_join') return joinChannel(service, socket, message);
  const channel = socket.channels.get(message.topic);
  if (channel === undefined) {
    // Leaving a channel that is already closed is no error.
    if (message.event === 'phx_leave') socket.reply(message, 'ok', {});
    else socket.reply(message, 'error', { reason: 'unmatched topic' });
    return;
  }
  switch (message.event) {
    case 'phx_leave':
      return leaveChannel(channel, message);
    case 'access_token':
      return renewToken(service, channel, message);
    case 'presence':
      return channel.presence(message);
    case 'broadcast':
      return sendBroadcast(service, channel, message);
    default:
      return socket.reply(message, 'error', { reason: 'UnknownEvent' });
  }
}

function leaveChannel(channel: Channel, message: ClientMessage): void {
  const { socket, topic, joinRef } = channel;
  channel.end();
  socket.reply(message, 'ok', {});
  socket.push({ joinRef, ref: joinRef, topic, event: 'phx_close' }, {});
}

async function sendBroadcast(
  service: RealtimeService,
  channel: Channel,
  message: ClientMessage,
): Promise<void> {
  const { socket, request, caller, topic } = channel;
  const broadcast = message.broadcast ?? readBroadcast(message.payload);
  if (broadcast === undefined) {
    return socket.reply(message, 'error', { reason: 'InvalidBroadcast: no event' });
  }
  if (request.isPrivate && !(await mayUseTopic(service.database, caller, topic, 'write'))) {
    return socket.reply(message, 'error', { reason: 'Unauthorized: You may not send to this channel' });
  }
  channel.broadcast(message, broadcast);
}

function readBroadcast(payload: unknown): Broadcast | undefined {
  const { event, payload: content } = (payload ?? {}) as { event?: unknown; payload?: unknown };
  if (typeof event !== 'string') return undefined;
  return { event, encoding: 'json', payload: Buffer.from(JSON.stringify(content ?? {})) };
}

/** `access_token`: the channel continues with the new token's rights, or closes. */
async function renewToken(service: RealtimeService, channel: Channel, message: ClientMessage): Promise<void> {
  const { socket, topic } = channel;
  const { access_token: token } = (message.payload ?? {}) as { access_token?: unknown };
  if (typeof token !== 'string' || token.startsWith('sb_')) return;
  if (token === channel.token || token === socket.keyHeaders.apikey) return;
  const caller = await service.authenticate({ authorization: `Bearer ${token}` }).catch(() => undefined);
  if (caller === undefined) return channel.close('token_invalid');
  if (channel.request.isPrivate && !(await mayUseTopic(service.database, caller, topic, 'read'))) {
    return channel.close('token_invalid');
  }
  await channel.changeCaller(caller, token);
}
