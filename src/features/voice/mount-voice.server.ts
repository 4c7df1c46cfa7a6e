import type { FastifyRequest } from 'fastify';
import { SERVICES } from '../../contract/routes.ts';
import type { Door } from '../../http/door.ts';
import type { Resources } from '../../resources/resources.ts';
import { describeVoice } from './describe-voice.server.ts';
import { createVoiceGuard, type VoiceKey } from './guard-voice.server.ts';
import { mountCalls } from './serve-calls.server.ts';
import { mountMetrics } from './serve-metrics.server.ts';
import { mountPhoneNumbers } from './serve-phone-numbers.server.ts';
import { mountRecords } from './serve-records.server.ts';
import { ASSISTANT_DEFAULTS } from './voice-assistant.contract.ts';
import { createVoiceRecords } from './voice-records.server.ts';
import type { VoiceScope } from './voice-scope.server.ts';

/**
 * Mounts the voice platform's API (`spec/platform.md §7`, contract voice §3) and makes the site's
 * own assistant when it is not there.
 */
export async function mountVoice(door: Door, resources: Resources): Promise<void> {
  const { voice_org_id: orgId, voice_assistant_id: defaultAssistantId } = resources.keys;
  const records = createVoiceRecords(resources, orgId);
  await makeDefaultAssistant(resources, defaultAssistantId);
  const guard = createVoiceGuard(door, resources);
  const shown = new WeakMap<object, VoiceKey>();
  await door.server.register(
    async (open) => {
      open.get('/openapi.json', async () => describeVoice(`${resources.siteUrl}${SERVICES.voice}`));
      await open.register(async (server) => {
        acceptEmptyBodies(server);
        server.addHook('onRequest', async (request: FastifyRequest) => {
          shown.set(request, guard(request));
        });
        const scope: VoiceScope = { server, door, resources, records, orgId, defaultAssistantId };
        mountRecords(scope);
        mountCalls(scope, (request) => shown.get(request));
        mountPhoneNumbers(scope);
        mountMetrics(scope);
      });
    },
    { prefix: SERVICES.voice },
  );
}

/** A DELETE may say that it is JSON and bring none. */
function acceptEmptyBodies(server: VoiceScope['server']): void {
  const parse = server.getDefaultJsonParser('remove', 'remove');
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
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
