import { campaignListSchema, campaignSchema, changeCampaignSchema } from '../records/campaign.contract.ts';
import { configuredEngines, settingWarnings, withWarnings } from '../records/setting-warnings.server.ts';
import { idOf, parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';
import type { CampaignRecord } from '../telephony/campaign-store.server.ts';
import type { Campaigns } from '../telephony/phone/phone-service.server.ts';
import { mergeChanges } from './record-routes.server.ts';
import type { Page } from './result-pages.server.ts';

/** Mounts campaigns (docs/contracts/voice.md §3, as the published server client calls them). */
export function mountCampaigns(scope: VoiceScope, { store, run }: Campaigns): void {
  const { server, records, resources } = scope;
  const exist = async (given: { assistantId?: unknown; squadId?: unknown; phoneNumberId?: unknown }) => {
    await records.mustExist('assistant', [given.assistantId], 'assistantId');
    await records.mustExist('squad', [given.squadId], 'squadId');
    await records.mustExist('phone-number', [given.phoneNumberId], 'phoneNumberId');
  };
  // The request is answered before the first telephone rings.
  const begin = (): void =>
    void run().catch((error: unknown) => resources.log.error({ err: error }, 'campaigns could not be run'));
  server.post('/campaign', async (request, reply) => {
    const given = parseVoice(campaignSchema, request.body);
    await exist(given);
    const made = await store.create(given);
    begin();
    const warned = settingWarnings(
      'call',
      { assistantOverrides: given.assistantOverrides },
      await records.providers(),
      configuredEngines(resources.settings),
    );
    return reply.code(201).send(withWarnings(made, warned));
  });
  server.get('/campaign', async (request): Promise<Page<CampaignRecord>> => {
    const query = parseVoice(campaignListSchema, request.query);
    const { results, total } = await store.list(query);
    return {
      results,
      metadata: { itemsPerPage: query.limit, totalItems: total, currentPage: query.page },
    };
  });
  server.get('/campaign/:id', async (request) => store.find(idOf(request)));
  server.patch('/campaign/:id', async (request) => {
    const id = idOf(request);
    const { status, ...given } = parseVoice(changeCampaignSchema, request.body);
    await exist(given);
    await store.change(id, (present) => mergeChanges(present, given) as typeof present);
    if (status === 'ended') await store.end(id);
    else begin();
    return store.find(id);
  });
  server.delete('/campaign/:id', async (request) => store.remove(idOf(request)));
}
