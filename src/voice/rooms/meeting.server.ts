import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { RoomFault } from '../media/media-transport.server.ts';
import { SecondCount } from '../media/per-second-count.server.ts';
import { MEDIA_KINDS, SEND_RIGHTS, type SendRight } from '../media/room/media-kind.contract.ts';
import { ASSISTANT, type MediaPeer, type MediaRoom } from '../media/room/media-room.server.ts';
import { readMeetingWish } from '../recording/recording-wish.contract.ts';
import { parseVoice } from '../records/voice-scope.server.ts';
import {
  commandEnvelopeSchema,
  LONGEST_SESSION,
  type ParticipantUpdates,
  type RoomCommand,
} from './meeting-commands.contract.ts';
import { type MediaLibrary, MeetingPlayers } from './meeting-players.server.ts';
import {
  MeetingRecording,
  RECORDER,
  type RecordedMeeting,
  type RoomTapes,
} from './meeting-recording.server.ts';
import {
  ADMIN_RIGHTS,
  type AdminRight,
  allowedOf,
  countsOf,
  EVERYTHING,
  emptyMeeting,
  inside,
  type MeetingState,
  type Member,
  namedTrack,
  routesOf,
  selfView,
  viewOf,
  type Wanted,
  withAssistant,
  withMember,
  withoutMember,
} from './meeting-state.server.ts';
import { MeetingTelephones, type RoomTelephone } from './meeting-telephones.server.ts';
import { MeetingTranscription } from './meeting-transcription.server.ts';
import type { MeetingTranscripts } from './meeting-transcripts.server.ts';

/** Most commands of one person in one second; each 4 KB of a longer one count as one. More are refused. */
const COMMANDS_PER_SECOND = 30;
const COUNTED_LENGTH = 4096;

/** The disclosure for people who did not hear the assistant's greeting. */
export const DISCLOSURE = 'An AI assistant takes part in this meeting and hears what is said.';

/** The key of the member's own entry in `told`. */
const SELF = '';

/** Somebody who is about to join. */
export interface Newcomer {
  readonly id: string;
  readonly userId: string;
  readonly userName: string;
  readonly userData: unknown;
  readonly owner: boolean;
  /** Whether they wait until somebody lets them in. */
  readonly waits: boolean;
  /** Whether their token starts the recording of the meeting as soon as they join. */
  readonly records: boolean;
}

/** What a meeting reports. */
export interface MeetingListener {
  /** Whether anybody who was let in is there and can be reached; called each time this may have changed. */
  attended(isAttended: boolean): void;
  /** Takes a place for somebody who waited. @throws ServiceError 429 `meeting-full` where there is none */
  admit(id: string): void;
  /** Called once for everybody who has gone. */
  left(id: string): void;
}

/** What a meeting uses besides its media. */
export interface MeetingTools {
  readonly transcripts: MeetingTranscripts;
  /** Undefined where nobody can be called from this room. */
  readonly telephone: RoomTelephone | undefined;
  readonly library: MediaLibrary;
  /** Undefined where this room is not recorded. */
  readonly tapes: RoomTapes | undefined;
}

/** Takes what is written to the assistant; false where the assistant does not accept it. */
export type AssistantEar = (text: string, from: Pick<Member, 'id' | 'owner'>) => boolean;

interface Connected {
  readonly peer: MediaPeer;
  /** What this person was told last, so that only changes are sent. */
  told: Map<string, string>;
  isOpen: boolean;
  /** Whether they wait outside the room when they come. */
  readonly waits: boolean;
  readonly commands: SecondCount;
}

/**
 * A meeting in progress. Data flow in one direction: commands change the state, and the state determines what
 * each person is told, may send and receives.
 */
