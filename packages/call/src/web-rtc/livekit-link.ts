import { NotSupportedError } from '../not-supported.ts';
import { AssistantLink } from './assistant-link.ts';
import type { Entered, LinkConnection, LinkListener } from './link.ts';
import type { LiveKitCall, LiveKitListener } from './livekit-room.ts';
import type { SentKind } from './own-media.ts';
import { type RoomClient, type RoomEntry, RoomError } from './room-client.ts';

/** The topics of a call's texts; the server's end has the same. */
const APP = 'app';
const ROOM = 'room';
/** Tells the assistant's end that the page hears its track: it speaks from then on. */
const READY = '{"action":"ready"}';
/** The last text of the assistant's end. */
const GOODBYE = '{"action":"goodbye"}';
const HEARD_LIMIT_MS = 15_000;

/** The connection to one assistant through a LiveKit server: sound in both directions, and app messages. */
export class LiveKitLink extends AssistantLink {
  override readonly connection: LinkConnection;
  readonly #config: RTCConfiguration;
  #state: RTCPeerConnectionState = 'new';
  #call: LiveKitCall | undefined;
  #track: MediaStreamTrack | null = null;
  #closed = false;

  constructor(config: RTCConfiguration, listener: LinkListener, subscribed: boolean) {
    super(listener, subscribed);
    this.#config = config;
    const stateOf = (): RTCPeerConnectionState => this.#state;
    const getStats = async (): Promise<RTCStatsReport> => (await this.#call?.stats()) ?? new Map();
    this.connection = {
      get connectionState() {
        return stateOf();
      },
      onconnectionstatechange: null,
      getStats,
    };
  }

  override async enter(room: RoomClient, entry: Omit<RoomEntry, 'sdp'>): Promise<Entered> {
    const { answer, person } = await room.enter({ ...entry, sdp: '' });
    const script = new URL('/voice/livekit.js', room.baseUrl).href;
    let late: ReturnType<typeof setTimeout> | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        late = setTimeout(() => reject(new Error('The assistant was not heard.')), HEARD_LIMIT_MS);
        this.#connect(script, answer, resolve).catch(reject);
      });
      await this.#call?.put(this.#track);
      await this.#call?.send(ROOM, READY);
    } catch (error) {
      throw new RoomError('connection-error', `No connection to the call came about: ${String(error)}`, {
        on: 'rtc-connection',
      });
    } finally {
      clearTimeout(late);
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

  /** @param heard called once the assistant's voice is there */
  async #connect(script: string, address: string, heard: () => void): Promise<void> {
    const { joinLiveKit } = (await import(/* @vite-ignore */ script)) as typeof import('./livekit-room.ts');
    const listener: LiveKitListener = {
      heard: (track) => {
        this.remote = track;
        heard();
      },
      text: (topic, text) => {
        if (topic === APP) this.onAppMessage(text);
        else if (text === GOODBYE) this.listener.closed();
        else this.onRoomMessage(text);
      },
      state: (state) => this.#stateIs(state),
    };
    this.#call = await joinLiveKit(address, listener, this.#config);
    if (this.#closed) this.#call.close();
  }

  #stateIs(state: RTCPeerConnectionState): void {
    if (this.#closed) return;
    this.#state = state;
    this.connection.onconnectionstatechange?.();
  }
}
