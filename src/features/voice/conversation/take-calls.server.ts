import { createHmac } from 'node:crypto';
import { SERVICES } from '../../../contract/routes.ts';
import { ServiceError } from '../../../contract/service-error.ts';
import { derivedSecret, equalSecrets } from '../../../resources/crypto/secrets.ts';
import type { Resources } from '../../../resources/resources.ts';
import { withTeam } from '../dialogue/team-dialogue.server.ts';
import type { VoiceEngines } from '../engines.server.ts';
import { checkOffer } from '../media/check-offer.server.ts';
import type { IceServer, MediaTransport } from '../media/media-transport.server.ts';
import type { VoiceRecord, VoiceRecords } from '../voice-records.server.ts';
import type { WebCallRequest } from '../voice-resources.contract.ts';
import { teamOf } from './assemble-team.server.ts';
import type { EndedReason } from './conversation-events.server.ts';
import { filledAssistant } from './fill-templates.server.ts';
import { callReport } from './report-call.server.ts';
import { CallRunner } from './run-call.server.ts';
import { openServerLine } from './server-line.server.ts';
import { assistantOf } from './set-up-call.server.ts';
import type { CallStore } from './store-calls.server.ts';

/** Who asks for a call: with which key, from which address. */
export interface Caller {
  readonly publicKey: boolean;
  readonly address: string;
}

/** A call's room as the caller's end may know it. */
export interface Room {
  readonly call: VoiceRecord;
  readonly iceServers: readonly IceServer[];
}

/** Takes calls from their creation to their end, no more at once than the machine carries. */
export interface CallDesk {
  /** @throws ServiceError 429 `concurrency_limit`, `minutes_limit`, `spend_limit`, 503 `voice_media_unavailable` */
  create(request: WebCallRequest, caller: Caller): Promise<VoiceRecord>;
  /** @throws ServiceError 404 `no-room` when call and token do not belong together */
  room(callId: string, token: string): Promise<Room>;
  /**
   * Answers the caller's offer and begins the call.
   *
   * @throws ServiceError 404 `no-room`, 410 `exp-room`, 409 `already_joined`, 429 `meeting-full`, 400 `bad_offer`
   */
  join(callId: string, token: string, offer: string): Promise<string>;
  /** Ends a call that goes on; nothing for one that does not. */
  end(callId: string, reason: EndedReason): Promise<void>;
  /** The calls that this process carries. */
  going(): readonly string[];
  /** Log lines that the caller's end has. */
  report(callId: string, line: string): void;
  /** Ends every call and takes no more. */
  close(): Promise<void>;
}

interface DeskParts {
  readonly resources: Pick<Resources, 'settings' | 'keys' | 'siteUrl' | 'log' | 'outbound'>;
  readonly records: VoiceRecords;
  readonly store: CallStore;
  readonly transport: MediaTransport;
  readonly engines: VoiceEngines;
}

interface Taken {
  readonly runner: CallRunner;
  readonly address: string;
}

