import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { RateLimiter } from '../../kernel/http/rate-limit.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { sameName, withTeam } from '../dialogue/assistant-handover.server.ts';
import { withStopWords } from '../dialogue/do-not-call-wish.server.ts';
import { withRecordingConsent } from '../dialogue/recording-consent.server.ts';
import type { CallMeter } from '../engines/call-meter.server.ts';
import type { CallAssistant, PhoneControls, TeamMember, VoiceEngines } from '../engines/engines.server.ts';
import type { IceServer, MediaSession, MediaTransport, RoomFault } from '../media/media-transport.server.ts';
import { CallRecording } from '../recording/call-recording.server.ts';
import { recordingPlan } from '../recording/recording-plan.server.ts';
import type { RecordingStore } from '../recording/recording-store.server.ts';
import type { VoiceRecord, VoiceRecords } from '../records/voice-records.server.ts';
import type { WebCallRequest } from '../records/voice-resources.contract.ts';
import { AssistantWebhook } from './assistant-webhook.server.ts';
import type { BackgroundSounds } from './background/background-sound.server.ts';
import { refusal } from './call-refusal.server.ts';
import type { CallRunner } from './call-runner.server.ts';
import { assistantOf, type CallNumber, type CallSetup, numberOf } from './call-setup.server.ts';
import { runTraced } from './call-trace.server.ts';
import type { EndedReason } from './conversation/conversation-events.server.ts';
import type { FirstSoundOf, FirstSounds } from './first-sound.server.ts';
import { callReport, keepsNoWords } from './record/call-report.server.ts';
import type { CallJournal, CallStore } from './record/call-store.server.ts';
import type { DailyCaps } from './record/daily-caps.server.ts';
import type { Callable, DoNotCallList } from './record/do-not-call.server.ts';
import { LiveWords } from './record/live-words.server.ts';
import type { RoomProofs } from './room-proof.server.ts';
import { teamOf } from './squad-members.server.ts';
import { fillAssistant } from './template-filling.server.ts';
import { type WrittenLine, WrittenSession, withoutSound } from './written-call.server.ts';

/** Where a request for a call comes from: whether it has the public key, and its network address. */
export interface CallOrigin {
  readonly publicKey: boolean;
  readonly address: string;
  /** Whether the caller writes and hears nothing. */
  readonly written?: boolean;
  /** The page of another site that shows the assistant, as its origin. */
  readonly website?: string;
}

/** The proof that somebody belongs to a call. */
export interface RoomKey {
  readonly callId: string;
  readonly token: string;
}

/** What a caller's client may know about its call's room. */
export interface Room {
  readonly call: VoiceRecord;
  readonly iceServers: readonly IceServer[];
  /** Whether the caller's camera is accepted, for the recording. */
  readonly camera: boolean;
  /** Whether the caller's page connects to LiveKit. */
  readonly livekit: boolean;
}

