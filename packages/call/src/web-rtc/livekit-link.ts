import { NotSupportedError } from '../not-supported.ts';
import { AssistantLink } from './assistant-link.ts';
import type { Entered, LinkListener } from './link.ts';
import type { LiveKitCall } from './livekit-room.ts';
import { type RoomClient, type RoomEntry, RoomError } from './room-client.ts';
import type { SentKind } from './track-kinds.ts';

/** The topics of a call's texts; the server's end has the same. */
const APP = 'app';
const ROOM = 'room';
/** Tells the assistant's end that the page hears its track: it speaks from then on. */
const READY = '{"action":"ready"}';
/** The last text of the assistant's end. */
const GOODBYE = '{"action":"goodbye"}';

/** The connection to one assistant through a LiveKit server: sound in both directions, and app messages. */
export class LiveKitLink extends AssistantLink {
  override readonly connection = {
    connectionState: 'new' as RTCPeerConnectionState,
    onconnectionstatechange: null as (() => void) | null,
    getStats: async (): Promise<RTCStatsReport> => (await this.#call?.stats()) ?? new Map(),
  };
  readonly #config: RTCConfiguration;
  #call: LiveKitCall | undefined;
  #track: MediaStreamTrack | null = null;
  #closed = false;

  constructor(config: RTCConfiguration, listener: LinkListener, subscribed: boolean) {
    super(listener, subscribed);
    this.#config = config;
  }

  override async enter(room: RoomClient, entry: Omit<RoomEntry, 'sdp'>): Promise<Entered> {
    const { answer, person } = await room.enter({ ...entry, sdp: '' });
    try {
      await this.#connect(new URL('/voice/livekit.js', room.baseUrl).href, answer);
    } catch (error) {
      throw new RoomError('connection-error', `No connection to the call came about: ${String(error)}`, {
        on: 'rtc-connection',
      });
    }
    return { person, view: {} };
  }

  override async put(kind: SentKind, track: MediaStreamTrack | null): Promise<void> {
    if (kind === 'audio') {
      this.#track = track;
      await this.#call?.put(track);
    } else if (track !== null)
      throw new NotSupportedError(kind === 'video' ? 'local-video' : 'local-screen-start');
  }

  override async sendMessage(data: unknown): Promise<void> {
    if (this.#call === undefined) throw new Error('The call is not connected.');
    await this.#call.send(APP, typeof data === 'string' ? data : JSON.stringify(data));
  }

  override close(): void {
    this.#closed = true;
    this.#call?.close();
  }

  async #connect(script: string, address: string): Promise<void> {
    const { joinLiveKit } = (await import(/* @vite-ignore */ script)) as typeof import('./livekit-room.ts');
    const listener = {
      text: (topic: string, text: string): void => {
        if (topic === APP) this.onAppMessage(text);
        else if (text === GOODBYE) this.listener.closed();
        else this.onRoomMessage(text);
      },
      state: (state: RTCPeerConnectionState): void => {
        this.connection.connectionState = state;
        if (!this.#closed) this.connection.onconnectionstatechange?.();
      },
    };
    const call = await joinLiveKit(address, listener, this.#config);
    if (this.#closed) return call.close();
    this.#call = call;
    this.remote = call.voice;
    await call.put(this.#track);
    await call.send(ROOM, READY);
  }
}
