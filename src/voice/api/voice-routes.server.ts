import type { FastifyRequest } from 'fastify';
import { SERVICES } from '../../kernel/contract/routes.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { encodingFor, sayEncoding } from '../../kernel/http/site/static-representation.ts';
import { storableJsonParser } from '../../kernel/http/unstorable-text.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { openBackgroundSounds } from '../calls/background/background-sound.server.ts';
import { defineCallEvents } from '../calls/call-events.server.ts';
import { type CallManager, createCallManager } from '../calls/call-manager.server.ts';
import { openFirstSounds } from '../calls/first-sound.server.ts';
import { type CallStore, openCallStore } from '../calls/record/call-store.server.ts';
import { type DailyCaps, openDailyCaps } from '../calls/record/daily-caps.server.ts';
import { type DoNotCallList, openDoNotCallList } from '../calls/record/do-not-call.server.ts';
import { type Evidence, openEvidence } from '../calls/record/evidence.server.ts';
import { createRoomProofs } from '../calls/room-proof.server.ts';
import { type Headsets, openHeadsets } from '../console/headset/headsets.server.ts';
import { mountVoiceConsole } from '../console/voice-console.server.ts';
import type { VoiceEngines } from '../engines/engines.server.ts';
import {
  type EvaluationParts,
  type Evaluations,
  openEvaluations,
} from '../evaluations/evaluation-service.server.ts';
import { type SampleParts, serveSampleCall } from '../evaluations/sample-call.server.ts';
import { createLiveKitTransport } from '../media/livekit-transport.server.ts';
import type { MediaTransport } from '../media/media-transport.server.ts';
import { createWeriftTransport } from '../media/werift-transport.server.ts';
import { openMeetingArchive } from '../recording/meeting/meeting-archive.server.ts';
import { openMeetingRecordings } from '../recording/meeting/meeting-recordings.server.ts';
import { scheduleRecordingExpiry } from '../recording/recording-expiry.server.ts';
import { openRecordingStore, type RecordingStore } from '../recording/recording-store.server.ts';
import { ASSISTANT_DEFAULTS } from '../records/voice-assistant.contract.ts';
import { createVoiceRecords } from '../records/voice-records.server.ts';
import type { VoiceScope } from '../records/voice-scope.server.ts';
import { openConnectionTests } from '../rooms/connection-tests.server.ts';
import { openMediaLibrary } from '../rooms/media-library.server.ts';
import { type MeetingRooms, openMeetingRooms, type RoomParts } from '../rooms/meeting-rooms.server.ts';
import { createMeetingTokens } from '../rooms/meeting-token.server.ts';
import { openMeetingTranscripts } from '../rooms/meeting-transcripts.server.ts';
import { openOpenRooms } from '../rooms/open-rooms.server.ts';
import { openRoomRelay, type RoomRelay } from '../rooms/room-relay.server.ts';
import { followMissedCalls } from '../telephony/missed-calls.server.ts';
import { mountInbound } from '../telephony/number-answering.server.ts';
import {
  openPhoneService,
  type PhoneService,
  type PhoneServiceParts,
} from '../telephony/phone/phone-service.server.ts';
import { mountAnalytics } from './analytics-routes.server.ts';
import { mountAssistantVersions } from './assistant-version-routes.server.ts';
import { refuseOtherCalls } from './call-refusals.server.ts';
import { mountCalls } from './call-routes.server.ts';
import { mountCampaigns } from './campaign-routes.server.ts';
import { mountDoNotCall } from './do-not-call-routes.server.ts';
import { mountEvaluations } from './evaluation-routes.server.ts';
import { mountFiles } from './file-routes.server.ts';
import { mountMeetings } from './meeting-routes.server.ts';
import { mountMetrics } from './metrics-routes.server.ts';
import { mountMonitor, openMonitor } from './monitor-routes.server.ts';
import { printedDescription } from './openapi-description.server.ts';
import { mountPhoneNumbers } from './phone-number-routes.server.ts';
import { mountRecords } from './record-routes.server.ts';
import { mountRecordings } from './recording-routes.server.ts';
import { mountPages } from './result-pages.server.ts';
import { mountConnectionTests, mountRooms } from './room-routes.server.ts';
import { createVoiceGuard, type VoiceKey } from './voice-guard.server.ts';
import { mountWebsite, type WebsiteParts } from './website-routes.server.ts';