/** Runs calls from their creation to their end, and no more at once than the machine can carry. */
export interface CallManager {
  /** @throws ServiceError 429 `concurrency_limit`, `minutes_limit`, `spend_limit`, 503 `voice_media_unavailable` */
  create(request: WebCallRequest, origin: CallOrigin): Promise<VoiceRecord>;
  /** @throws ServiceError 404 `no-room` when call and token do not belong together */
  room(callId: string, token: string): Promise<Room>;
  /**
   * Answers the caller's offer, which came from the network address `address`, and begins the call.
   *
   * @returns the answer, in the form of the transport (`answersWith`)
   * @throws ServiceError 404 `no-room`, 410 `exp-room`, 409 `already_joined`, 429 `meeting-full`, 400
   * `bad_offer`
   */
  join(room: RoomKey, offer: string, address: string): Promise<string>;
  /** Begins a written call over its line. @throws ServiceError as `join`, without `bad_offer` */
  write(room: RoomKey, line: WrittenLine): Promise<void>;
  /**
   * Creates the call of an assistant in a meeting room, and begins it over the room's sound.
   *
   * @throws ServiceError as `create`, and 429 `meeting-full`, 503 `call_failed`
   */
  begin(request: WebCallRequest, origin: CallOrigin, room: RoomPlace): Promise<RunningCall>;
  /** Ends a call in progress and tells its caller why; does nothing for any other call. */
  expel(callId: string, fault: RoomFault): Promise<void>;
  /**
   * Creates the record of a telephone call.
   *
   * @param body its `type`, the other person, and the assistant that takes it
   * @returns the call with its assistant, so that `runPhone` runs the same assistant whose recording plan the
   * evidence states
   * @throws ServiceError as `create`
   */
  createPhone(body: Record<string, unknown>, id?: string): Promise<PhoneCall>;
  /** Loads what calls of an assistant or a squad need, before one comes. Never rejects. */
  warm(subject: { readonly assistantId: string } | { readonly squadId: string }): Promise<void>;
  /** The other person's telephone rings. */
  ringing(callId: string): Promise<void>;
  /**
   * Runs a telephone call over its sound; it begins when the session is connected. It counts towards
   * VOICE_MAX_CALLS until the telephone is over too, since a caller who was put through stays on after the
   * conversation.
   *
   * @throws ServiceError 429 `meeting-full`, 503 `call_failed`; the call has ended with its report by then,
   * and the opener of the sound has to release it
   */
  runPhone(call: PhoneCall, phone: PhoneSound, line: PhoneControls): Promise<RunningCall>;
  /** Ends a call that was never run, with its report. */
  abandon(callId: string, reason: EndedReason): Promise<void>;
  /**
   * Ends a call in progress; does nothing for any other call. Returns false where another process carries the
   * call: that process ends it within seconds.
   */
  end(callId: string, reason: EndedReason): Promise<boolean>;
  /** A call that this process carries, for listening in and controlling it. */
  live(callId: string): LiveCall | undefined;
  /**
   * Reserves capacity of this process for a telephone besides its calls: one in a meeting, or one that a
   * caller is put through to.
   *
   * @returns a function that releases it; a second call of it does nothing
   * @throws ServiceError 429 `concurrency_limit`, 503 `voice_media_unavailable`
   */
  takeLine(): () => void;
  /** How much of VOICE_MAX_CALLS is free: used neither by a call nor by another telephone. */
  freeLines(): number;
  /** Ids of the calls that this process carries. */
  activeCalls(): readonly string[];
  /** Adds a line from the caller's client to the call's log. */
  report(callId: string, line: string): void;
  /** Ends every call and accepts no more. */
  close(): Promise<void>;
}

/** A telephone call that was created. */
export interface PhoneCall {
  readonly record: VoiceRecord;
  /**
   * The assistant that takes it, where it was just looked up. For a scheduled call it is looked up when the
   * call runs.
   */
  readonly assistant?: CallAssistant | undefined;
}

/** The sound of a call's telephone. */
export interface PhoneSound {
  readonly session: MediaSession;
  /** Resolves when the telephone is over, which may be after the conversation. */
  readonly over: Promise<unknown>;
}

/** An assistant's place in a meeting room. */
export interface RoomPlace {
  readonly session: MediaSession;
  readonly roomName: string;
}

/** A call in progress. */
export interface RunningCall {
  /** Ends the call; a second end does nothing. */
  end(reason: EndedReason): void;
  /** Resolves when the call is over and its report has been stored. */
  readonly over: Promise<void>;
  /** The assistant that takes it, with its templates filled. */
  readonly assistant: CallAssistant;
  /** What its providers have charged; undefined until its engines are open. */
  readonly meter: CallMeter | undefined;
}

/** What a person who listens in or controls a call can use. */
export type LiveCall = Pick<
  CallRunner,
  'assistant' | 'over' | 'instruct' | 'transfer' | 'listen' | 'whisper' | 'takeOver'
>;

interface CallManagerParts {
  readonly resources: Pick<
    Resources,
    'settings' | 'keys' | 'siteUrl' | 'log' | 'tracing' | 'outbound' | 'database'
  >;
  readonly records: VoiceRecords;
  readonly store: CallStore;
  readonly caps: DailyCaps;
  readonly transport: MediaTransport;
  readonly proofs: RoomProofs;
  readonly engines: VoiceEngines;
  readonly recordings: RecordingStore;
  readonly sounds: BackgroundSounds;
  readonly firstSounds: FirstSounds;
  readonly doNotCall: DoNotCallList;
  readonly rateLimiter: RateLimiter;
}

