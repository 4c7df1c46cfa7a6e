import { FATAL_ERROR_TYPES, type FatalErrorType } from '../call-events.ts';
import { NotSupportedError } from '../not-supported.ts';
import { isRecord, member } from '../rules/rule.ts';
import type { Participant, ParticipantTrack } from '../transport.ts';
import type { Entered, Link, LinkListener, SelfReport, View } from './link.ts';
import { addSection } from './offer-section.ts';
import {
  isNamed,
  MEDIA_KINDS,
  type MediaKind,
  SEND_RIGHTS,
  SENT_KINDS,
  type SentKind,
  trackKind,
} from './own-media.ts';
import { jsonOf } from './parsed-json.ts';
import { type RoomClient, type RoomDescription, type RoomEntry, RoomError } from './room-client.ts';
import { connectTo } from './room-connection.ts';
import {
  cappedSizes,
  NAMED_BITRATE,
  putBitrate,
  putSizes,
  type SentSize,
  sentSizes,
  USUAL_SIZES,
} from './send-settings.ts';

/** What is asked of a room: an action with what belongs to it. */
type RoomCommand = { readonly action: string } & View;

/** A room answers by then, or not at all. */
const ANSWER_MS = 15_000;
/**
 * Where a room answers when something is done that takes long by itself: keys are pressed when a telephone that rings,
 * for a minute at most, was answered; a sound was fetched, over several addresses where one leads to another.
 */
const LONG_ANSWER_MS: Readonly<Record<string, number>> = { 'send-tones': 90_000, 'play-media': 60_000 };
/** What may be administered in a room, in the library's names. */
const ADMIN_RIGHTS = ['participants', 'transcription'] as const;

/** The connection to a room in which several people meet; everything but sound and pictures goes over its channel. */
export class RoomLink implements Link {
  readonly connection: RTCPeerConnection;
  readonly #listener: LinkListener;
  readonly #senders = new Map<SentKind, RTCRtpSender>();
  readonly #slots: Readonly<Record<'audio' | 'video', readonly RTCRtpTransceiver[]>>;
  readonly #channel: RTCDataChannel;
  readonly #people = new Map<string, Participant>();
  readonly #waiting = new Map<string, unknown>();
  readonly #answers = new Map<number, { resolve(answer: View): void; reject(error: Error): void }>();
  readonly #entered = Promise.withResolvers<View>();
  #access: ((outcome: { access: unknown; granted: boolean }) => void) | undefined;
  /** The meeting, as the library names it: its id. */
  session: unknown;
  /** What was set last of what one gets and sends, in the library's form. */
  received: View = {};
  sent: View = { video: 'default-video', screenVideo: 'default-screen-video' };
  /** The camera's sizes as they were wished for, and bits a second of all together; undefined for no limit. */
  #sizes: readonly SentSize[] = USUAL_SIZES;
  #most: number | undefined;
  #waits = false;
  /** What is asked as soon as one is let in. */
  #later: RoomCommand[] = [];
  #next = 1;
  #over = false;

