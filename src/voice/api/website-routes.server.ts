import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { isOpenAt, readWeeklyHours } from '../../business/bookings/weekly-hours.server.ts';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { createAddressLimit } from '../../kernel/http/address-limit.ts';
import { refuseUpgrade } from '../../kernel/http/upgrade-door.ts';
import type { CallManager } from '../calls/call-manager.server.ts';
import type { CallAssistant, VoiceEngines } from '../engines/engines.server.ts';
import { recordingPlan } from '../recording/recording-plan.server.ts';
import { idOf, parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';
import {
  type Website,
  type WebsiteAnswer,
  type WebsiteCall,
  websiteCallSchema,
  websiteMessageSchema,
} from '../records/website.contract.ts';
import { countPublicCall } from './voice-guard.server.ts';

const LOOKS = { name: 'looks at the assistant of a site', count: 60, seconds: 60 };
const MESSAGES = { name: 'messages from sites', count: 5, seconds: 600 };
const BODY = 16 * 1024;
/** Most written calls of this process at once, and of one address. */
const MOST_WRITTEN = 60;
const MOST_OF_ONE = 6;
const TEXT_BYTES = 16 * 1024;
const REFUSED = 1008;
/** Proxies close a connection that is silent for a minute. */
const PING_MS = 25_000;

/** A message for a person, from a page of another site. */
export interface SiteMessage {
  readonly name: string;
  readonly email: string;
  readonly service: string;
  readonly notes: string;
}

/** What the routes for other sites use. */
export interface WebsiteParts {
  readonly manager: CallManager;
  readonly engines: VoiceEngines;
  /** Stores a message and notifies the agency. `nickname` is a field that only programs fill in. */
  takeMessage(message: SiteMessage, origin: { address: string; nickname: string }): Promise<{ id: string }>;
}

/** An assistant that a page asks for, and the page's origin. */
interface Asked {
  readonly id: string;
  readonly assistant: CallAssistant;
  readonly website: Website;
  readonly origin: string;
}

/**
 * Mounts an assistant's way onto other sites: its looks, its calls, spoken or written, and a message for a person. There
 * is no key, as everybody could read it in the page: the origin, and the limits of the public key, protect the assistant
 * (docs/security-attacks.md, attack 41).
 */
export function mountWebsite(
  { server, http, resources, records }: VoiceScope,
  { manager, engines, takeMessage }: WebsiteParts,
): void {
  const { settings } = resources;
  const at = '/website/:id';
  const asked = async (request: FastifyRequest): Promise<Asked> => {
    const id = idOf(request);
    const assistant = (await records.find('assistant', id)) as CallAssistant;
    const { website = {} } = assistant;
    const origin = request.headers.origin ?? '';
    if (!(website.origins ?? []).includes(origin)) throw wrongOrigin(origin);
    return { id, assistant, website, origin };
  };
  const isOpen = ({ hours }: Website): boolean => {
    const week = hours === undefined ? null : readWeeklyHours(hours.open);
    return week === null || isOpenAt(week, new Date(), hours?.timeZone ?? settings.TIME_ZONE);
  };

  server.get(at, async (request): Promise<WebsiteAnswer> => {
    await http.rateLimiter.take(LOOKS, http.addressOf(request));
    const { assistant, website } = await asked(request);
    const { hours } = website;
    return {
      name: assistant.name ?? settings.BRAND,
      colours: website.colours ?? {},
      open: isOpen(website),
      hours:
        hours === undefined ? null : { open: hours.open, timeZone: hours.timeZone ?? settings.TIME_ZONE },
      asksToRecord: recordingPlan(assistant, { camera: false }) !== undefined,
      hears: engines.recognition === 'speech',
    };
  });

  server.post(`${at}/call`, { bodyLimit: BODY }, async (request, reply) => {
    await countPublicCall(http, request);
    const { written } = parseVoice(websiteCallSchema, request.body);
    const { id, assistant, website, origin } = await asked(request);
    if (!isOpen(website)) throw closed();
    const { greeting } = website;
    const changes = {
      ...(greeting === undefined ? {} : { firstMessage: greeting }),
      // The script opens no camera: where a picture is asked for, nothing is recorded.
      ...(recordingPlan(assistant, { camera: true })?.video === true ? { recordingEnabled: false } : {}),
    };
    const made = await manager.create(
      {
        assistantId: id,
        ...(Object.keys(changes).length === 0 ? {} : { assistantOverrides: changes }),
      },
      { publicKey: true, address: http.addressOf(request), written, website: origin },
    );
    const call: WebsiteCall = { webCallUrl: String(made.webCallUrl) };
    return reply.code(201).send(call);
  });

  server.post(`${at}/message`, { bodyLimit: BODY }, async (request, reply) => {
    await http.rateLimiter.take(MESSAGES, http.addressOf(request));
    const { name, email, message, nickname } = parseVoice(websiteMessageSchema, request.body);
    const { assistant, origin } = await asked(request);
    const notes = `${message}\n\n(Left on ${origin} for ${assistant.name ?? settings.BRAND}.)`;
    const service = resources.site.enquiryServices[0] ?? settings.BRAND;
    const { id } = await takeMessage(
      { name, email, service, notes },
      { address: http.addressOf(request), nickname },
    );
    return reply.code(201).send({ id });
  });

  mountWrittenCalls({ http, resources }, manager);
}

const ROOM_WORDS = new RegExp(`^${SERVICES.voice}/room/([\\w-]+)/([\\w-]+)/words$`);
const roomKey = z.object({ callId: z.uuid(), token: z.string().min(1).max(64) });

/**
 * Mounts the WebSocket of a written call, beside the addresses of its room. A refusal is a text, since pages cannot read
 * the status of a WebSocket that did not open.
 */
function mountWrittenCalls(
  { http, resources }: Pick<VoiceScope, 'http' | 'resources'>,
  manager: CallManager,
): void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: TEXT_BYTES, perMessageDeflate: false });
  const { TRUST_PROXY, RATE_LIMITS } = resources.settings;
  const places = createAddressLimit(TRUST_PROXY, RATE_LIMITS ? MOST_OF_ONE : MOST_WRITTEN);
  http.upgrades.serve(ROOM_WORDS, ({ request, stream, head, target }) => {
    const leave = sockets.clients.size < MOST_WRITTEN ? places.take(request) : undefined;
    if (leave === undefined) return refuseUpgrade(stream, 503, 'Too many people write');
    stream.once('close', leave);
    const [, callId, token] = ROOM_WORDS.exec(target.pathname) ?? [];
    sockets.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', () => socket.terminate());
      const alive = setInterval(() => socket.ping(), PING_MS);
      socket.once('close', () => clearInterval(alive));
      void write(manager, { callId, token }, socket).catch((error: unknown) => {
        if (!(error instanceof ServiceError)) resources.log.error({ err: error }, 'a written call failed');
        const told = error instanceof ServiceError ? error : callFailed();
        socket.send(JSON.stringify({ type: 'refused', code: told.code, message: told.message }));
        socket.close(REFUSED);
      });
    });
  });
  http.server.addHook('preClose', async () => {
    for (const socket of sockets.clients) socket.close(1001);
  });
}

async function write(manager: CallManager, asked: object, socket: WebSocket): Promise<void> {
  const key = parseVoice(roomKey, asked);
  await manager.write(key, {
    send(text) {
      if (socket.readyState !== socket.OPEN) return false;
      socket.send(text);
      return true;
    },
    onText: (listener) => void socket.on('message', (data: Buffer) => listener(data.toString('utf8'))),
    onClose: (listener) => void (socket.readyState > socket.OPEN ? listener() : socket.on('close', listener)),
    close: () => socket.close(1000),
  });
}

const wrongOrigin = (origin: string): ServiceError =>
  new ServiceError(
    403,
    'wrong_origin',
    `This assistant may not be shown on ${origin === '' ? 'this page' : origin}. The console lists its sites: Assistants, On your site.`,
  );
const closed = (): ServiceError =>
  new ServiceError(409, 'closed', 'Nobody can talk to this assistant now. Please leave a message.');
const callFailed = (): ServiceError =>
  new ServiceError(503, 'call_failed', 'The call could not be begun. Please try again.');