/** A member of a call's team with its templates filled, and its `firstMessage` as it was written. */
interface FilledMember extends TeamMember {
  readonly firstMessage: string;
}

interface CallSound
  extends Pick<PhoneSound, 'session'>,
    Partial<Pick<PhoneSound, 'over'>>,
    Pick<PhoneCall, 'assistant'> {
  /** Undefined in a meeting room, as `over` is. */
  readonly line?: PhoneControls;
}

const BUSY = 'All our lines are busy. Please try again in a minute.';
/**
 * Minutes of a visitor's longest call, and the fraction of the day's minutes (one in so many) that one
 * address may use.
 */
const VISITOR_MINUTES = 15;
const PART_OF_A_DAY = 2;
const DAY_SECONDS = 86_400;
/** Written calls of one address, such as that of an office: they use none of the day's minutes. */
const WRITTEN_CALLS = { name: 'written calls of a day', count: 100, seconds: DAY_SECONDS };
const TELEPHONE_LINE = { camera: false };

/** Opens the manager of this process's calls. */
export function createCallManager(parts: CallManagerParts): CallManager {
  return new ProcessCallManager(parts);
}

class ProcessCallManager implements CallManager {
  readonly #parts: CallManagerParts;
  readonly #active = new Map<string, CallRunner>();
  /** Used capacity: calls, from before they run to their end, and telephones besides them. */
  #lines = 0;
  #closed = false;

  constructor(parts: CallManagerParts) {
    this.#parts = parts;
  }

