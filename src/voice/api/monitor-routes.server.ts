import { createHmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { bearerToken } from '../../kernel/http/bearer-token.ts';
import { refuseUpgrade } from '../../kernel/http/upgrade-door.ts';
import { derivedSecret, equalSecrets } from '../../kernel/resources/crypto/secrets.ts';
import { guardedListener } from '../../kernel/resources/guarded-listener.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { CallManager, LiveCall } from '../calls/call-manager.server.ts';
import { clientMessageSchema } from '../calls/client-messages.server.ts';
import type { Headset, Headsets } from '../console/headset/headsets.server.ts';
import type { VoiceRecord } from '../records/voice-records.server.ts';
import { destinationSchema } from '../records/voice-resources.contract.ts';
import { parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';

const CONTROLS = { name: 'controls of calls', count: 120, seconds: 60 };
const place = z.object({ id: z.uuid(), token: z.string().min(1).max(64) });
const transfer = z.object({
  type: z.literal('transfer'),
  destination: destinationSchema,
  /** Said to the caller while the other person is called. */
  content: z.string().min(1).max(2000).optional(),
});
const controlSchema = z.discriminatedUnion('type', [transfer, clientMessageSchema], {
  error: 'must be one of say, add-message, control, transfer and end-call',
});
const LISTEN = new RegExp(`^${SERVICES.voice}/monitor/([0-9a-f-]{36})/([\\w-]{1,64})/listen$`);
/** Most bytes that wait for a slow listener, who then misses sound; a second of sound has 64,000. */
const MOST_WAITING = 512_000;
const MOST_LISTENERS = 20;
/** Close code of a listener who may not listen: policy violation (RFC 6455 §7.4.1). */
const NOT_ALLOWED = 1008;

/** Addresses for listening to a call in progress and controlling it (the published API: `monitor`). */
export interface Monitor {
  /** The record with its `monitor`, as long as the call is not over. */
  shown(call: VoiceRecord): VoiceRecord;
}

/**
 * The addresses contain their key: with one of them no other key is needed, unless the assistant's
 * `monitorPlan` says so.
 */
export function openMonitor({ keys, siteUrl }: Pick<Resources, 'keys' | 'siteUrl'>): Monitor & MonitorTokens {
  const key = derivedSecret(keys, 'voice monitors');
  const tokenOf = (id: string): string =>
    createHmac('sha256', key).update(id).digest('base64url').slice(0, 32);
  const base = `${siteUrl}${SERVICES.voice}/monitor`;
  return {
    proves: (id, token) => equalSecrets(token, tokenOf(id)),
    shown(call) {
      if (call.status === 'ended') return call;
      const at = `${base}/${call.id}/${tokenOf(call.id)}`;
      return {
        ...call,
        monitor: { listenUrl: `${at.replace(/^http/, 'ws')}/listen`, controlUrl: `${at}/control` },
      };
    },
  };
}

interface MonitorTokens {
  proves(id: string, token: string): boolean;
}

/** What listening to calls and controlling them uses. */
interface MonitorParts {
  readonly manager: CallManager;
  readonly monitor: MonitorTokens;
  readonly headsets: Headsets;
}

/** Mounts the control of calls in progress, and listening in by a WebSocket. */
export function mountMonitor(
  { server, http, resources }: Pick<VoiceScope, 'server' | 'http' | 'resources'>,
  { manager, monitor, headsets }: MonitorParts,
): void {
  const live = (
    what: 'listen' | 'control',
    asked: { id: string; token: string; bearer?: string },
  ): LiveCall => {
    const { id, token, bearer = '' } = asked;
    const found = monitor.proves(id, token) ? manager.live(id) : undefined;
    if (found === undefined) throw notLive();
    const plan = found.assistant.monitorPlan ?? {};
    if (plan[`${what}Enabled`] === false)
      throw new ServiceError(403, 'monitor_off', `The assistant's monitorPlan has ${what}Enabled false.`);
    if (
      plan[`${what}AuthenticationEnabled`] === true &&
      !equalSecrets(bearer, resources.keys.voice_private_key)
    )
      throw new ServiceError(
        401,
        'no_authorization',
        'The header Authorization: Bearer with the private key is needed.',
      );
    return found;
  };
  const limited = {
    onRequest: async (request: FastifyRequest) =>
      await http.rateLimiter.take(CONTROLS, http.addressOf(request)),
  };
  server.post('/monitor/:id/:token/control', limited, async (request, reply) => {
    const call = live('control', {
      ...parseVoice(place, request.params),
      bearer: bearerToken(request.headers) ?? '',
    });
    const given = parseVoice(controlSchema, request.body);
    if (given.type === 'transfer')
      await call.transfer(given.destination, given.content).catch(notTransferred);
    else call.instruct(given);
    return reply.code(200).send({ done: true });
  });
  mountListening({ http, log: resources.log }, headsets, (asked) => {
    const headset = headsets.redeem(asked.id, asked.token);
    if (headset === undefined) return { call: live('listen', asked) };
    const call = manager.live(asked.id);
    if (call !== undefined) return { call, headset };
    headsets.end(headset);
    throw notLive();
  });
}

const notLive = (): ServiceError =>
  new ServiceError(404, 'not_live', 'There is no such call, or it does not go on in this process.');

/**
 * @throws ServiceError unchanged; any other error as 409 `not_transferred` with the sentence that the
 * dialogue would get
 */
function notTransferred(error: unknown): never {
  if (error instanceof ServiceError) throw error;
  throw new ServiceError(409, 'not_transferred', (error as Error).message, { cause: error });
}

/** A call that somebody listens to. An operator with a headset may also speak in it. */
interface HeardCall {
  readonly call: LiveCall;
  readonly headset?: Headset;
}

/**
 * Sends the sound of a call: first a text that describes the format, then 20 ms at a time, the caller left
 * and the assistant right.
 */
function mountListening(
  { http, log }: Pick<VoiceScope, 'http'> & Pick<Resources, 'log'>,
  headsets: Headsets,
  find: (asked: { id: string; token: string; bearer: string }) => HeardCall,
): void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024, perMessageDeflate: false });
  http.upgrades.serve(LISTEN, ({ request, stream, head, target }) => {
    const [, id = '', token = ''] = LISTEN.exec(target.pathname) ?? [];
    let heard: HeardCall;
    try {
      if (sockets.clients.size >= MOST_LISTENERS) throw new ServiceError(503, 'busy', 'Too many listen in.');
      heard = find({ id, token, bearer: bearerToken(request.headers) ?? '' });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refuseUpgrade(stream, error.status, error.message);
      return;
    }
    // A client that leaves during the handshake never gets a socket.
    stream.once('close', () => heard.headset !== undefined && headsets.end(heard.headset));
    sockets.handleUpgrade(request, stream, head, (socket) => hearCall(socket, heard, log));
  });
  http.server.addHook('preClose', async () => {
    for (const socket of sockets.clients) socket.terminate();
  });
}

