import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { RoomFault } from '../media/media-transport.server.ts';
import { MEDIA_KINDS, type MediaKind } from '../media/room/media-kind.contract.ts';
import { ASSISTANT, type MediaPeer, type MediaRoom } from '../media/room/media-room.server.ts';
import { SecondCount } from '../media/second-count.server.ts';
import { parseVoice } from '../records/voice-scope.server.ts';
import {
  commandEnvelopeSchema,
  LONGEST_SESSION,
  type ParticipantUpdates,
  type RoomCommand,
} from './meeting-commands.contract.ts';
import {
  allowedOf,
  countsOf,
  EVERYTHING,
  emptyMeeting,
  inside,
  type MeetingState,
  type Member,
  routesOf,
  selfView,
  viewOf,
  withAssistant,
  withMember,
  withoutMember,
} from './meeting-state.server.ts';

/** Commands of one person within a second, each 4 KB of a longer one counted; more are refused. */
const COMMANDS_PER_SECOND = 30;
const COUNTED_LENGTH = 4096;

/** What everybody has to know who did not hear the assistant's greeting. */
export const DISCLOSURE = 'An AI assistant takes part in this meeting and hears what is said.';

/** The own entry among what somebody was told. */
const SELF = '';

/** Somebody who comes. */
export interface Newcomer {
  readonly id: string;
  readonly userId: string;
  readonly userName: string;
  readonly userData: unknown;
  readonly owner: boolean;
  /** Waits until somebody lets them in. */
  readonly waits: boolean;
}

/** What a meeting says of itself. */
export interface MeetingListener {
  /** Somebody is in and can be told things. */
  opened(): void;
  /** Somebody who waits takes a place. @throws ServiceError 429 `meeting-full` where there is none */
  admit(id: string): void;
  /** Told once of everybody who is not there any more. */
  left(id: string): void;
}

/** Whoever hears what is written to the assistant; false where it does not listen to that. */
export type AssistantEar = (text: string, from: Pick<Member, 'id' | 'owner'>) => boolean;

interface Connected {
  readonly peer: MediaPeer;
  /** What was told last, so that only changes are. */
  told: Map<string, string>;
  isOpen: boolean;
  readonly commands: SecondCount;
}

/**
 * A meeting that goes on. Data flow one way: what people ask for changes the state, and out of the state follow what
 * each is told, may send and gets.
 */
export class Meeting {
  readonly #media: MediaRoom;
  readonly #connected = new Map<string, Connected>();
  readonly #listener: MeetingListener;
  #state: MeetingState;
  #ear: AssistantEar | undefined;
  #speaker: string | undefined;
  /** One meeting of the room, and what its people share. */
  readonly #session = { id: randomUUID() };
  #shared: Readonly<Record<string, unknown>> = {};

  constructor(media: MediaRoom, listener: MeetingListener) {
    this.#media = media;
    this.#listener = listener;
    this.#state = emptyMeeting(media.layout);
    media.onActiveSpeaker((id) => {
      this.#speaker = id;
      this.#tellAll({ action: 'active-speaker-change', activeSpeaker: { peerId: id } });
    });
  }

  /** Those who are in, and not waiting. */
  get people(): readonly Member[] {
    return inside(this.#state);
  }

  /**
   * Answers somebody's offer; they are in as soon as their channel is open.
   *
   * @throws ServiceError 400 `bad_offer`
   */
  async enter(newcomer: Newcomer, offer: string): Promise<string> {
    const peer = await this.#media.enter(newcomer.id);
    const connected: Connected = { peer, told: new Map(), isOpen: false, commands: new SecondCount() };
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

  /** Puts somebody out; nothing for who is not there. */
  async putOut(id: string, fault?: RoomFault): Promise<void> {
    await this.#connected.get(id)?.peer.close(fault);
  }

  /** The assistant comes, and hears what is written to it. */
  admitAssistant(ear: AssistantEar): void {
    this.#ear = ear;
    this.#change(withAssistant(this.#state, true));
  }

  /** The assistant has hung up: who was alone with it has nobody to stay for. */
  dismissAssistant(): void {
    this.#ear = undefined;
    this.#change(withAssistant(this.#state, false));
    if (this.#connected.size === 1) for (const { peer } of this.#connected.values()) void peer.close();
  }

  /** A message of the assistant to everybody; false where nobody is there. */
  say(text: string): boolean {
    return this.#tellAll({ action: 'app-message', data: text, fromId: ASSISTANT });
  }

  async close(): Promise<void> {
    await this.#media.close();
  }

  #opened(newcomer: Newcomer, connected: Connected): void {
    connected.isOpen = true;
    const member: Member = {
      ...newcomer,
      joinedAt: Date.now(),
      asksAs: undefined,
      sends: new Set(),
      permissions: { hasPresence: true, canSend: EVERYTHING, canAdmin: newcomer.owner },
      subscribesByItself: true,
      wants: {},
      layers: {},
    };
    this.#change(withMember(this.#state, member));
    if (member.waits) return;
    this.#discloseTo(member.id);
    this.#listener.opened();
  }

  #gone(id: string): void {
    const member = this.#state.members.get(id);
    this.#connected.delete(id);
    if (member?.waits) this.#announceWaiting(member, 'waiting-participant-removed');
    this.#change(withoutMember(this.#state, id));
    this.#listener.left(id);
  }

  #onText(id: string, text: string): void {
    const connected = this.#connected.get(id);
    const cost = 1 + Math.floor(text.length / COUNTED_LENGTH);
    const pace = connected?.commands.add(cost) ?? Number.POSITIVE_INFINITY;
    // Who floods the channel is not even read.
    if (pace > 2 * COMMANDS_PER_SECOND) return;
    const given = jsonOf(text);
    const numbered = z.object({ id: z.number().int() }).safeParse(given);
    if (!numbered.success) return;
    const number = numbered.data.id;
    try {
      if (pace > COMMANDS_PER_SECOND)
        throw new ServiceError(429, 'too_many', 'These are too many messages in a second.');
      const { command } = parseVoice(commandEnvelopeSchema, given);
      this.#tell(id, { reply: number, ...this.#carryOut(id, command) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#tell(id, { reply: number, error: { code: error.code, message: error.message } });
    }
  }