  async create(request: WebCallRequest, origin: CallOrigin, roomName?: string): Promise<VoiceRecord> {
    const { resources, records, store, proofs } = this.#parts;
    if (this.#closed) throw unavailable();
    const address = origin.publicKey ? origin.address : '';
    const written = origin.written === true;
    if (written) await this.#parts.caps.admitCall();
    else await this.#requireCapacity(address);
    if (address !== '') await this.#countVisitor(address, written);
    const callId = crypto.randomUUID();
    const assistant = await assistantOf(records, { ...request, ...(written ? { written } : {}) });
    const plan = recordingPlan(recordedAs({ roomName }, assistant), this.#webLine);
    const recording = plan !== undefined;
    const call = await records.create(
      'call',
      {
        ...request,
        type: 'webCall',
        status: 'queued',
        cost: 0,
        webCallUrl: `${resources.siteUrl}${SERVICES.voice}/room/${callId}/${proofs.of(callId)}`,
        byPublicKey: origin.publicKey,
        ...(roomName === undefined ? {} : { roomName }),
        ...(written ? { written } : {}),
        ...(origin.website === undefined ? {} : { website: origin.website }),
        artifactPlan: { recordingEnabled: recording, videoRecordingEnabled: plan?.video === true },
      },
      callId,
    );
    const journal = store.journal(callId);
    journal.evidence('begun', { publicKey: origin.publicKey, recording });
    await journal.written();
    if (written) return call;
    // Media and engines are loaded while the caller's browser is asking for its microphone.
    const { log } = resources;
    const { transport } = this.#parts;
    transport.warm().catch((error: unknown) => log.error({ err: error }, 'media cannot be loaded'));
    void this.#warmEngines(assistant, (line) => journal.log('WARN', line));
    return call;
  }

  async room(callId: string, token: string): Promise<Room> {
    const call = await this.#callOfRoom(callId, token);
    const { videoRecordingEnabled } = (call.artifactPlan ?? {}) as { videoRecordingEnabled?: unknown };
    const iceServers = this.#parts.transport.peerServers(callId);
    const { answersWith } = this.#parts.transport;
    return { call, iceServers, camera: videoRecordingEnabled === true, livekit: answersWith === 'livekit' };
  }

  async join({ callId, token }: RoomKey, offer: string, address: string): Promise<string> {
    return this.#answer(await this.#callOfRoom(callId, token), offer, address);
  }

  async begin(
    request: WebCallRequest,
    origin: CallOrigin,
    { session, roomName }: RoomPlace,
  ): Promise<RunningCall> {
    const call = await this.create(request, origin, roomName);
    try {
      const visitor = origin.publicKey ? origin.address : '';
      await this.#requireShare(visitor);
      const runner = await this.#start(call, { session });
      await this.#carryVisitor(call.id, visitor);
      await runner.open();
      return runner;
    } catch (error) {
      await this.abandon(call.id, 'customer-did-not-answer');
      throw error;
    }
  }

  async expel(callId: string, fault: RoomFault): Promise<void> {
    const runner = this.#active.get(callId);
    runner?.expel(fault);
    await runner?.over;
  }

  async write({ callId, token }: RoomKey, line: WrittenLine): Promise<void> {
    const call = await this.#callOfRoom(callId, token);
    this.#requireUnbegun(call);
    if (call.written !== true) throw noRoom();
    const session = new WrittenSession(line);
    try {
      const runner = await this.#start(call, { session });
      await this.#parts.store.carry(callId);
      await runner.open();
      // Without it the first question would be answered by rules alone.
      await this.#warmEngines(runner.assistant, () => {}, withoutSound(this.#parts.engines));
      session.begin();
    } catch (error) {
      await this.abandon(callId, 'customer-did-not-answer');
      throw error;
    }
  }

  /** @throws ServiceError 410 `exp-room`, 503 `voice_media_unavailable`, 409 `already_joined` */
  #requireUnbegun(call: VoiceRecord): void {
    if (call.status === 'ended') throw new ServiceError(410, 'exp-room', 'This call is over.');
    if (this.#closed) throw unavailable();
    if (this.#active.has(call.id) || call.status !== 'queued') throw alreadyJoined();
  }

  async #answer(call: VoiceRecord, offer: string, address: string): Promise<string> {
    const callId = call.id;
    // An offer that cannot be read does not use up the call: the caller may send another.
    this.#parts.transport.requireOffer(offer);
    if (call.written === true) throw noRoom();
    this.#requireUnbegun(call);
    const visitor = call.byPublicKey === true ? address : '';
    await this.#requireShare(visitor);
    const runner = await this.#start(call);
    try {
      await this.#carryVisitor(callId, visitor);
      return await runner.answer(offer);
    } catch (error) {
      runner.end('customer-did-not-answer');
      throw error;
    }
  }

  ringing(callId: string): Promise<void> {
    return this.#parts.store.ring(callId);
  }

  async createPhone(body: Record<string, unknown>, id: string = crypto.randomUUID()): Promise<PhoneCall> {
    const { records, store } = this.#parts;
    if (this.#closed) throw unavailable();
    // A scheduled call uses no capacity yet.
    if (body.status !== 'scheduled') await this.#requireCapacity('');
    const assistant = await assistantOf(records, body);
    const recording = recordingPlan(assistant, TELEPHONE_LINE) !== undefined;
    const record = await records.create('call', { status: 'queued', cost: 0, ...body }, id);
    if (record.status === 'queued') await store.carry(record.id);
    const journal = store.journal(record.id);
    // A scheduled call is not carried yet.
    if (record.status === 'queued') void this.#warmEngines(assistant, (line) => journal.log('WARN', line));
    journal.evidence('begun', { publicKey: false, recording });
    await journal.written();
    return { record, assistant };
  }

  async warm(subject: { readonly assistantId: string } | { readonly squadId: string }): Promise<void> {
    const { records, resources } = this.#parts;
    try {
      await this.#warmEngines(await assistantOf(records, subject), () => {});
    } catch (error) {
      resources.log.warn({ err: error }, 'an assistant could not be prepared for its calls');
    }
  }

  async runPhone(
    { record, assistant }: PhoneCall,
    { session, over }: PhoneSound,
    line: PhoneControls,
  ): Promise<RunningCall> {
    const { records, store } = this.#parts;
    const callId = record.id;
    try {
      if (this.#closed) throw unavailable();
      const call = await records.find('call', callId);
      const runner = await this.#start(call, { session, over, line, assistant });
      await store.carry(callId);
      await runner.open();
      return runner;
    } catch (error) {
      await this.abandon(callId, 'unknown-error');
      throw error;
    }
  }

  async abandon(callId: string, reason: EndedReason): Promise<void> {
    const running = this.#active.get(callId);
    running?.end(reason);
    await (running?.over ??
      this.#parts.store.finish(callId, {
        status: 'ended',
        endedReason: reason,
        endedAt: new Date().toISOString(),
      }));
  }

  async end(callId: string, reason: EndedReason): Promise<boolean> {
    const runner = this.#active.get(callId);
    if (runner === undefined) return !(await this.#parts.store.askToEnd(callId, reason));
    runner.end(reason);
    await runner.over;
    return true;
  }

  live(callId: string): LiveCall | undefined {
    return this.#active.get(callId);
  }

  takeLine(code = 'concurrency_limit'): () => void {
    if (this.#closed) throw unavailable();
    if (this.freeLines() <= 0) throw refusal(code, BUSY, 30);
    this.#lines += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.#lines -= 1;
      isTaken = false;
    };
  }

  freeLines(): number {
    return this.#parts.resources.settings.VOICE_MAX_CALLS - this.#lines;
  }

  activeCalls(): readonly string[] {
    return [...this.#active.keys()];
  }

  report(callId: string, line: string): void {
    this.#parts.store.journal(callId).log('WARN', line);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const runners = [...this.#active.values()];
    for (const runner of runners) runner.end('worker-shutdown');
    await Promise.all(runners.map((runner) => runner.over));
    await this.#parts.transport.close();
    await this.#parts.engines.close();
  }

  /** Callers on a page may have a camera, except through LiveKit: its end here takes sound alone. */
  get #webLine(): { readonly camera: boolean } {
    return { camera: this.#parts.transport.answersWith === 'sdp' };
  }

  /**
   * Most calls that one visitor may have at once, in all processes together: half of what one process
   * carries.
   */
  get #shareOfVisitor(): number {
    const { VOICE_MAX_CALLS: most, RATE_LIMITS } = this.#parts.resources.settings;
    return RATE_LIMITS ? Math.ceil(most / 2) : Number.MAX_SAFE_INTEGER;
  }

  /** Whether a visitor has as many calls at once as one may have. An empty address belongs to nobody. */
  async #hasShare(address: string): Promise<boolean> {
    return address !== '' && (await this.#parts.store.callsOf(address)) >= this.#shareOfVisitor;
  }

  /** @throws ServiceError 429 `meeting-full` */
  async #requireShare(visitor: string): Promise<void> {
    if (await this.#hasShare(visitor)) throw refusal('meeting-full', BUSY, 30);
  }

  /** @throws ServiceError 429 `meeting-full` where another call of the visitor began in the same moment */
  async #carryVisitor(callId: string, address: string): Promise<void> {
    const { store } = this.#parts;
    if (address === '') return store.carry(callId);
    const most = this.#shareOfVisitor;
    if (!(await store.carryOf({ callId, address, most }))) throw refusal('meeting-full', BUSY, 30);
  }

  /**
   * Limits the calls of one address, so that half of the day's minutes are left to others. @throws
   * ServiceError 429
   */
  async #countVisitor(address: string, written: boolean): Promise<void> {
    const { VOICE_DAILY_MINUTES: minutes } = this.#parts.resources.settings;
    const count = Math.max(1, Math.floor(minutes / PART_OF_A_DAY / VISITOR_MINUTES));
    const limit = written ? WRITTEN_CALLS : { name: 'calls of a day', count, seconds: DAY_SECONDS };
    await this.#parts.rateLimiter.take(limit, address, { code: 'minutes_limit' });
  }

  async #callOfRoom(callId: string, token: string): Promise<VoiceRecord> {
    if (!this.#parts.proofs.belongs(callId, token)) throw noRoom();
    return this.#parts.records.find('call', callId).catch((error: ServiceError) => {
      throw error.status === 404 ? noRoom() : error;
    });
  }

  /** Loads the engines for a call of this assistant. Never rejects. */
  async #warmEngines(
    assistant: CallAssistant,
    warn: (line: string) => void,
    engines: VoiceEngines = this.#parts.engines,
  ): Promise<void> {
    const { resources } = this.#parts;
    try {
      await engines.warm?.(this.#fill(assistant, warn));
    } catch (error) {
      resources.log.warn({ err: error }, 'engines could not be warmed');
    }
  }

  #fill(assistant: CallAssistant, warn: (line: string) => void): CallAssistant {
    return fillAssistant(assistant, {
      now: new Date(),
      zone: this.#parts.resources.settings.TIME_ZONE,
      brand: this.#parts.resources.settings.BRAND,
      warn,
    });
  }

  /** @throws ServiceError 429 */
  async #requireCapacity(address: string): Promise<void> {
    if (this.freeLines() <= 0 || (await this.#hasShare(address)))
      throw refusal('concurrency_limit', BUSY, 30);
    await this.#parts.caps.admitCall();
  }

  /** @throws ServiceError 429 `meeting-full` where no capacity is free */
  async #start(call: VoiceRecord, sound?: CallSound): Promise<CallRunner> {
    const { resources, records, transport } = this.#parts;
    const freeLine = sound?.session.written === true ? () => {} : this.takeLine('meeting-full');
    try {
      const whole = await records.whole('call', call.id);
      const warn = (line: string): void => this.#parts.store.journal(call.id).log('WARN', line);
      const described = sound?.assistant ?? (await assistantOf(records, whole));
      const team = (await teamOf(records, whole, described)).map((member) => ({
        ...member,
        assistant: this.#fill(member.assistant, warn),
        firstMessage: member.assistant.firstMessage ?? '',
      }));
      const assistant = team[0]?.assistant ?? described;
      const camera = recordingPlan(recordedAs(call, assistant), this.#webLine)?.video === true;
      const session = sound?.session ?? (await transport.createSession(call.id, { camera }));
      // While the session was created, somebody else may have joined the same call.
      if (this.#active.has(call.id)) {
        await session.close();
        throw alreadyJoined();
      }
      const setup = this.#setup({ call, number: await numberOf(records, call) }, session, team, assistant);
      const runner = runTraced(resources.tracing, call, {
        ...setup,
        line: sound?.line,
        goesOut: call.type === 'outboundPhoneCall',
        ended: (outcome) => {
          if (sound?.over === undefined) freeLine();
          else void sound.over.then(freeLine);
          return setup.ended(outcome);
        },
      });
      this.#active.set(call.id, runner);
      return runner;
    } catch (error) {
      freeLine();
      throw error;
    }
  }

  #setup(
    { call, number }: { readonly call: VoiceRecord; readonly number: CallNumber | undefined },
    session: MediaSession,
    team: readonly FilledMember[],
    assistant: CallAssistant,
  ): Omit<CallSetup, 'line' | 'goesOut'> {
    const { resources, store, doNotCall } = this.#parts;
    const engines = enginesOf(this.#parts.engines, call);
    let listed: Promise<unknown> = Promise.resolve();
    const journal = store.journal(call.id);
    const log: CallSetup['log'] = (level, line) => journal.log(level, line);
    const { webCallUrl: _room, byPublicKey: _key, ...shown } = call;
    const webhook = new AssistantWebhook(resources, assistant, { call: shown, number }, log);
    const recording = CallRecording.prepare(this.#parts.recordings, {
      callId: call.id,
      assistant: recordedAs(call, assistant),
      session,
      log,
    });
    // The published client expects the first words to be in a recording with a picture (decision 0491).
    const plan = recording?.plan;
    const first = plan?.video === true;
    const soundOf = this.#soundsOf(call, team, log);
    let keepsWords = true;
    const live = new LiveWords(resources, call.id);
    if (keepsNoWords(assistant)) void live.close();
    return {
      callId: call.id,
      ...(plan === undefined || first ? { assistant } : asking(assistant, plan.question, soundOf)),
      opening: first ? plan.opening : undefined,
      soundOf,
      mayInstruct: call.byPublicKey !== true,
      mostDollars: resources.settings.VOICE_CALL_SPEND,
      engines:
        plan === undefined
          ? withTeam(engines, team)
          : withRecordingConsent(withTeam(engines, team), { question: plan.question, first }),
      session,
      webhook,
      log,
      evidence(kind, data) {
        journal.evidence(kind, data);
        if (kind !== 'consent') return;
        if (data.to === 'be-called' && data.given === false)
          listed = doNotCall
            .add((call.customer ?? {}) as Callable, call.id)
            .catch((error: unknown) =>
              log('ERROR', `the number is not on the do-not-call list: ${String(error)}`),
            );
        if (data.to === 'keep-words') keepsWords = data.given === true;
        if (data.to === 'recording') recording?.consent(data.given === true);
        // A caller who has the words deleted does not want their sound kept either.
        if (keepsWords) return;
        recording?.consent(false);
        void live.forget();
      },
      words: (role, text, final) => live.say(role, text, final),
      taken: (name) => live.taken(name),
      started: (at) => {
        journal.begun(at);
        void this.#parts.sounds.play({ assistant, session, log });
      },
      handedOver: (name) => {
        const to = team.find((one) => sameName(one.assistant.name, name));
        if (to) void this.#parts.sounds.play({ assistant: to.assistant, session, log });
        return to?.assistant;
      },
      ended: async (outcome) => {
        this.#active.delete(call.id);
        // The call's messages are delivered and its sound is stored before its report is.
        await Promise.all([webhook.close(), recording?.close(), live.close(), listed]);
        await this.#finish(call.id, journal, callReport(outcome, assistant, engines.prices), keepsWords);
      },
    };
  }

  #soundsOf(call: VoiceRecord, team: readonly FilledMember[], log: CallSetup['log']): FirstSoundOf {
    const { firstSounds, resources } = this.#parts;
    return firstSounds.of(
      team.map((one) => ({ written: one.firstMessage, filled: one.assistant.firstMessage ?? '' })),
      { brand: resources.settings.BRAND, written: call.written === true, log },
    );
  }

  async #finish(
    callId: string,
    journal: CallJournal,
    report: Record<string, unknown>,
    keepsWords: boolean,
  ): Promise<void> {
    const { resources, store } = this.#parts;
    await journal.written();
    try {
      await store.finish(callId, report, keepsWords);
    } catch (error) {
      resources.log.error({ err: error }, 'the end of a call could not be stored');
    }
  }
}

