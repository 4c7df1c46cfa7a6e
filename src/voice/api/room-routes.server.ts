import type { FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { refuseUpgrade } from '../../kernel/http/upgrade-door.ts';
import type { CallManager } from '../calls/call-manager.server.ts';
import type { CallStore } from '../calls/record/call-store.server.ts';
import { type CallMessage, isShown } from '../calls/record/transcript.server.ts';
import type { VoiceRecord } from '../records/voice-records.server.ts';
import { parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';
import type { ConnectionTests } from '../rooms/connection-tests.server.ts';
import { entrySchema, PAGE_REPORTS } from '../rooms/meeting-room.contract.ts';
import type { MeetingRooms } from '../rooms/meeting-rooms.server.ts';
import type { RoomRelay } from '../rooms/room-relay.server.ts';

const SIGNALS = { name: 'signals of calls', count: 120, seconds: 60 };
const TESTS = { name: 'tests of connections', count: 12, seconds: 60 };
const REPORTS = { name: 'reports of calls', count: 30, seconds: 60 };
/** Most bytes of an offer's body; a browser's offer has about 5 KB. */
const OFFER_BODY = 96 * 1024;
const REPORT_BODY = 8 * 1024;

const room = z.object({ id: z.uuid(), token: z.string().min(1).max(64) });
const testOffer = entrySchema.pick({ sdp: true, type: true });
const asking = entrySchema.pick({ token: true });
const leaving = z.object({ reason: z.enum(['left', 'no-microphone']).default('left') });
const report = z.object({
  kind: z.enum(PAGE_REPORTS).default('log'),
  message: z.string().max(2000),
  details: z.json().optional(),
});

/**
 * The members of a call's record that the caller is shown when it ends: everything that was stored of the
 * call.
 */
const SHOWN = [
  'status',
  'startedAt',
  'endedAt',
  'endedReason',
  'transcript',
  'messages',
  'analysis',
  'erased',
];

/** The record of a call for its caller, without what only the assistant was told. */
function shownToCaller(call: VoiceRecord): Record<string, unknown> {
  const shown = Object.fromEntries(SHOWN.flatMap((name) => (name in call ? [[name, call[name]]] : [])));
  const { messages } = shown as { messages?: readonly CallMessage[] };
  return messages === undefined ? shown : { ...shown, messages: messages.filter(isShown) };
}

/** What the routes of rooms use. */
interface RoomParts {
  readonly manager: CallManager;
  readonly store: CallStore;
  readonly rooms: MeetingRooms;
  readonly relay: RoomRelay;
}

/**
 * Mounts the rooms of calls, and the way into meeting rooms: joining, leaving, reports, and the record. The
 * address is the proof: it contains a token that only the creator was given (docs/contracts/voice.md §2.1).
 */
export function mountRooms(
  { server, http, resources }: Pick<VoiceScope, 'server' | 'http' | 'resources'>,
  { manager, store, rooms, relay }: RoomParts,
): void {
  const at = '/room/:id/:token';
  const limited = (limit: typeof SIGNALS) => async (request: FastifyRequest) =>
    await http.rateLimiter.take(limit, http.addressOf(request));
  const signal = { onRequest: limited(SIGNALS) };
  const roomOf = (request: FastifyRequest) => parseVoice(room, request.params);

  server.get('/geo', async () => ({ current: resources.settings.VOICE_COUNTRY }));
  server.get(at, signal, async (request) => {
    const { id, token } = roomOf(request);
    const geo = resources.settings.VOICE_COUNTRY;
    const described = await rooms.describe({ id, proof: token });
    if (described !== undefined) return { id, ...described, geo };
    const room = await manager.room(id, token);
    const camera = room.camera ? { camera: true } : {};
    const livekit = room.livekit ? { livekit: true } : {};
    return { id, status: room.call.status, iceServers: room.iceServers, geo, ...camera, ...livekit };
  });
  server.post(`${at}/access`, { ...signal, bodyLimit: REPORT_BODY }, async (request) => {
    const { id, token: proof } = roomOf(request);
    const { token } = parseVoice(asking, request.body ?? {});
    return { access: await rooms.access({ id, proof }, token) };
  });
  server.post(`${at}/offer`, { ...signal, bodyLimit: OFFER_BODY }, async (request, reply) => {
    const { id, token } = roomOf(request);
    const entry = parseVoice(entrySchema, request.body);
    const entrance = await rooms.enter({ id, proof: token }, entry, http.addressOf(request));
    return reply.code(201).send({ type: 'answer', ...entrance });
  });
  server.post(`${at}/leave`, { ...signal, bodyLimit: REPORT_BODY }, async (request, reply) => {
    const { id, token } = roomOf(request);
    const { reason } = parseVoice(leaving, request.body);
    if (await relay.leave({ id, proof: token })) return reply.code(204).send();
    await manager.room(id, token);
    await manager.end(
      id,
      reason === 'no-microphone' ? 'customer-did-not-give-microphone-permission' : 'customer-ended-call',
    );
    return reply.code(204).send();
  });
  server.post(
    `${at}/report`,
    { onRequest: limited(REPORTS), bodyLimit: REPORT_BODY },
    async (request, reply) => {
      const { id, token } = roomOf(request);
      const { kind, message, details } = parseVoice(report, request.body);
      if (await relay.report({ id, proof: token }, kind)) return reply.code(204).send();
      await manager.room(id, token);
      manager.report(id, `${kind} at the caller's end: ${message} ${JSON.stringify(details ?? {})}`);
      return reply.code(204).send();
    },
  );
  server.get(`${at}/record`, signal, async (request) => {
    const { id, token } = roomOf(request);
    const { call } = await manager.room(id, token);
    return { id, ...shownToCaller(call) };
  });
  server.delete(`${at}/record`, signal, async (request, reply) => {
    const { id, token } = roomOf(request);
    await manager.room(id, token);
    await manager.end(id, 'customer-ended-call');
    await store.erase(id);
    return reply.code(204).send();
  });
}

/**
 * The address of a WebSocket that opens for everybody, says so and closes: it shows whether WebSockets get
 * through.
 */
const SOCKET_TEST = `${SERVICES.voice}/connection-test`;
/** Most test sockets at once; each is open for a moment. */
const MOST_SOCKETS = 50;

/**
 * Mounts the tests of a visitor's connection, which need no room: a picture that comes back, and a WebSocket
 * that opens.
 */
export function mountConnectionTests(
  { server, http }: Pick<VoiceScope, 'server' | 'http'>,
  tests: ConnectionTests,
): void {
  const limited = async (request: FastifyRequest) =>
    await http.rateLimiter.take(TESTS, http.addressOf(request));
  server.post(
    '/connection-test/offer',
    { onRequest: limited, bodyLimit: OFFER_BODY },
    async (request, reply) => {
      const { sdp } = parseVoice(testOffer, request.body);
      return reply.code(201).send({ type: 'answer', sdp: await tests.answer(sdp) });
    },
  );
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024, perMessageDeflate: false });
  http.upgrades.serve(SOCKET_TEST, ({ request, stream, head }) => {
    if (sockets.clients.size >= MOST_SOCKETS) {
      refuseUpgrade(stream, 503, 'Too many tests');
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', () => socket.terminate());
      socket.send('open');
      socket.close(1000);
    });
  });
  http.server.addHook('preClose', async () => {
    for (const socket of sockets.clients) socket.terminate();
  });
}