/** Opens the desk. */
export function openCallDesk(parts: DeskParts): CallDesk {
  const { resources, records, store, transport, engines } = parts;
  const { settings, keys, siteUrl, log } = resources;
  const key = derivedSecret(keys, 'voice rooms');
  const tokenOf = (callId: string): string =>
    createHmac('sha256', key).update(callId).digest('base64url').slice(0, 32);
  const taken = new Map<string, Taken>();
  /** Calls that are being joined count before they run. */
  let joining = 0;
  let closed = false;
  /** From where visitors' calls were made, until they are joined. */
  const addresses = new Map<string, string>();

  const busy = (address: string): boolean => {
    const most = settings.VOICE_MAX_CALLS;
    if (taken.size + joining >= most) return true;
    const fromThere = [...taken.values()].filter((call) => address !== '' && call.address === address).length;
    return settings.RATE_LIMITS && fromThere >= Math.ceil(most / 2);
  };
  const roomOf = async (callId: string, token: string): Promise<VoiceRecord> => {
    if (!equalSecrets(token, tokenOf(callId))) throw noRoom();
    return records.find('call', callId).catch((error: ServiceError) => {
      throw error.status === 404 ? noRoom() : error;
    });
  };

  const warmEngines = async (call: VoiceRecord): Promise<void> =>
    engines.warm?.(filledAssistant(await assistantOf(records, call), new Date(), settings.TIME_ZONE));

  return {
    async create(request, caller) {
      if (closed) throw unavailable();
      const address = caller.publicKey ? caller.address : '';
      if (busy(address))
        throw refusal('concurrency_limit', 'All our lines are busy. Please try again in a minute.', 30);
      const { minutes, spent } = await store.load();
      if (minutes >= settings.VOICE_DAILY_MINUTES)
        throw refusal('minutes_limit', 'No more calls can be taken today. Please write to us instead.', 3600);
      if (spent > settings.VOICE_DAILY_SPEND)
        throw refusal('spend_limit', 'No more calls can be taken today. Please write to us instead.', 3600);
      const callId = crypto.randomUUID();
      const webCallUrl = `${siteUrl}${SERVICES.voice}/room/${callId}/${tokenOf(callId)}`;
      const call = await records.create(
        'call',
        {
          ...request,
          type: 'webCall',
          status: 'queued',
          cost: 0,
          webCallUrl,
          byPublicKey: caller.publicKey,
          artifactPlan: { recordingEnabled: false, videoRecordingEnabled: false },
        },
        callId,
      );
      const journal = store.journal(callId);
      journal.evidence('begun', { publicKey: caller.publicKey, recording: false });
      await journal.written();
      if (address !== '') remember(addresses, callId, address);
      // The caller's browser is asking for its microphone meanwhile.
      transport.warm().catch((error: unknown) => log.error({ err: error }, 'media cannot be loaded'));
      warmEngines(call).catch((error: unknown) => log.warn({ err: error }, 'engines could not be warmed'));
      return call;
    },
    async room(callId, token) {
      return { call: await roomOf(callId, token), iceServers: transport.peerServers(callId) };
    },
    async join(callId, token, offer) {
      const call = await roomOf(callId, token);
      // An offer that is none costs the caller nothing: another may follow.
      checkOffer(offer);
      if (call.status === 'ended') throw new ServiceError(410, 'exp-room', 'This call is over.');
      if (closed) throw unavailable();
      if (taken.has(callId) || call.status !== 'queued')
        throw new ServiceError(409, 'already_joined', 'This call has been joined already.');
      const address = addresses.get(callId) ?? '';
      if (busy(address))
        throw refusal('meeting-full', 'All our lines are busy. Please try again in a minute.', 30);
      joining += 1;
      let runner: CallRunner;
      try {
        const whole = await records.whole('call', callId);
        const described = await assistantOf(records, whole);
        const team = (await teamOf(records, whole, described)).map((member) => ({
          ...member,
          assistant: filledAssistant(member.assistant, new Date(), settings.TIME_ZONE),
        }));
        const assistant = team[0]?.assistant ?? described;
        const session = await transport.createSession(callId);
        // While the session was being made somebody else may have come with the same address.
        if (taken.has(callId)) {
          await session.close();
          throw new ServiceError(409, 'already_joined', 'This call has been joined already.');
        }
        const journal = store.journal(callId);
        const { webCallUrl: _room, byPublicKey: _key, ...shown } = call;
        const server = openServerLine(resources, assistant, shown, journal.log);
        let wordsAreKept = true;
        runner = new CallRunner({
          callId,
          assistant,
          mayInstruct: call.byPublicKey !== true,
          mostDollars: settings.VOICE_CALL_SPEND,
          engines: withTeam(engines, team),
          session,
          server,
          log: (level, line) => journal.log(level, line),
          evidence(kind, data) {
            if (kind === 'consent' && data.to === 'keep-words') wordsAreKept = data.given === true;
            journal.evidence(kind, data);
          },
          started: (at) => journal.begun(at),
          ended: async (outcome) => {
            taken.delete(callId);
            addresses.delete(callId);
            // What happened in the call is told before its report.
            await server.close();
            await journal.written();
            await store
              .finish(callId, callReport(outcome, assistant, engines.prices))
              .then(() => (wordsAreKept ? undefined : store.erase(callId)))
              .catch((error: unknown) => log.error({ err: error }, 'the end of a call could not be stored'));
          },
        });
        taken.set(callId, { runner, address });
      } finally {
        joining -= 1;
      }
      await store.carry(callId);
      try {
        return await runner.answer(offer);
      } catch (error) {
        runner.end('customer-did-not-answer');
        throw error;
      }
    },
    async end(callId, reason) {
      const call = taken.get(callId);
      call?.runner.end(reason);
      await call?.runner.over;
    },
    going: () => [...taken.keys()],
    report(callId, line) {
      store.journal(callId).log('WARN', line);
    },
    async close() {
      closed = true;
      for (const { runner } of taken.values()) runner.end('worker-shutdown');
      await Promise.all([...taken.values()].map(({ runner }) => runner.over));
      await transport.close();
      await engines.close();
    },
  };
}

const MAX_REMEMBERED = 1000;
function remember(addresses: Map<string, string>, callId: string, address: string): void {
  addresses.set(callId, address);
  if (addresses.size > MAX_REMEMBERED) addresses.delete(addresses.keys().next().value ?? '');
}

const noRoom = (): ServiceError => new ServiceError(404, 'no-room', 'There is no such call.');
const unavailable = (): ServiceError =>
  new ServiceError(
    503,
    'voice_media_unavailable',
    'Calls cannot be taken: this installation has no media transport.',
  );
const refusal = (code: string, message: string, seconds: number): ServiceError =>
  new ServiceError(429, code, message, { headers: { 'retry-after': String(seconds) } });