/** How often calls of ended processes are looked for, and signs of life renewed, seconds. */
const SWEEP_SECONDS = 10;
/** How often rooms are checked for people whose time is over, seconds. */
const OVERDUE_SECONDS = 1;
/** How often it is checked whether operators may still listen to their calls, seconds. */
const HEADSET_SECONDS = 10;
const TRUNK_SECONDS = 60;
const OLD_SECONDS = 3600;

/** The voice platform while it runs. */
export interface VoiceService {
  /**
   * Ends the calls of processes that have ended. Their ends are announced by jobs, which have to be running.
   */
  closeLost(): Promise<unknown>;
  /** Whether this process carries a call now. */
  isBusy(): boolean;
  /** Ends every call and accepts no more; called before the server closes. */
  close(): Promise<void>;
}

/**
 * Mounts the voice platform's API (docs/specification/platform.md §7, docs/contracts/voice.md §3), takes
 * calls, and creates the site's own assistant if it does not exist.
 */
export async function mountVoice(
  http: HttpContext,
  resources: Resources,
  { engines, takeMessage }: Omit<WebsiteParts, 'manager'>,
): Promise<VoiceService> {
  const { voice_org_id: orgId, voice_assistant_id: defaultAssistantId } = resources.keys;
  const records = createVoiceRecords(resources, orgId);
  await makeDefaultAssistant(resources, defaultAssistantId);
  const evidence = openEvidence(resources);
  const recordings = openRecordingStore(resources, (queries, callId) =>
    evidence.add(queries, callId, { kind: 'deleted', data: { what: 'recording' } }),
  );
  const events = defineCallEvents(resources, records, (call) => recordings.withAddresses(call));
  const store = openCallStore(resources, evidence, events);
  const caps = openDailyCaps(resources);
  const sounds = openBackgroundSounds(resources.outbound);
  const firstSounds = openFirstSounds(resources.outbound);
  const transport = openTransport(resources);
  const doNotCall = openDoNotCallList(resources);
  const proofs = createRoomProofs(resources.keys);
  const parts = { resources, records, store, engines, doNotCall, rateLimiter: http.rateLimiter };
  const manager = createCallManager({ ...parts, caps, sounds, firstSounds, transport, proofs, recordings });
  scheduleCalls(resources, { store, manager, recordings, doNotCall });
  const phone = await openPhone({ ...parts, manager, defaultAssistantId, orgId });
  const rooms = { manager, transport, proofs, phone, caps, recordings, evidence };
  const meetings = openRooms(resources, { ...parts, ...rooms });
  const heard = { manager, monitor: openMonitor(resources), headsets: watchHeadsets(resources) };
  const evaluations = openRehearsals(http, { resources, records, engines, caps, defaultAssistantId });
  mountVoiceConsole({ http, resources }, { ...parts, ...heard, ...rooms, evaluations, firstSounds });
  const guard = createVoiceGuard(http, resources);
  const shown = new WeakMap<object, VoiceKey>();
  const common = { http, resources, records, orgId, defaultAssistantId };
  await http.server.register(
    async (open) => {
      refuseOtherCalls(open, SERVICES.voice);
      mountDescription(open, `${resources.siteUrl}${SERVICES.voice}`);
      await open.register(async (server) => {
        acceptEmptyBodies(server);
        mountRooms({ server, http, resources }, { manager, store, ...meetings });
        mountConnectionTests({ server, http }, openConnectionTests(transport));
        mountInbound({ ...common, server }, phone);
        mountMonitor({ server, http, resources }, heard);
        mountWebsite({ ...common, server }, { manager, engines, takeMessage });
      });
      await open.register(async (server) => {
        acceptEmptyBodies(server);
        server.addHook('onRequest', async (request: FastifyRequest) => {
          shown.set(request, await guard(request));
        });
        const scope: VoiceScope = { ...common, server };
        mountCalls(scope, { ...heard, evidence, phone, recordings }, (request) => shown.get(request));
        mountMeetings(scope, meetings.rooms);
        mountRecordings(scope, recordings, openMeetingArchive(resources, records, evidence));
        mountRecords(scope, sounds, firstSounds);
        mountPhone(scope, phone, doNotCall);
        for (const mount of [mountPages, mountFiles, mountAnalytics, mountAssistantVersions]) mount(scope);
        mountMetrics(scope, caps);
        mountEvaluations(scope, evaluations);
      });
    },
    { prefix: SERVICES.voice },
  );
  return {
    closeLost: () => closeLostCalls(store, recordings).then(() => phone.followTrunks()),
    isBusy: () => manager.activeCalls().length > 0 || meetings.rooms.isBusy(),
    async close() {
      await manager.close();
      await meetings.close();
      await recordings.close();
      await phone.close();
    },
  };
}

