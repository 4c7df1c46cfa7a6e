import type { FastifyRequest } from 'fastify';
import { SERVICES } from '../../contract/routes.ts';
import type { Door } from '../../http/door.ts';
import type { Resources } from '../../resources/resources.ts';
import { openEvidence } from './conversation/keep-evidence.server.ts';
import { openCallStore } from './conversation/store-calls.server.ts';
import { openCallDesk } from './conversation/take-calls.server.ts';
import { defineCallEvents } from './conversation/tell-server.server.ts';
import { describeVoice } from './describe-voice.server.ts';
import type { VoiceEngines } from './engines.server.ts';
import { createVoiceGuard, type VoiceKey } from './guard-voice.server.ts';
import { createWeriftTransport } from './media/werift-transport.server.ts';
import { refuseOtherCalls } from './refuse-calls.server.ts';
import { mountAnalytics } from './serve-analytics.server.ts';
import { mountCalls } from './serve-calls.server.ts';
import { mountFiles } from './serve-files.server.ts';
import { mountMetrics } from './serve-metrics.server.ts';
import { mountPages } from './serve-pages.server.ts';
import { mountPhoneNumbers } from './serve-phone-numbers.server.ts';
import { mountRecords } from './serve-records.server.ts';
import { mountRooms } from './serve-rooms.server.ts';
import { mountInbound } from './telephony/answer-numbers.server.ts';
import { ASSISTANT_DEFAULTS } from './voice-assistant.contract.ts';
import { createVoiceRecords } from './voice-records.server.ts';
import type { VoiceScope } from './voice-scope.server.ts';

/** Seconds between two looks for calls whose process is gone, and between two signs of life. */
const SWEEP_SECONDS = 10;

/** The voice platform while it runs. */
export interface VoiceService {
  /** Ends the calls of processes that are gone; their ends are announced, so jobs have to be running. */
  closeLost(): Promise<unknown>;
  /** Ends every call and takes no more; before the server closes. */
  close(): Promise<void>;
}

/**
 * Mounts the voice platform's API (`spec/platform.md §7`, contract voice §3), takes calls, and makes
 * the site's own assistant when it is not there.
 */
export async function mountVoice(
  door: Door,
  resources: Resources,
  engines: VoiceEngines,
): Promise<VoiceService> {
  const { voice_org_id: orgId, voice_assistant_id: defaultAssistantId } = resources.keys;
  const records = createVoiceRecords(resources, orgId);
  await makeDefaultAssistant(resources, defaultAssistantId);
  const evidence = openEvidence(resources);
  const events = defineCallEvents(resources, records);
  const store = openCallStore(resources, evidence, events);
  const transport = createWeriftTransport(resources.settings);
  const desk = openCallDesk({ resources, records, store, transport, engines });
  resources.jobs.every('close lost calls', SWEEP_SECONDS, async () => {
    await store.renew(desk.going());
    await store.closeLost();
  });
  const guard = createVoiceGuard(door, resources);
  const shown = new WeakMap<object, VoiceKey>();
  const common = { door, resources, records, orgId, defaultAssistantId };
  await door.server.register(
    async (open) => {
      refuseOtherCalls(open, SERVICES.voice);
      open.get('/openapi.json', async () => describeVoice(`${resources.siteUrl}${SERVICES.voice}`));
      await open.register(async (server) => {
        acceptEmptyBodies(server);
        mountRooms({ server, door, resources }, desk, store);
        mountInbound({ ...common, server });
      });
      await open.register(async (server) => {
        acceptEmptyBodies(server);
        server.addHook('onRequest', async (request: FastifyRequest) => {
          shown.set(request, guard(request));
        });
        const scope: VoiceScope = { ...common, server };
        mountRecords(scope);
        mountCalls(scope, desk, evidence, (request) => shown.get(request));
        mountPhoneNumbers(scope);
        mountPages(scope);
        mountFiles(scope);
        mountMetrics(scope);
        mountAnalytics(scope);
      });
    },
    { prefix: SERVICES.voice },
  );
  return { closeLost: () => store.closeLost(), close: () => desk.close() };
}

/** A DELETE may say that it is JSON and bring none. */
function acceptEmptyBodies(server: VoiceScope['server']): void {
  const parse = server.getDefaultJsonParser('remove', 'remove');
  server.removeContentTypeParser(['application/json', 'text/plain']);
  // A page that goes away can only send a text (`sendBeacon` without a question before it).
  const types = ['application/json', 'text/plain'];
  server.addContentTypeParser(types, { parseAs: 'string' }, (request, text, done) => {
    if (text.length === 0) done(null, undefined);
    else parse(request, text as string, done);
  });
}

async function makeDefaultAssistant({ database, settings }: Resources, id: string): Promise<void> {
  const body = {
    ...ASSISTANT_DEFAULTS,
    name: 'Front office',
    firstMessage: `Hello, this is the AI assistant of ${settings.BRAND}. How can I help you?`,
    model: { provider: 'embedded' },
    voice: { provider: 'embedded' },
    transcriber: { provider: 'embedded' },
  };
  await database.run(
    `insert into private.voice_records (id, kind, body) values ($1, 'assistant', $2) on conflict (id) do nothing`,
    [id, JSON.stringify(body)],
  );
}