export class Meeting {
  readonly #media: MediaRoom;
  readonly #connected = new Map<string, Connected>();
  readonly #listener: MeetingListener;
  readonly #transcription: MeetingTranscription;
  /** Undefined where nobody can be called from this room. */
  readonly #telephones: MeetingTelephones | undefined;
  readonly #players: MeetingPlayers;
  /** Undefined where this room is not recorded. */
  readonly #recording: MeetingRecording | undefined;
  #state: MeetingState;
  #ear: AssistantEar | undefined;
  #speaker: string | undefined;
  /** The session of the present meeting, and the data that its people share. */
  #session = { id: randomUUID() };
  #shared: Readonly<Record<string, unknown>> = {};

  constructor(media: MediaRoom, listener: MeetingListener, tools: MeetingTools) {
    const { transcripts, telephone, library, tapes } = tools;
    this.#media = media;
    this.#listener = listener;
    this.#transcription = new MeetingTranscription(transcripts, {
      tell: (id, notice) => void this.#tell(id, notice),
      tellAll: (notice) => void this.#tellAll(notice),
    });
    const guests = {
      left: (id: string) => this.#change(withoutMember(this.#state, id)),
      tellAll: (notice: object) => void this.#tellAll(notice),
    };
    this.#telephones =
      telephone &&
      new MeetingTelephones(telephone, {
        ...guests,
        sound: (id) => media.guest(id),
        joined: (id, userName) => this.#put(telephoned(id, userName)),
      });
    this.#players = new MeetingPlayers(library, {
      ...guests,
      sound: (id) => media.guest(id, PLAYED.kind),
      joined: (id) => this.#put(played(id)),
    });
    this.#recording = tapes && new MeetingRecording(tapes, this.#recorded());
    media.onVoice((id, pcm) => {
      this.#transcription.hear(id, pcm);
      this.#recording?.hear(id, pcm);
    });
    this.#state = emptyMeeting(media.layout);
    media.onActiveSpeaker((id) => {
      this.#speaker = id;
      this.#recording?.speaks(id);
      this.#tellAll({ action: 'active-speaker-change', activeSpeaker: { peerId: id } });
    });
  }

  /** The people in the meeting, without those who wait. */
  get people(): readonly Member[] {
    return inside(this.#state);
  }

  /**
   * Answers somebody's offer; they are in the meeting as soon as their channel is open.
   *
   * @throws ServiceError 400 `bad_offer`
   */
  async enter(newcomer: Newcomer, offer: string): Promise<string> {
    const peer = await this.#media.enter(newcomer.id).catch((error: unknown) => {
      // The assistant had come for them.
      if (!this.#isAttended()) this.#listener.attended(false);
      throw error;
    });
    const connected: Connected = {
      ...{ peer, told: new Map(), isOpen: false },
      ...{ waits: newcomer.waits, commands: new SecondCount() },
    };
    this.#connected.set(newcomer.id, connected);
    peer.onOpen(() => this.#opened(newcomer, connected));
    peer.onText((text) => this.#onText(newcomer.id, text));
    peer.onState((state) => {
      if (state === 'closed') this.#gone(newcomer.id);
      else if (state === 'failed' || state === 'disconnected') void peer.close();
    });
    try {
      return await peer.answer(offer);
    } catch (error) {
      await peer.close();
      throw error;
    }
  }

  /** Removes somebody; does nothing where they are not there. */
  async putOut(id: string, fault?: RoomFault): Promise<void> {
    await this.#connected.get(id)?.peer.close(fault);
  }

  /** The assistant joins, and receives what is written to it. */
  admitAssistant(ear: AssistantEar): void {
    this.#ear = ear;
    this.#change(withAssistant(this.#state, true));
    this.#recording?.assistantIs(true);
  }

  /** Takes the assistant's sound: mono, 16-bit, 16 000 samples a second. */
  hearAssistant(pcm: Int16Array): void {
    this.#recording?.hear(ASSISTANT, pcm);
  }

  /**
   * The assistant has hung up, or leaves. A person who was alone with it is removed too, unless they only
   * wait.
   */
  dismissAssistant(): void {
    this.#ear = undefined;
    this.#change(withAssistant(this.#state, false));
    this.#recording?.assistantIs(false);
    if (this.#connected.size === 1 && this.#isAttended())
      for (const { peer } of this.#connected.values()) void peer.close();
  }

  /** Sends a message of the assistant to everybody; false where nobody is there. */
  say(text: string): boolean {
    return this.#tellAll({ action: 'app-message', data: text, fromId: ASSISTANT });
  }

  async close(): Promise<void> {
    this.#endShared();
    await this.#media.close();
  }

  /** Whether somebody with a page is in the meeting, or has been let in and is about to be. */
  #isAttended(): boolean {
    return [...this.#connected].some(([id, { waits }]) => !(this.#state.members.get(id)?.waits ?? waits));
  }

  /** Ends what people had started together; those who wait outside have no part in it. */
  #endShared(): void {
    this.#transcription.end();
    this.#telephones?.end();
    this.#players.end();
    this.#recording?.end();
    this.#session = { id: randomUUID() };
    this.#shared = {};
    this.#speaker = undefined;
  }

  #opened(newcomer: Newcomer, connected: Connected): void {
    connected.isOpen = true;
    const member = memberOf(newcomer);
    this.#change(withMember(this.#state, member));
    if (member.waits) return;
    this.#discloseTo(member.id);
    this.#listener.attended(true);
    if (newcomer.records) this.#recordByToken(member.id);
  }

  /**
   * Starts a recording for somebody whose token asks for it. They are told if it fails, unless the meeting is
   * being recorded already.
   */
  #recordByToken(id: string): void {
    const tellError = (errorMsg: string): void =>
      void this.#tell(id, { action: 'recording-error', type: 'cloud', errorMsg });
    if (this.#recording === undefined) tellError(NOT_RECORDED);
    else
      this.#recording.start(id, {}, false).catch((error: unknown) => {
        const { code, message } = error instanceof ServiceError ? error : FAILED;
        if (code !== 'recording') tellError(message);
      });
  }

  /** The meeting in the form that a recording needs. */
  #recorded(): RecordedMeeting {
    return {
      people: () => inside(this.#state).filter(({ id }) => !this.#isPageless(id)),
      hasAssistant: () => this.#state.hasAssistant,
      camera: (id) => this.#media.camera(id),
      tell: (id, notice) => void this.#tell(id, notice),
      tellAll: (notice) => void this.#tellAll(notice),
    };
  }

  #gone(id: string): void {
    const member = this.#state.members.get(id);
    this.#connected.delete(id);
    this.#transcription.leave(id);
    this.#recording?.leave(id);
    if (member?.waits) this.#announceWaiting(member, 'waiting-participant-removed');
    this.#change(withoutMember(this.#state, id));
    if (!this.#isAttended()) {
      this.#endShared();
      this.#listener.attended(false);
    }
    this.#listener.left(id);
  }

  #onText(id: string, text: string): void {
    const connected = this.#connected.get(id);
    const cost = 1 + Math.floor(text.length / COUNTED_LENGTH);
    const pace = connected?.commands.add(cost) ?? Number.POSITIVE_INFINITY;
    // A flood of messages is not even read.
    if (pace > 2 * COMMANDS_PER_SECOND) return;
    const given = jsonOf(text);
    const numbered = z.object({ id: z.number().int() }).safeParse(given);
    if (!numbered.success) return;
    const number = numbered.data.id;
    const refused = (error: unknown): void => {
      const { code, message } = error instanceof ServiceError ? error : FAILED;
      this.#answer(id, number, { error: { code, message } });
    };
    try {
      if (pace > COMMANDS_PER_SECOND)
        throw new ServiceError(429, 'too_many', 'These are too many messages in a second.');
      const { command } = parseVoice(commandEnvelopeSchema, given);
      const answer = this.#carryOut(id, command);
      if (answer instanceof Promise) void answer.then((later) => this.#answer(id, number, later), refused);
      else this.#answer(id, number, answer);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refused(error);
    }
  }

  #answer(id: string, number: number, answer: object): void {
    this.#tell(id, { reply: number, ...answer });
  }

  #carryOut(id: string, command: RoomCommand): object | Promise<object> {
    const member = this.#memberOf(id);
    if (command.action === 'request-access') return this.#knock(member, command.name);
    if (member.waits) throw notAllowed('People who wait outside a room can only ask to be let in.');
    if (isTelephone(command)) return this.#carryOutByTelephone(member, command);
    if (isPlayer(command)) return this.#carryOutByPlayer(member, command);
    if (isKeeping(command)) return this.#carryOutByRecorder(member, command);
    switch (command.action) {
      case 'app-message':
        this.#pass(member, command.data, command.to);
        return {};
      case 'update-self': {
        const {
          sends,
          userName = member.userName,
          userData = member.userData,
          custom = member.custom,
        } = command;
        this.#put({
          ...member,
          userName,
          userData,
          custom,
          sends: sends === undefined ? member.sends : new Set(sends),
        });
        return {};
      }
      case 'subscribe-automatically':
        this.#put({ ...member, subscribesByItself: command.enabled, wants: {} });
        return {};
      case 'receive-settings':
        this.#put({ ...member, layers: merged(member.layers, this.#ofPresent(command.settings)) });
        return {};
      case 'set-session-data':
        this.#share(command.data, command.mergeStrategy);
        return {};
      case 'admit':
        this.#admit(member, command.of, command.granted);
        return {};
      default:
        this.#update(member, command.of, command.updates);
        return {};
    }
  }

  /** Carries out a command for recording or transcribing. */
  #carryOutByRecorder(by: Member, command: KeepingCommand): object | Promise<object> {
    if (command.action === 'start-transcription' || command.action === 'stop-transcription') {
      requireAdmin(by, 'transcription');
      if (command.action === 'stop-transcription') this.#transcription.stop(by.id);
      else this.#transcription.start(by.id, command.language);
      return {};
    }
    const recording = this.#recording;
    if (recording === undefined) throw notAllowed(NOT_RECORDED);
    // Everybody answers for themselves whether they are recorded; everything else is for owners.
    if (command.action === 'app-message') return recording.answer(by.id, command.data);
    if (!by.owner) throw notAllowed('Only owners of the meeting have it recorded.');
    if (command.action === 'stop-recording') recording.stop();
    else {
      const wish = readMeetingWish(command.options);
      if (command.action === 'start-recording') return recording.start(by.id, wish, true).then(() => ({}));
      recording.update(wish.layout ?? { preset: 'default' });
    }
    return {};
  }

  #carryOutByPlayer(by: Member, command: PlayerCommand): object | Promise<object> {
    requireAdmin(by);
    if (command.action === 'play-media') return this.#players.start(by.id, command.url, command.settings);
    if (command.action === 'update-player') return this.#players.update(by.id, command.of, command.settings);
    this.#players.stop(by.id, command.of);
    return {};
  }

  async #carryOutByTelephone(by: Member, command: TelephoneCommand): Promise<object> {
    if (!by.owner) throw notAllowed('Only owners of the meeting call people by telephone.');
    const telephones = this.#telephones;
    if (telephones === undefined)
      throw notAllowed('Nobody can be called from this room: it has no enable_dialout.');
    if (command.action === 'dial-out') {
      const { displayName, ...wish } = command;
      return { sessionId: await telephones.dial(wish, displayName) };
    }
    if (command.action === 'send-tones') await telephones.sendTones(command.of, command.tones);
    else telephones.stop(command.of);
    return {};
  }

  /** Tells people who join after the greeting, by a line of the transcript, that an AI assistant is there. */
  #discloseTo(id: string): void {
    const isFirst = this.people.length < 2;
    if (this.#ear === undefined || isFirst) return;
    const data = JSON.stringify({
      ...{ type: 'transcript', role: 'assistant', transcriptType: 'final' },
      transcript: DISCLOSURE,
    });
    this.#tell(id, { action: 'app-message', data, fromId: ASSISTANT });
  }

  #share(data: Readonly<Record<string, unknown>>, strategy: 'replace' | 'shallow-merge'): void {
    const shared = strategy === 'replace' ? data : { ...this.#shared, ...data };
    if (JSON.stringify(shared).length > LONGEST_SESSION)
      throw new ServiceError(
        413,
        'too_large',
        `The data of a meeting has ${LONGEST_SESSION} characters at most, this and what there is together.`,
      );
    this.#shared = shared;
    this.#tellAll({ action: 'meeting-session-state-updated', meetingSessionState: this.#sessionState() });
  }

  #tellSession(id: string): void {
    this.#tell(id, { action: 'meeting-session-summary-updated', meetingSession: this.#session });
    this.#tell(id, { action: 'meeting-session-state-updated', meetingSessionState: this.#sessionState() });
    this.#transcription.inform(id);
    this.#recording?.inform(id);
  }

  #sessionState(): object {
    return { data: this.#shared, topology: 'sfu' };
  }

  /** Settings about people who are not there are dropped: an id is never used again. */
  #ofPresent<Value>(settings: Readonly<Record<string, Value>>): Record<string, Value> {
    const { members } = this.#state;
    return Object.fromEntries(Object.entries(settings).filter(([id]) => id === 'base' || members.has(id)));
  }

  #pass(from: Member, data: unknown, to: string): void {
    const heard =
      (to === '*' || to === ASSISTANT) &&
      this.#ear?.(typeof data === 'string' ? data : JSON.stringify(data), from) === true;
    const notice = { action: 'app-message', data, fromId: from.id };
    if (to === '*') this.#tellAll(notice, from.id);
    else if (to !== ASSISTANT) {
      if (this.#memberOf(to).waits) throw notThere();
      if (this.#isPageless(to)) throw notAllowed('Telephones and players cannot read messages.');
      this.#tell(to, notice);
    } else if (!heard)
      throw notAllowed('The assistant accepts only its own kinds of messages, and only owners control it.');
  }

  #update(by: Member, of: string, { setSubscribedTracks, ...others }: ParticipantUpdates): void {
    if (setSubscribedTracks !== undefined) {
      if (of !== ASSISTANT) this.#memberOf(of);
      this.#put({
        ...by,
        wants: { ...by.wants, [of]: wishesAfter(by.wants[of] ?? {}, setSubscribedTracks) },
      });
    }
    if (Object.values(others).every((value) => value === undefined)) return;
    requireAdmin(by);
    if (of === ASSISTANT) throw notAllowed('Nobody in the room can change the assistant.');
    const member = this.#memberOf(of);
    const { updatePermissions: given, eject, setAudio, setVideo, setScreenShare } = others;
    if (given !== undefined) this.#put({ ...member, permissions: permitted(member.permissions, given) });
    // The person's own page switches the microphone and sends the rest, so the wish is passed on to it.
    const wish = { audio: setAudio, video: setVideo, screen: setScreenShare };
    const isSwitched = Object.values(wish).some((one) => one !== undefined);
    if (this.#isPageless(of)) {
      if (isSwitched)
        throw notAllowed('Telephones and players cannot be switched: change what they may send.');
      if (eject) this.#hangUp(by, of);
      return;
    }
    if (isSwitched) this.#tell(of, { action: 'switch', ...wish });
    if (eject) void this.putOut(of, { type: 'ejected', msg: 'You were removed from the meeting.' });
  }

  /** Whether this is a telephone or a player, which have no page. */
  #isPageless(id: string): boolean {
    return this.#telephones?.has(id) === true || this.#players.has(id);
  }

  #hangUp(by: Member, id: string): void {
    if (this.#players.has(id)) this.#players.stop(by.id, id);
    else this.#telephones?.stop(id);
  }

  #knock(member: Member, name: string): object {
    if (!member.waits) return { access: { level: 'full' }, granted: true };
    const asking = { ...member, asksAs: name === '' ? member.userName : name };
    this.#state = withMember(this.#state, asking);
    this.#announceWaiting(
      asking,
      member.asksAs === undefined ? 'waiting-participant-added' : 'waiting-participant-updated',
    );
    return { access: { level: 'lobby' }, awaitingAccess: { level: 'full' } };
  }

  #admit(by: Member, of: string, granted: boolean): void {
    requireAdmin(by);
    const waiting = this.#memberOf(of);
    if (!waiting.waits) return;
    if (granted) this.#listener.admit(of);
    this.#announceWaiting(waiting, 'waiting-participant-removed');
    if (granted) {
      this.#put({
        ...waiting,
        waits: false,
        asksAs: undefined,
        userName: waiting.asksAs ?? waiting.userName,
      });
      this.#tell(of, { action: 'access', level: 'full', granted: true });
      this.#tellSession(of);
      this.#discloseTo(of);
    } else {
      this.#tell(of, { action: 'access', level: 'lobby', granted: false });
      this.#state = withMember(this.#state, { ...waiting, asksAs: undefined });
    }
  }

  /** Tells everybody who may let people in about somebody who asked. */
  #announceWaiting(member: Member, action: string): void {
    if (!member.waits || member.asksAs === undefined) return;
    const participant = waitingView(member);
    for (const { id, permissions } of inside(this.#state))
      if (permissions.canAdmin.has('participants')) this.#tell(id, { action, participant });
  }

  #memberOf(id: string): Member {
    const member = this.#state.members.get(id);
    if (member === undefined) throw notThere();
    return member;
  }

  #put(member: Member): void {
    this.#change(withMember(this.#state, member));
  }

  /** Applies a new state: what everybody sees, may send and receives. */
  #change(next: MeetingState): void {
    const before = countsOf(this.#state);
    this.#state = next;
    for (const [id, connected] of this.#connected) {
      const member = next.members.get(id);
      if (member === undefined || !connected.isOpen) continue;
      connected.peer.allow(allowedOf(member));
      connected.peer.route(routesOf(next, id));
      this.#tellChanges(member, connected);
    }
    // Those without a page, telephones and players, are silenced here.
    for (const member of inside(next))
      if (!this.#connected.has(member.id)) this.#media.silence(member.id, allowedOf(member).size === 0);
    const counts = countsOf(next);
    if (counts.present !== before.present || counts.hidden !== before.hidden)
      this.#tellAll({ action: 'participant-counts-updated', participantCounts: counts });
  }

  #tellChanges(member: Member, connected: Connected): void {
    const views = new Map(
      [...viewOf(this.#state, member.id)].map(([id, view]) => [id, JSON.stringify(view)]),
    );
    const isNew = !connected.told.has(SELF);
    this.#tellSelf(member, connected, views);
    if (isNew) return;
    for (const [id, text] of views) {
      const known = connected.told.get(id);
      if (known === text) continue;
      connected.told.set(id, text);
      const action = known === undefined ? 'participant-joined' : 'participant-updated';
      this.#tell(member.id, { action, participant: JSON.parse(text) });
    }
    for (const id of [...connected.told.keys()].filter((known) => known !== SELF && !views.has(known))) {
      connected.told.delete(id);
      this.#tell(member.id, { action: 'participant-left', id });
    }
  }

  /** Tells somebody who joins who they are and who is there; later, what has changed about themselves. */
  #tellSelf(member: Member, { told }: Connected, views: ReadonlyMap<string, string>): void {
    const self = JSON.stringify({ ...selfView(member), access: member.waits ? 'lobby' : 'full' });
    const known = told.get(SELF);
    if (known === self) return;
    told.set(SELF, self);
    const participant = JSON.parse(self);
    if (known !== undefined) return void this.#tell(member.id, { action: 'self', participant });
    for (const [id, text] of views) told.set(id, text);
    const participants = [...views.values()].map((text) => JSON.parse(text));
    this.#tell(member.id, { action: 'entered', participant, participants, ...this.#surroundings(member) });
    if (!member.waits) this.#tellSession(member.id);
  }

  /** What somebody who joins has to know besides who is there. */
  #surroundings(member: Member): object {
    if (member.waits) return { waiting: [] };
    const waiting = member.permissions.canAdmin.has('participants')
      ? [...this.#state.members.values()].filter(({ waits, asksAs }) => waits && asksAs !== undefined)
      : [];
    return {
      participantCounts: countsOf(this.#state),
      ...(this.#speaker === undefined ? {} : { activeSpeaker: { peerId: this.#speaker } }),
      waiting: waiting.map(waitingView),
    };
  }

  #tell(id: string, notice: object): boolean {
    return this.#connected.get(id)?.peer.send(JSON.stringify(notice)) ?? false;
  }

  /** Tells everybody in the meeting, except the person `but`. */
  #tellAll(notice: object, but?: string): boolean {
    const told = inside(this.#state)
      .filter(({ id }) => id !== but)
      .map(({ id }) => this.#tell(id, notice));
    return told.includes(true);
  }
}

/** What people are told about an unexpected failure. */
const FAILED = { code: 'unexpected_failure', message: 'That did not work. Please try again.' } as const;

type TelephoneCommand = Extract<RoomCommand, { action: 'dial-out' | 'stop-dial-out' | 'send-tones' }>;

const isTelephone = (command: RoomCommand): command is TelephoneCommand =>
  command.action === 'dial-out' || command.action === 'stop-dial-out' || command.action === 'send-tones';

/** A new member, who sends nothing yet. */
function memberOf({ records: _byToken, ...newcomer }: Newcomer): Member {
  return {
    ...newcomer,
    joinedAt: Date.now(),
    asksAs: undefined,
    sends: new Set(),
    custom: {},
    permissions: {
      hasPresence: true,
      canSend: EVERYTHING,
      canAdmin: new Set(newcomer.owner ? ADMIN_RIGHTS : []),
    },
    subscribesByItself: true,
    wants: {},
    layers: {},
  };
}

/** The properties of a member without a page. */
const PAGELESS = { userData: null, owner: false, waits: false, records: false } as const;

/** A member who takes part by telephone: a voice, and nothing else. */
function telephoned(id: string, userName: string): Member {
  const member = memberOf({ id, userId: id, userName, ...PAGELESS });
  const permissions = { ...member.permissions, canSend: new Set(['audio'] as const) };
  return { ...member, sends: new Set(['audio']), permissions };
}

type KeepingCommand =
  | Extract<RoomCommand, { action: `${string}-recording` | `${string}-transcription` }>
  | (Extract<RoomCommand, { action: 'app-message' }> & { readonly to: typeof RECORDER });

const KEEPING: ReadonlySet<RoomCommand['action']> = new Set([
  ...(['start-transcription', 'stop-transcription'] as const),
  ...(['start-recording', 'update-recording', 'stop-recording'] as const),
]);

const isKeeping = (command: RoomCommand): command is KeepingCommand =>
  KEEPING.has(command.action) || (command.action === 'app-message' && command.to === RECORDER);

const NOT_RECORDED = 'Nothing is recorded in this room: it has no enable_recording.';

type PlayerCommand = Extract<RoomCommand, { action: 'play-media' | 'update-player' | 'stop-player' }>;

const isPlayer = (command: RoomCommand): command is PlayerCommand =>
  command.action === 'play-media' || command.action === 'update-player' || command.action === 'stop-player';

/**
 * The track that carries the sound of a player, and the call library's name for it
 * (docs/specification/platform.md §5).
 */
const PLAYED = { kind: 'customAudio1', name: 'rmpAudio' } as const;

/** A player as a member of the meeting. */
function played(id: string): Member {
  const member = memberOf({ id, userId: id, userName: '', ...PAGELESS });
  const permissions = { ...member.permissions, canSend: new Set(['customAudio'] as const) };
  return { ...member, custom: { [PLAYED.kind]: PLAYED.name }, permissions };
}

const notAllowed = (message: string): ServiceError => new ServiceError(403, 'not-allowed', message);

const notThere = (): ServiceError =>
  new ServiceError(404, 'not_found', 'There is nobody of that id in the room.');

function requireAdmin({ permissions }: Member, right: AdminRight = 'participants'): void {
  if (!permissions.canAdmin.has(right)) throw notAllowed(ADMIN_REFUSALS[right]);
}

const ADMIN_REFUSALS: Readonly<Record<AdminRight, string>> = {
  participants: 'Only owners of the meeting change what others do.',
  transcription: 'Only owners of the meeting have it transcribed.',
};

const waitingView = ({ id, asksAs, userName }: Member): object => ({
  id,
  name: asksAs ?? userName,
  awaitingAccess: { level: 'full' },
});

function permitted(
  before: Member['permissions'],
  {
    hasPresence = before.hasPresence,
    canSend,
    canAdmin,
  }: NonNullable<ParticipantUpdates['updatePermissions']>,
): Member['permissions'] {
  const sendable: Iterable<SendRight> =
    typeof canSend === 'boolean' ? (canSend ? SEND_RIGHTS : []) : (canSend ?? before.canSend);
  const administered: Iterable<AdminRight> =
    typeof canAdmin === 'boolean' ? (canAdmin ? ADMIN_RIGHTS : []) : (canAdmin ?? before.canAdmin);
  return { hasPresence, canAdmin: new Set(administered), canSend: new Set(sendable) };
}

/**
 * Most named tracks of one person that a member can have wishes for; beyond it the oldest wishes are dropped.
 */
const MOST_NAMED = 16;

/** A member's wishes about somebody after a new wish: for everything at once, or for what it names. */
function wishesAfter(before: Wanted, wish: NonNullable<ParticipantUpdates['setSubscribedTracks']>): Wanted {
  if (typeof wish === 'boolean')
    return Object.fromEntries([...MEDIA_KINDS, 'custom'].map((name) => [name, wish]));
  const { custom, ...kinds } = wish;
  const isNamed = (name: string): boolean => name.startsWith(namedTrack(''));
  const known = Object.entries(before);
  const given = Object.entries(kinds).filter((entry): entry is [string, boolean] => entry[1] !== undefined);
  const named =
    typeof custom === 'boolean'
      ? []
      : [
          ...known.filter(([name]) => isNamed(name)),
          ...Object.entries(custom ?? {}).map(([name, on]): [string, boolean] => [namedTrack(name), on]),
        ];
  const all = typeof custom === 'boolean' ? [['custom', custom] as const] : [];
  return Object.fromEntries([
    ...known.filter(([name]) => !isNamed(name)),
    ...given,
    ...all,
    ...[...new Map(named)].slice(-MOST_NAMED),
  ]);
}

/** Merges settings by member into the present ones; null removes one. */
function merged(
  before: Member['layers'],
  given: Readonly<Record<string, Readonly<Partial<Record<'video' | 'screenVideo', number | null>>>>>,
): Member['layers'] {
  const changed = Object.entries(given).map(([id, kinds]) => {
    const all = Object.entries({ ...before[id], ...kinds }).filter(([, layer]) => layer !== null);
    return [id, Object.fromEntries(all)] as const;
  });
  return { ...before, ...Object.fromEntries(changed) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