function openTransport({ settings, log }: Resources): MediaTransport {
  const own = createWeriftTransport(settings, faultReport(log));
  if (settings.LIVEKIT_URL === '') return own;
  return createLiveKitTransport(settings, own, (fault) =>
    log.error({ err: fault }, 'LiveKit failed in a call'),
  );
}

const faultReport =
  (log: Resources['log']) =>
  (fault: unknown): void =>
    log.error({ err: fault }, 'a packet of a call was dropped: please report this line');

/**
 * Ends calls whose process has ended. Their recordings are recovered first, since the reports of the calls
 * name them.
 */
async function closeLostCalls(store: CallStore, recordings: RecordingStore): Promise<void> {
  for (const callId of await recordings.recover())
    store.journal(callId).log('WARN', 'the recording ends where its process was killed');
  await store.closeLost();
}

/** Mounts numbers, campaigns and the do-not-call list. */
function mountPhone(scope: VoiceScope, phone: PhoneService, doNotCall: DoNotCallList): void {
  mountPhoneNumbers(scope, phone);
  mountCampaigns(scope, phone.campaigns);
  mountDoNotCall(scope, doNotCall);
}

function mountDescription(server: VoiceScope['server'], address: string): void {
  const description = printedDescription(address);
  server.get('/openapi.json', async (request, reply) => {
    const printed = await description();
    const { etag } = printed;
    const encoding = encodingFor(request.headers['accept-encoding']) === 'identity' ? 'identity' : 'gzip';
    const isKnown = request.headers['if-none-match'] === etag;
    sayEncoding(reply, isKnown ? 'identity' : encoding).headers({ etag, 'cache-control': 'no-cache' });
    if (isKnown) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(printed[encoding]);
  });
}

/** Schedules the periodic work for calls and their recordings, and what follows missed calls. */
function scheduleCalls(
  resources: Resources,
  {
    store,
    manager,
    recordings,
    doNotCall,
  }: { store: CallStore; manager: CallManager; recordings: RecordingStore; doNotCall: DoNotCallList },
): void {
  const { jobs } = resources;
  followMissedCalls(resources, doNotCall);
  jobs.every('lost calls', SWEEP_SECONDS, async () => {
    const hungUp = await store.renew(manager.activeCalls());
    await Promise.all(hungUp.map(({ callId, reason }) => manager.end(callId, reason)));
    await closeLostCalls(store, recordings);
  });
  scheduleRecordingExpiry(resources, recordings);
}

type RoomGivens = Pick<RoomParts, 'records' | 'manager' | 'transport' | 'proofs'> & {
  readonly recordings: RecordingStore;
  readonly evidence: Evidence;
  readonly engines: VoiceEngines;
  readonly phone: PhoneService;
  readonly caps: DailyCaps;
};