/**
 * A call in a meeting room is not recorded as a call, whatever its assistant says: one person's consent is
 * not everybody's.
 */
function recordedAs(
  { roomName }: Readonly<Record<string, unknown>>,
  assistant: CallAssistant,
): CallAssistant {
  return roomName === undefined ? assistant : { ...assistant, recordingEnabled: false };
}

/** Engines for the kind of a call: a written one has no sound, and telephones know who must not be called. */
function enginesOf(engines: VoiceEngines, { type, written }: VoiceRecord): VoiceEngines {
  if (written === true) return withoutSound(engines);
  return type === 'webCall' ? engines : withStopWords(engines, type === 'outboundPhoneCall');
}

/** Adds the question whether the call may be recorded to the first message; after a sound it is said on its own. */
function asking(
  assistant: CallAssistant,
  question: string,
  soundOf: FirstSoundOf,
): Pick<CallSetup, 'assistant' | 'firstQuestion'> {
  const { firstMessage = '' } = assistant;
  if (firstMessage === '') return { assistant };
  if (soundOf(firstMessage) !== undefined) return { assistant, firstQuestion: question };
  return { assistant: { ...assistant, firstMessage: `${firstMessage} ${question}` } };
}

const alreadyJoined = (): ServiceError =>
  new ServiceError(409, 'already_joined', 'This call has been joined already.');
const noRoom = (): ServiceError => new ServiceError(404, 'no-room', 'There is no such call.');
const unavailable = (): ServiceError =>
  new ServiceError(
    503,
    'voice_media_unavailable',
    'Calls cannot be taken: this installation has no media transport.',
  );