  constructor(description: RoomDescription, listener: LinkListener) {
    const { layout = { audio: 0, video: 0 }, geo: _own, ...way } = description;
    this.#listener = listener;
    this.connection = new RTCPeerConnection({ ...way, bundlePolicy: 'max-bundle' });
    for (const kind of SENT_KINDS)
      this.#senders.set(kind, addSection(this.connection, kind, 'sendonly').sender);
    this.#slots = {
      audio: Array.from({ length: layout.audio }, () => addSection(this.connection, 'audio', 'recvonly')),
      video: Array.from({ length: layout.video }, () => addSection(this.connection, 'video', 'recvonly')),
    };
    this.#channel = this.connection.createDataChannel('room');
    this.#channel.onmessage = ({ data }) => this.#onMessage(data);
    this.#channel.onclose = () => this.#end();
  }

  /** Enters, and resolves when the room has said who is there. @throws RoomError */
  async enter(room: RoomClient, entry: Omit<RoomEntry, 'sdp'>): Promise<Entered> {
    const person = await connectTo(room, entry, this.connection, this.#channel);
    return { person, view: await this.#entered.promise };
  }

  /** Everybody else, as they are now. */
  others(): Participant[] {
    return [...this.#people.values()];
  }

  /** The sound of everybody else that is heard, by their sessions. */
  sounds(): ReadonlyMap<string, MediaStreamTrack> {
    const heard = this.others().flatMap(({ session_id, tracks }): [string, MediaStreamTrack][] => {
      const track = tracks.audio?.persistentTrack;
      return track === undefined ? [] : [[session_id, track]];
    });
    return new Map(heard);
  }

  async put(kind: SentKind, track: MediaStreamTrack | null, most?: number): Promise<void> {
    const sender = this.#senders.get(kind);
    await sender?.replaceTrack(track);
    if (sender === undefined || track === null || !isNamed(kind)) return;
    // Another track may have had this place before, with a limit of its own.
    const parameters = sender.getParameters();
    putBitrate(parameters.encodings, most ?? (trackKind(kind) === 'video' ? NAMED_BITRATE : undefined));
    await sender.setParameters(parameters);
  }

  /** How the own pictures are sent from now on, by track. @throws NotSupportedError for a track that is not sent */
  async sendSettings(settings: View): Promise<void> {
    const sized = Object.entries(settings).map(([track, given]) => [track, sentSizes(track, given)] as const);
    for (const [track, sent] of sized) {
      if (track === 'video') this.#sizes = sent;
      await this.#size(track as MediaKind, track === 'video' ? cappedSizes(sent, this.#most) : sent);
    }
  }

  /** The camera takes so many bits a second at most, all its sizes together; undefined for no limit. */
  async limitCamera(most: number | undefined): Promise<void> {
    this.#most = most;
    await this.#size('video', cappedSizes(this.#sizes, most));
  }

  async #size(kind: MediaKind, sizes: readonly SentSize[]): Promise<void> {
    const sender = this.#senders.get(kind);
    const parameters = sender?.getParameters();
    if (sender === undefined || parameters === undefined) return;
    putSizes(parameters.encodings, sizes);
    await sender.setParameters(parameters);
  }

  /** Does something in the room. @throws Error with the room's sentence when it is refused, or when it does not answer */
  ask(command: RoomCommand): Promise<View> {
    if (this.#channel.readyState !== 'open') return Promise.reject(new Error('The call is not connected.'));
    const id = this.#next++;
    const answer = new Promise<View>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#answers.delete(id);
        reject(new Error('The room did not answer.'));
      }, LONG_ANSWER_MS[command.action] ?? ANSWER_MS);
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          clearTimeout(timer);
          settle(value);
        };
      this.#answers.set(id, { resolve: settled(resolve), reject: settled(reject) });
    });
    this.#channel.send(JSON.stringify({ id, command }));
    return answer;
  }

  /** Who still waits before the room tells of themselves when they are let in. */
  async report(report: SelfReport): Promise<void> {
    await this.#askInside({ action: 'update-self', ...report });
  }

  async sendMessage(data: unknown, to: string): Promise<void> {
    await this.ask({ action: 'app-message', data, to });
  }

  async update(id: string, properties: View): Promise<void> {
    await this.ask({ action: 'update-participant', of: id, updates: updatesOf(properties) });
  }

  async subscribeAutomatically(enabled: boolean): Promise<void> {
    await this.#askInside({ action: 'subscribe-automatically', enabled });
  }

  /** Who waits to be let in. */
  waiting(): string[] {
    return [...this.#waiting.keys()];
  }

  /** Lets somebody in who waits, or not. */
  async admit(id: string, granted: boolean): Promise<void> {
    await this.ask({ action: 'admit', of: id, granted });
  }

  /** Which size of whose picture one wants; null takes one back. */
  async receive(settings: View): Promise<void> {
    await this.ask({ action: 'receive-settings', settings });
  }

  /** Asks to be let in, and resolves when somebody decided. */
  async requestAccess(name: unknown): Promise<{ access: unknown; granted: boolean }> {
    const answer = await this.ask({ action: 'request-access', name: typeof name === 'string' ? name : '' });
    if (answer.granted === true) return { access: answer.access, granted: true };
    this.#listener.notice({
      action: 'access-state-updated',
      access: answer.access,
      awaitingAccess: answer.awaitingAccess,
    });
    return new Promise((resolve) => {
      this.#access = resolve;
    });
  }

  close(): void {
    this.#over = true;
    for (const { reject } of this.#answers.values()) reject(new Error('The call was left.'));
    this.#answers.clear();
    this.#access?.({ access: { level: 'none' }, granted: false });
    this.connection.close();
  }

  #end(fault?: RoomError): void {
    if (this.#over) return;
    this.close();
    this.#entered.reject(fault ?? new RoomError('connection-error', 'The room has closed.', { on: 'join' }));
    // Who has not entered yet hears it from `enter`.
    this.#entered.promise.catch(() => {});
    this.#listener.closed(fault);
  }

  #onMessage(data: unknown): void {
    const notice = jsonOf(data);
    if (!isRecord(notice)) return;
    if (typeof notice.reply === 'number') this.#answer(notice.reply, notice);
    else if (typeof notice.action === 'string') this.#onNotice(notice.action, notice);
  }

  #answer(id: number, answer: View): void {
    const waiting = this.#answers.get(id);
    this.#answers.delete(id);
    if (!isRecord(answer.error)) waiting?.resolve(answer);
    else waiting?.reject(new Error(String(answer.error.message)));
  }

  #onNotice(action: string, notice: View): void {
    const listener = this.#listener;
    if (action === 'meeting-session-summary-updated') this.session = notice.meetingSession;
    if (action === 'entered') this.#enter(notice);
    else if (action === 'self') this.#change(isRecord(notice.participant) ? notice.participant : {});
    else if (action === 'participant-joined' || action === 'participant-updated')
      this.#put(action, notice.participant);
    else if (action === 'participant-left') this.#remove(notice.id);
    else if (action.startsWith('waiting-participant-')) this.#wait(action, notice.participant);
    else if (action === 'access') this.#decide(notice);
    else if (action === 'switch')
      listener.switched({ audio: notice.audio, video: notice.video, screen: notice.screen });
    else if (action === 'error') this.#end(faultOf(notice.error));
    else if (action === 'transcription-message')
      listener.notice({ ...notice, action, timestamp: new Date(String(notice.timestamp)) });
    else listener.notice({ ...notice, action });
  }

  #change(self: View): void {
    const wasWaiting = this.#waits;
    this.#waits = self.access === 'lobby';
    this.#listener.self(self);
    if (!wasWaiting || this.#waits) return;
    for (const command of this.#later.splice(0))
      this.ask(command).catch((error: unknown) => console.warn('The room did not get a message:', error));
  }

  async #askInside(command: RoomCommand): Promise<void> {
    if (this.#waits) this.#later.push(command);
    else await this.ask(command);
  }

  #enter(notice: View): void {
    this.#waits = member(notice.participant, 'access') === 'lobby';
    for (const view of Array.isArray(notice.participants) ? notice.participants : []) this.#know(view);
    for (const participant of Array.isArray(notice.waiting) ? notice.waiting : [])
      this.#waiting.set(String(member(participant, 'id')), participant);
    this.#entered.resolve(notice);
  }

  #know(view: unknown): Participant | undefined {
    const participant = this.#participantOf(view);
    if (participant !== undefined) this.#people.set(participant.session_id, participant);
    return participant;
  }

  #put(action: string, view: unknown): void {
    const participant = this.#know(view);
    if (participant !== undefined) this.#listener.notice({ action, participant });
  }

  #remove(id: unknown): void {
    const participant = this.#people.get(String(id));
    this.#people.delete(String(id));
    if (participant !== undefined) this.#listener.notice({ action: 'participant-left', participant });
  }

  #wait(action: string, participant: unknown): void {
    const id = String(member(participant, 'id'));
    if (action === 'waiting-participant-removed') this.#waiting.delete(id);
    else this.#waiting.set(id, participant);
    this.#listener.notice({ action, participant, allWaitingParticipants: Object.fromEntries(this.#waiting) });
  }

  #decide({ level, granted }: View): void {
    const access = { level };
    this.#listener.notice({ action: 'access-state-updated', access });
    this.#access?.({ access, granted: granted === true });
    this.#access = undefined;
  }

  /** Somebody as the library shows them: their slots are tracks here. */
  #participantOf(view: unknown): Participant | undefined {
    if (!isRecord(view) || typeof view.session_id !== 'string') return undefined;
    const known = MEDIA_KINDS.map((kind) => [
      kind,
      this.#trackOf(trackKind(kind), member(view.tracks, kind)),
    ]);
    const named = Object.entries(isRecord(view.tracks) ? view.tracks : {}).flatMap(([name, track]) => {
      const kind = member(track, 'kind');
      const isNamed = kind === 'audio' || kind === 'video';
      return isNamed ? [[name, { kind, ...this.#trackOf(kind, track) }]] : [];
    });
    const tracks: Readonly<Record<string, ParticipantTrack>> = Object.fromEntries([...named, ...known]);
    return { ...view, ...personOf(view, tracks), local: false };
  }

  #trackOf(kind: 'audio' | 'video', view: unknown): ParticipantTrack {
    const { state, subscribed, slot, off } = isRecord(view) ? view : {};
    const base = { subscribed: subscribed === true, ...(isRecord(off) ? { off } : {}) };
    if (state === 'sendable') return { ...base, state };
    const place = this.#slots[kind][Number(slot)];
    return state === 'playable' && place !== undefined
      ? { ...base, state, persistentTrack: place.receiver.track }
      : { ...base, state: 'off' };
  }
}