/** Opens the meeting rooms of this process, and schedules their periodic work. */
function openRooms(
  resources: Resources,
  { engines, phone, caps, recordings, evidence, ...parts }: RoomGivens,
): { rooms: MeetingRooms; relay: RoomRelay; close(): Promise<void> } {
  const tapes = openMeetingRecordings({
    ...{ resources, recordings, records: parts.records },
    note: (queries, recordingId, note) => evidence.add(queries, recordingId, note),
  });
  const open = openOpenRooms(resources);
  const rooms = openMeetingRooms({
    ...parts,
    ...{ resources, telephone: phone.forRooms, open, recordings: tapes },
    library: openMediaLibrary(resources.outbound),
    tokens: createMeetingTokens(resources.keys),
    transcripts: openMeetingTranscripts({ engines, resources, caps }),
  });
  resources.jobs.every('overdue people in rooms', OVERDUE_SECONDS, () => rooms.endOverdue());
  resources.jobs.every('rooms of this process', SWEEP_SECONDS, () => rooms.renew());
  const relay = openRoomRelay({ rooms, open, proofs: parts.proofs });
  resources.jobs.every('words of pages at other processes', SWEEP_SECONDS, () => relay.carryOut());
  return {
    ...{ rooms, relay },
    async close() {
      await rooms.settled();
      await tapes.close();
    },
  };
}

/**
 * Opens the headsets of this process, and checks periodically whether their operators may still hear the
 * calls.
 */
function watchHeadsets(resources: Resources): Headsets {
  const headsets = openHeadsets(resources);
  resources.jobs.every('headsets of this process', HEADSET_SECONDS, () => headsets.recheck());
  return headsets;
}

/** Opens the telephone, and schedules its periodic work. */
async function openPhone(parts: PhoneServiceParts): Promise<PhoneService> {
  const phone = await openPhoneService(parts);
  const { jobs } = parts.resources;
  jobs.every('scheduled telephone calls', SWEEP_SECONDS, () => phone.beginScheduled());
  jobs.every('telephone campaigns', SWEEP_SECONDS, () => phone.campaigns.run());
  jobs.every('telephone callers', SWEEP_SECONDS, () => phone.renewCallers());
  jobs.every('telephone trunks', TRUNK_SECONDS, () => phone.followTrunks());
  jobs.everyByOne('old telephone calls', OLD_SECONDS, () => phone.sweep());
  return phone;
}

/** Opens rehearsals: tests of assistants, and the call that visitors can listen to. */
function openRehearsals(http: HttpContext, parts: EvaluationParts & SampleParts): Evaluations {
  serveSampleCall(http, parts);
  return openEvaluations(parts);
}

/** A DELETE may declare JSON and have an empty body. */
function acceptEmptyBodies(server: VoiceScope['server']): void {
  const parse = storableJsonParser(server);
  server.removeContentTypeParser(['application/json', 'text/plain']);
  // A page that is being closed can only send a text (`sendBeacon` without a preflight request).
  const types = ['application/json', 'text/plain'];
  server.addContentTypeParser(types, { parseAs: 'string' }, (request, text, done) => {
    if (text.length === 0) done(null, undefined);
    else void parse(request, text as string, done);
  });
}

async function makeDefaultAssistant({ database }: Resources, id: string): Promise<void> {
  const body = {
    ...ASSISTANT_DEFAULTS,
    name: 'Front office',
    // A template, so that the greeting follows a new name.
    firstMessage: 'Hello, this is the AI assistant of {{brand}}. How can I help you?',
    model: { provider: 'embedded' },
    voice: { provider: 'embedded' },
    transcriber: { provider: 'embedded' },
  };
  await database.run(
    `insert into private.voice_records (id, kind, body) values ($1, 'assistant', $2) on conflict (id) do nothing`,
    [id, JSON.stringify(body)],
  );
}
