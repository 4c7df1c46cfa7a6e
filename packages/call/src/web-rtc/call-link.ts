import { FATAL_ERROR_TYPES } from '../call-events.ts';
import { NotSupportedError } from '../not-supported.ts';
import { member } from '../rules/rule.ts';
import type { Participant } from '../transport.ts';
import type { Entered, Link, LinkListener, View } from './link.ts';
import type { MediaKind } from './own-media.ts';
import { jsonOf } from './parsed-json.ts';
import { type RoomClient, type RoomDescription, type RoomEntry, RoomError } from './room-client.ts';
import { connectTo } from './room-connection.ts';

/** The wire's name of the participant that the assistant speaks as (docs/contracts/voice.md §1). */
const ASSISTANT = { session: 'assistant', name: 'Vapi Speaker' } as const;

/** The connection to one assistant: sound both ways, and its app messages. */
export class CallLink implements Link {
  readonly connection: RTCPeerConnection;
  readonly #listener: LinkListener;
  readonly #channel: RTCDataChannel;
  readonly #sender: RTCRtpSender;
  #remote: MediaStreamTrack | undefined;
  #subscribed: boolean;

  constructor({ iceServers }: RoomDescription, listener: LinkListener, subscribed: boolean) {
    this.#listener = listener;
    this.#subscribed = subscribed;
    this.connection = new RTCPeerConnection({ iceServers });
    this.#sender = this.connection.addTransceiver('audio', { direction: 'sendrecv' }).sender;
    this.connection.ontrack = ({ track }) => {
      this.#remote = track;
    };
    this.#channel = this.connection.createDataChannel('app');
    this.#channel.onmessage = ({ data }) =>
      listener.notice({ action: 'app-message', data, fromId: ASSISTANT.session });
    this.#channel.onclose = () => listener.closed();
    this.connection.createDataChannel('room').onmessage = ({ data }) => this.#onRoomMessage(data);
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

  async put(kind: MediaKind, track: MediaStreamTrack | null): Promise<void> {
    if (kind === 'audio') await this.#sender.replaceTrack(track);
    // An assistant does not see.
    else if (track !== null)
      throw new NotSupportedError(kind === 'video' ? 'local-video' : 'local-screen-start');
  }

  async sendMessage(data: unknown): Promise<void> {
    if (this.#channel.readyState !== 'open') throw new Error('The call is not connected.');
    this.#channel.send(typeof data === 'string' ? data : JSON.stringify(data));
  }

  /** The assistant asks for nobody's name. */
  async report(): Promise<void> {}

  /** The assistant can be subscribed to; nobody has other rights here. */
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

  /** The room says why one has to leave. */
  #onRoomMessage(data: unknown): void {
    const error = member(jsonOf(data), 'error');
    const type = FATAL_ERROR_TYPES.find((one) => one === member(error, 'type'));
    if (type !== undefined) this.#listener.closed(new RoomError(type, String(member(error, 'msg'))));
  }
}