  #carryOut(id: string, command: RoomCommand): object {
    const member = this.#memberOf(id);
    if (command.action === 'request-access') return this.#knock(member, command.name);
    if (member.waits) throw notAllowed('Who waits before a room can only ask to be let in.');
    switch (command.action) {
      case 'app-message':
        this.#pass(member, command.data, command.to);
        return {};
      case 'update-self': {
        const { sends, userName = member.userName, userData = member.userData } = command;
        this.#put({
          ...member,
          userName,
          userData,
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

  /** Who comes after its greeting learns by a line of the transcript that the assistant is there, and that it is one. */
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
  }

  #sessionState(): object {
    return { data: this.#shared, topology: 'sfu' };
  }

  /** What is said of who is not there (any more) is not kept: ids come once. */
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
      this.#tell(to, notice);
    } else if (!heard)
      throw notAllowed('The assistant listens to its own kinds of messages, and is steered by owners only.');
  }

  #update(by: Member, of: string, { setSubscribedTracks, ...others }: ParticipantUpdates): void {
    if (setSubscribedTracks !== undefined) {
      if (of !== ASSISTANT) this.#memberOf(of);
      const all = (on: boolean) => Object.fromEntries(MEDIA_KINDS.map((kind) => [kind, on]));
      const wanted =
        typeof setSubscribedTracks === 'boolean' ? all(setSubscribedTracks) : setSubscribedTracks;
      this.#put({ ...by, wants: { ...by.wants, [of]: { ...by.wants[of], ...wanted } } });
    }
    if (Object.values(others).every((value) => value === undefined)) return;
    requireAdmin(by);
    if (of === ASSISTANT) throw notAllowed('The assistant is changed by nobody in the room.');
    const member = this.#memberOf(of);
    const { updatePermissions: given, eject, setAudio, setVideo, setScreenShare } = others;
    if (given !== undefined) this.#put({ ...member, permissions: permitted(member.permissions, given) });
    // Whose microphone is switched by somebody else does it themselves: what they send is their page's.
    const wish = { audio: setAudio, video: setVideo, screen: setScreenShare };
    if (Object.values(wish).some((one) => one !== undefined)) this.#tell(of, { action: 'switch', ...wish });
    if (eject) void this.putOut(of, { type: 'ejected', msg: 'You were removed from the meeting.' });
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

  /** Who may let people in hears of those who asked. */
  #announceWaiting(member: Member, action: string): void {
    if (!member.waits || member.asksAs === undefined) return;
    const participant = waitingView(member);
    for (const { id, permissions } of inside(this.#state))
      if (permissions.canAdmin) this.#tell(id, { action, participant });
  }

  #memberOf(id: string): Member {
    const member = this.#state.members.get(id);
    if (member === undefined) throw notThere();
    return member;
  }

  #put(member: Member): void {
    this.#change(withMember(this.#state, member));
  }

  /** Everything that follows from a state: what each sees, may send and gets. */
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

  /** Who comes hears who they are and who is there; later what changed about themselves. */
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

  /** What somebody who comes has to know besides who is there. */
  #surroundings(member: Member): object {
    if (member.waits) return { waiting: [] };
    const waiting = member.permissions.canAdmin
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

  /** Tells everybody who is in, but the one whose notice it is. */
  #tellAll(notice: object, but?: string): boolean {
    const told = inside(this.#state)
      .filter(({ id }) => id !== but)
      .map(({ id }) => this.#tell(id, notice));
    return told.includes(true);
  }
}

const notAllowed = (message: string): ServiceError => new ServiceError(403, 'not-allowed', message);

const notThere = (): ServiceError =>
  new ServiceError(404, 'not_found', 'There is nobody of that id in the room.');

function requireAdmin({ permissions }: Member): void {
  if (!permissions.canAdmin) throw notAllowed('Only owners of the meeting change what others do.');
}

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
    canAdmin = before.canAdmin,
  }: NonNullable<ParticipantUpdates['updatePermissions']>,
): Member['permissions'] {
  const sendable: Iterable<MediaKind> =
    typeof canSend === 'boolean' ? (canSend ? MEDIA_KINDS : []) : (canSend ?? before.canSend);
  return { hasPresence, canAdmin, canSend: new Set(sendable) };
}

/** Settings by member laid over those before; null takes one back. */
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
