import { NotSupportedError } from '../not-supported.ts';
import type { Command } from '../transport.ts';
import { AssistantLink } from './assistant-link.ts';
import type { Entered, LinkListener } from './link.ts';
import type { RoomClient, RoomDescription, RoomEntry } from './room-client.ts';
import { connectTo } from './room-connection.ts';
import type { SentKind } from './track-kinds.ts';

/**
 * The connection to one assistant: sound in both directions, app messages, and the camera where the call is
 * recorded with it.
 */
export class CallLink extends AssistantLink {
  override readonly connection: RTCPeerConnection;
  readonly #channel: RTCDataChannel;
  readonly #room: RTCDataChannel;
  readonly #sender: RTCRtpSender;
  /** The sender of the camera; undefined where the call does not accept one: assistants cannot see. */
  readonly #eye: RTCRtpSender | undefined;

  constructor(
    { layout: _none, geo: _own, livekit: _other, camera, ...way }: RoomDescription,
    listener: LinkListener,
    subscribed: boolean,
  ) {
    super(listener, subscribed);
    this.connection = new RTCPeerConnection(way);
    this.#sender = this.connection.addTransceiver('audio', { direction: 'sendrecv' }).sender;
    if (camera) this.#eye = this.connection.addTransceiver('video', { direction: 'sendonly' }).sender;
    this.connection.ontrack = ({ track }) => {
      this.remote = track;
    };
    this.#channel = this.connection.createDataChannel('app');
    this.#channel.onmessage = ({ data }) => this.onAppMessage(data);
    this.#channel.onclose = () => listener.closed();
    this.#room = this.connection.createDataChannel('room');
    this.#room.onmessage = ({ data }) => this.onRoomMessage(data);
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

  override async enter(room: RoomClient, entry: Omit<RoomEntry, 'sdp'>): Promise<Entered> {
    return { person: await connectTo(room, entry, this.connection, this.#channel), view: {} };
  }

  override async put(kind: SentKind, track: MediaStreamTrack | null): Promise<void> {
    const sender = kind === 'audio' ? this.#sender : kind === 'video' ? this.#eye : undefined;
    if (sender !== undefined) await sender.replaceTrack(track);
    // Assistants cannot see.
    else if (track !== null)
      throw new NotSupportedError(kind === 'video' ? 'local-video' : 'local-screen-start');
  }

  override async sendMessage(data: unknown): Promise<void> {
    if (this.#channel.readyState !== 'open') throw new Error('The call is not connected.');
    this.#channel.send(typeof data === 'string' ? data : JSON.stringify(data));
  }

  override close(): void {
    this.#channel.onclose = null;
    this.connection.onconnectionstatechange = null;
    this.connection.close();
  }
}