/** The members of a participant that every one has. */
export function personOf(view: View, tracks: Readonly<Record<string, ParticipantTrack>>) {
  const has = (kind: MediaKind): boolean => (tracks[kind]?.state ?? 'off') !== 'off';
  return {
    session_id: String(view.session_id),
    user_id: String(view.user_id),
    user_name: String(view.user_name ?? ''),
    owner: view.owner === true,
    audio: has('audio'),
    video: has('video'),
    screen: has('screenVideo'),
    tracks,
  };
}

function faultOf(error: unknown): RoomError {
  const type: FatalErrorType =
    FATAL_ERROR_TYPES.find((one) => one === member(error, 'type')) ?? 'connection-error';
  return new RoomError(type, String(member(error, 'msg')));
}

/** What the library asks of others, in the room's words. @throws NotSupportedError for what no room here does */
function updatesOf({ setSubscribedTracks, updatePermissions, ...others }: View): View {
  const unbuilt = Object.keys(others).find((name) => others[name] !== undefined && !SIMPLE_UPDATES.has(name));
  if (unbuilt !== undefined) throw new NotSupportedError(`update-participant ${unbuilt}`);
  return {
    ...others,
    ...(setSubscribedTracks === undefined
      ? {}
      : { setSubscribedTracks: subscriptionOf(setSubscribedTracks) }),
    ...(updatePermissions === undefined ? {} : { updatePermissions: permissionsOf(updatePermissions) }),
  };
}

