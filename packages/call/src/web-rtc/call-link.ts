import { FATAL_ERROR_TYPES, RECORDING_EVENTS } from '../call-events.ts';
import { NotSupportedError } from '../not-supported.ts';
import { isRecord, member } from '../rules/rule.ts';
import type { Command, Participant } from '../transport.ts';
import type { Entered, Link, LinkListener, View } from './link.ts';
import type { SentKind } from './own-media.ts';
import { jsonOf } from './parsed-json.ts';
import { type RoomClient, type RoomDescription, type RoomEntry, RoomError } from './room-client.ts';
import { connectTo } from './room-connection.ts';

/** The wire's name of the participant that the assistant speaks as (docs/contracts/voice.md §1). */
const ASSISTANT = { session: 'assistant', name: 'Vapi Speaker' } as const;

/**
 * The connection to one assistant: sound in both directions, app messages, and the camera where the call is
 * recorded with it.
 */
export class CallLink implements Link {
  readonly connection: RTCPeerConnection;
  readonly #listener: LinkListener;
  readonly #channel: RTCDataChannel;
  readonly #room: RTCDataChannel;
  readonly #sender: RTCRtpSender;
  /** The sender of the camera; undefined where the call does not accept one: assistants cannot see. */
  readonly #eye: RTCRtpSender | undefined;
  #remote: MediaStreamTrack | undefined;
  #subscribed: boolean;

  constructor(
    { layout: _none, geo: _own, camera, ...way }: RoomDescription,
    listener: LinkListener,
    subscribed: boolean,
  ) {
    this.#listener = listener;
    this.#subscribed = subscribed;
    this.connection = new RTCPeerConnection(way);
    this.#sender = this.connection.addTransceiver('audio', { direction: 'sendrecv' }).sender;
    if (camera) this.#eye = this.connection.addTransceiver('video', { direction: 'sendonly' }).sender;
    this.connection.ontrack = ({ track }) => {
      this.#remote = track;
    };
    this.#channel = this.connection.createDataChannel('app');
    this.#channel.onmessage = ({ data }) =>
      listener.notice({ action: 'app-message', data, fromId: ASSISTANT.session });
    this.#channel.onclose = () => listener.closed();
    this.#room = this.connection.createDataChannel('room');
    this.#room.onmessage = ({ data }) => this.#onRoomMessage(data);
  }

  get takesCamera(): boolean {
    return this.#eye !== undefined;
  }

  /** Sends a command about the call itself; a notice reports the result. @throws NotSupportedError, Error */
  ask(command: Command): void {
    if (!this.takesCamera) throw new NotSupportedError(command.action);
    const send = (): void => this.#room.send(JSON.stringify(command));
    // This channel opens beside the other one, a moment sooner or later.
    if (this.#room.readyState === 'connecting') this.#room.addEventListener('open', send, { once: true });
    else send();
  }

  async enter(room: RoomClient, entry: Omit<RoomEntry, 'sdp'>): Promise<Entered> {
    return { person: await connectTo(room, entry, this.connection, this.#channel), view: {} };
  }

  others(): Participant[] {
    const track = this.#subscribed ? this.#remote : undefined;
    const audio =
      track === undefined
        ? { state: 'sendable' as const, subscribed: false }
        : { state: 'playable' as const, subscribed: true, persistentTrack: track };
    const { session: session_id, name: user_name } = ASSISTANT;
    const rights = { local: false, owner: false, audio: true, video: false };
    return [{ session_id, user_id: session_id, user_name, ...rights, tracks: { audio } }];
  }

  sounds(): ReadonlyMap<string, MediaStreamTrack> {
    return new Map(this.#remote === undefined ? [] : [[ASSISTANT.session, this.#remote]]);
  }

  async put(kind: SentKind, track: MediaStreamTrack | null): Promise<void> {
    const sender = kind === 'audio' ? this.#sender : kind === 'video' ? this.#eye : undefined;
    if (sender !== undefined) await sender.replaceTrack(track);
    // Assistants cannot see.
    else if (track !== null)
      throw new NotSupportedError(kind === 'video' ? 'local-video' : 'local-screen-start');
  }

  async sendMessage(data: unknown): Promise<void> {
    if (this.#channel.readyState !== 'open') throw new Error('The call is not connected.');
    this.#channel.send(typeof data === 'string' ? data : JSON.stringify(data));
  }

  /** Assistants do not ask for names. */
  async report(): Promise<void> {}

  /**
   * The assistant can be subscribed to; other participants' rights do not exist in a call with one assistant.
   */
  async update(_id: string, { setSubscribedTracks, ...others }: View): Promise<void> {
    const unbuilt = Object.keys(others).find((name) => others[name] !== undefined);
    if (unbuilt !== undefined) throw new NotSupportedError(`update-participant ${unbuilt}`);
    if (setSubscribedTracks === undefined) return;
    await this.subscribeAutomatically(
      setSubscribedTracks !== false && member(setSubscribedTracks, 'audio') !== false,
    );
  }

  async subscribeAutomatically(on: boolean): Promise<void> {
    this.#subscribed = on;
    const [participant] = this.others();
    this.#listener.notice({ action: 'participant-updated', participant });
  }

  close(): void {
    this.#channel.onclose = null;
    this.connection.onconnectionstatechange = null;
    this.connection.close();
  }

  /** The room tells why this client has to leave, or the state of the recording. */
  #onRoomMessage(data: unknown): void {
    const told = jsonOf(data);
    const action = RECORDING_EVENTS.find((one) => one === member(told, 'action'));
    if (action !== undefined && isRecord(told)) this.#listener.notice({ ...told, action });
    const error = member(told, 'error');
    const type = FATAL_ERROR_TYPES.find((one) => one === member(error, 'type'));
    if (type !== undefined) this.#listener.closed(new RoomError(type, String(member(error, 'msg'))));
  }
}
