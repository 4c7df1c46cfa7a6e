import { FATAL_ERROR_TYPES, type FatalErrorType } from '../call-events.ts';
import { NotSupportedError } from '../not-supported.ts';
import { isRecord, member } from '../rules/rule.ts';
import type { Participant, ParticipantTrack } from '../transport.ts';
import type { Entered, Link, LinkListener, SelfReport, View } from './link.ts';
import { addSection } from './offer-section.ts';
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
import {
  isCustom,
  MEDIA_KINDS,
  type MediaKind,
  SEND_RIGHTS,
  SENT_KINDS,
  type SentKind,
  trackKind,
} from './track-kinds.ts';

/** A command to a room: an action with its members. */
type RoomCommand = { readonly action: string } & View;

/** How long a room's answer is waited for, ms. */
const ANSWER_MS = 15_000;
/**
 * The same for actions that take long: keys are pressed only after a telephone, which rings for up to a
 * minute, has been answered, and a sound is fetched, perhaps by way of several redirects. A recording is waited
 * for until the call ends: it would begin after it was reported as failed.
 */
const LONG_ANSWER_MS: Readonly<Record<string, number>> = {
  'send-tones': 90_000,
  'play-media': 60_000,
  'start-recording': Number.POSITIVE_INFINITY,
};
/** The rights to administer a room, in the library's names. */
const ADMIN_RIGHTS = ['participants', 'transcription'] as const;

/**
 * The connection to a room in which several people meet; its channel carries everything except sound and
 * pictures.
 */
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
  /** The id of the meeting. */
  session: unknown;
  /** The settings for receiving and sending that were set last, in the library's form. */
  received: View = {};
  sent: View = { video: 'default-video', screenVideo: 'default-screen-video' };
  /**
   * The requested sizes of the camera, and the limit in bits a second for all of them; undefined for no
   * limit.
   */
  #sizes: readonly SentSize[] = USUAL_SIZES;
  #most: number | undefined;
  #waits = false;
  /** The commands that are sent once the client is let in. */
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

  /** All other participants, as they are now. */
  others(): Participant[] {
    return [...this.#people.values()];
  }

  /** The sound of all other participants that is heard, by session. */
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
    if (sender === undefined || track === null || !isCustom(kind)) return;
    // The track before in this place may have had a limit of its own.
    const parameters = sender.getParameters();
    putBitrate(parameters.encodings, most ?? (trackKind(kind) === 'video' ? NAMED_BITRATE : undefined));
    await sender.setParameters(parameters);
  }

  /**
   * Sets how local pictures are sent from now on, by track. @throws NotSupportedError for a track that is not
   * sent
   */
  async sendSettings(settings: View): Promise<void> {
    const sized = Object.entries(settings).map(([track, given]) => [track, sentSizes(track, given)] as const);
    for (const [track, sent] of sized) {
      if (track === 'video') this.#sizes = sent;
      await this.#size(track as MediaKind, track === 'video' ? cappedSizes(sent, this.#most) : sent);
    }
  }

  /** Limits the camera to `most` bits a second, for all its sizes together; undefined for no limit. */
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

  /**
   * Sends a command to the room. @throws Error with the room's sentence when it is refused, or when no answer
   * comes
   */
  ask(command: RoomCommand): Promise<View> {
    if (this.#channel.readyState !== 'open') return Promise.reject(new Error('The call is not connected.'));
    const id = this.#next++;
    const answer = new Promise<View>((resolve, reject) => {
      const ms = LONG_ANSWER_MS[command.action] ?? ANSWER_MS;
      const late = (): void => {
        this.#answers.delete(id);
        reject(new Error('The room did not answer.'));
      };
      const timer = Number.isFinite(ms) ? setTimeout(late, ms) : undefined;
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

  /** Reports the local participant; while they wait outside, the report is sent when they are let in. */
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

  /** The people who wait to be let in. */
  waiting(): string[] {
    return [...this.#waiting.keys()];
  }

  /** Lets somebody in who waits, or refuses them. */
  async admit(id: string, granted: boolean): Promise<void> {
    await this.ask({ action: 'admit', of: id, granted });
  }

  /** Sets which size of whose picture is received; null removes a setting. */
  async receive(settings: View): Promise<void> {
    await this.ask({ action: 'receive-settings', settings });
  }

  /** Asks to be let in, and resolves when somebody has decided. */
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
    // A client that has not entered yet gets this error from `enter`.
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

  /** A participant in the library's form: their slots become tracks. */
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

/** The members that every participant has. */
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

/**
 * Translates a change to another participant into the room's form. @throws NotSupportedError for a change
 * that is not offered
 */
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

/** A track that is only staged is not received. */
function subscriptionOf(wanted: unknown): unknown {
  if (!isRecord(wanted)) return wanted === true || wanted === 'avatar';
  const known = MEDIA_KINDS.filter((kind) => wanted[kind] !== undefined);
  // The sound of a player is one more custom track.
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
    // Nothing is streamed here, so the right to stream does not exist.
    ...(canAdmin === undefined
      ? {}
      : {
          canAdmin: Array.isArray(admin)
            ? ADMIN_RIGHTS.filter((right) => admin.includes(right))
            : admin === true,
        }),
  };
}