const SIMPLE_UPDATES: ReadonlySet<string> = new Set(['setAudio', 'setVideo', 'setScreenShare', 'eject']);

/** A track that is only staged is not sent. */
function subscriptionOf(wanted: unknown): unknown {
  if (!isRecord(wanted)) return wanted === true || wanted === 'avatar';
  const known = MEDIA_KINDS.filter((kind) => wanted[kind] !== undefined);
  // What a player sends is one more track that has a name.
  const { rmpAudio } = wanted;
  const custom = rmpAudio === undefined ? wanted.custom : { rmpAudio };
  const named = isRecord(custom)
    ? Object.fromEntries(Object.entries(custom).map(([name, wish]) => [name, wish === true]))
    : custom === true;
  return {
    ...Object.fromEntries(known.map((kind) => [kind, wanted[kind] === true])),
    ...(custom === undefined ? {} : { custom: named }),
  };
}

function permissionsOf(given: unknown): View {
  const { hasPresence, canSend, canAdmin } = isRecord(given) ? given : {};
  const list = (value: unknown): unknown => (value instanceof Set ? [...value] : value);
  const sendable = list(canSend);
  const admin = list(canAdmin);
  return {
    ...(hasPresence === undefined ? {} : { hasPresence }),
    ...(canSend === undefined
      ? {}
      : {
          canSend: Array.isArray(sendable)
            ? SEND_RIGHTS.filter((right) => sendable.includes(right))
            : sendable,
        }),
    // Nothing is streamed here: the right to that is none.
    ...(canAdmin === undefined
      ? {}
      : {
          canAdmin: Array.isArray(admin)
            ? ADMIN_RIGHTS.filter((right) => admin.includes(right))
            : admin === true,
        }),
  };
}