/** Sends the sound of a call, and receives the sound of a headset. */
function hearCall(socket: WebSocket, { call, headset }: HeardCall, log: Resources['log']): void {
  const tell = (message: object): void => socket.send(JSON.stringify(message));
  socket.on('error', () => socket.terminate());
  tell({ type: 'start', encoding: 'linear16', container: 'raw', sampleRate: 16_000, channels: 2 });
  const stop = call.listen((pcm) => {
    if (socket.bufferedAmount < MOST_WAITING)
      socket.send(Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength));
  });
  headset?.open({
    givenBack: () => tell({ type: 'given-back' }),
    close: () => socket.close(NOT_ALLOWED, 'You may not listen to this call any more.'),
  });
  socket.on(
    'message',
    guardedListener(
      (fault) => log.error({ err: fault }, 'the sound of a headset was dropped: please report this line'),
      (data: Buffer, isSound: boolean) => {
        if (isSound) headset?.speak(samplesOf(data));
      },
    ),
  );
  socket.on('close', stop);
  void call.over.then(() => socket.close(1000, 'The call is over.'));
}

/** The 16-bit samples of bytes at any offset; half a sample at the end is dropped. */
function samplesOf(data: Buffer): Int16Array {
  return Int16Array.from({ length: data.length >> 1 }, (_, at) => data.readInt16LE(at * 2));
}
