import { isRecord, member } from '../rules/rule.ts';
import type { CallTransport, Command, Notice, OpenTransport, Participant } from '../transport.ts';
import { ASSISTANT, personOf } from './call-people.ts';
import { LevelMeter } from './level-meter.ts';
import { Microphone, microphoneError } from './microphone.ts';
import { networkStats } from './network-stats.ts';
import { openChannel } from './open-channel.ts';
import { setOutput } from './page-audio.ts';
import { RoomClient, RoomError } from './room-client.ts';

/** Where a transport finds what it needs; all of it of the page's own server. */
export interface WebRtcOptions {
  /** Base of the platform's API, for `geo()`. */
  readonly baseUrl?: string;
  /** The module with the noise cancellation. */
  readonly noiseCancellationUrl?: string;
  readonly fetch?: typeof fetch;
}

type Answer = Readonly<Record<string, unknown>>;
type Handler = (command: Command) => Promise<Answer | undefined>;

const LEVELS_MS = 200;
/** A connection that is interrupted for longer is lost. */
const LOST_AFTER_MS = 6000;

/** A transport by WebRTC to the rooms of the voice platform (contract §2.1). */
export function webRtcTransport(options: WebRtcOptions = {}): OpenTransport {
  return (onNotice) => new WebRtcTransport(options, onNotice);
}

class WebRtcTransport implements CallTransport {
  readonly #options: WebRtcOptions;
  readonly #onNotice: (notice: Notice) => void;
  readonly #sessionId = crypto.randomUUID();
  readonly #microphone: Microphone;
  readonly #handlers: Readonly<Record<string, Handler>>;
  #room: RoomClient | undefined;
  #connection: RTCPeerConnection | undefined;
  #channel: RTCDataChannel | undefined;
  #remote: MediaStreamTrack | undefined;
  #meters: Record<'remote' | 'local', LevelMeter | undefined> = { remote: undefined, local: undefined };
  #subscribed = true;
  #joined = false;
  #userName = '';
  #userData: unknown;
  #lostTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #goingAway = (): void => this.#room?.leave();

  constructor(options: WebRtcOptions, onNotice: (notice: Notice) => void) {
    this.#options = options;
    this.#onNotice = onNotice;
    this.#microphone = new Microphone(
      options.noiseCancellationUrl ?? '/voice/noise-cancellation.js',
      async (track) => {
        await this.#connection?.getSenders()[0]?.replaceTrack(track);
        this.#updateLocal();
      },
    );
    this.#handlers = this.#makeHandlers();
  }

  async load(): Promise<void> {
    if (typeof RTCPeerConnection === 'undefined') throw new Error('This browser has no WebRTC.');
  }

  async request(command: Command): Promise<Answer> {
    const handler = Object.hasOwn(this.#handlers, command.action)
      ? this.#handlers[command.action]
      : undefined;
    return (await handler?.(command)) ?? {};
  }

  close(): void {
    this.#release();
    this.#joined = false;
  }

  #makeHandlers(): Readonly<Record<string, Handler>> {
    return {
      'join-meeting': async ({ properties }) => this.#join(isRecord(properties) ? properties : {}),
      'leave-meeting': async () => this.#leave(),
      'app-msg': async ({ data }) => this.#send(data),
      'local-audio': async ({ state }) => {
        this.#microphone.setOn(state === true);
        this.#updateLocal();
        return {};
      },
      'update-participant': async ({ properties }) => {
        this.#subscribed = member(member(properties, 'setSubscribedTracks'), 'audio') !== false;
        if (this.#joined) this.#notice({ action: 'participant-updated', participant: this.#assistant() });
        return {};
      },
      'set-user-data': async ({ userData }) => {
        this.#userData = userData;
        this.#updateLocal();
        return {};
      },
      'start-remote-participants-audio-level-observer': async ({ interval }) =>
        this.#observe('remote', interval),
      'stop-remote-participants-audio-level-observer': async () => this.#stopObserving('remote'),
      'start-local-audio-level-observer': async ({ interval }) => this.#observe('local', interval),
      'stop-local-audio-level-observer': async () => this.#stopObserving('local'),
      'update-input-settings': async ({ inputSettings }) => this.#process(inputSettings),
      'set-input-devices': async ({ audioDeviceId, audioSource }) =>
        this.#changeDevice(audioDeviceId ?? audioSource),
      'set-output-device': async ({ outputDeviceId }) => setOutput(outputDeviceId),
      'get-calc-stats': async () => {
        const report = await this.#connection?.getStats();
        return { ...networkStats(report === undefined ? [] : report.values()) };
      },
      geo: async () => {
        const request = this.#options.fetch ?? fetch;
        return (await (await request(`${this.#options.baseUrl ?? '/voice/v1'}/geo`)).json()) as Answer;
      },
    };
  }

  async #join(properties: Readonly<Record<string, unknown>>): Promise<Answer> {
    this.#release();
    this.#userName = typeof properties.userName === 'string' ? properties.userName : '';
    this.#userData = properties.userData;
    this.#subscribed = properties.subscribeToTracksAutomatically !== false;
    try {
      await this.#connect(properties);
    } catch (error) {
      this.#fail(error);
      return {};
    }
    this.#joined = true;
    this.#notice({ action: 'joined-meeting', participants: { local: this.#local() } });
    this.#notice({ action: 'participant-joined', participant: this.#assistant() });
    return {};
  }

  async #connect(properties: Readonly<Record<string, unknown>>): Promise<void> {
    const request = this.#options.fetch ?? ((...given: Parameters<typeof fetch>) => fetch(...given));
    const room = new RoomClient(properties.url, request);
    this.#room = room;
    const [{ iceServers }] = await Promise.all([room.look(), this.#openMicrophone(properties)]);
    const connection = new RTCPeerConnection({ iceServers });
    this.#connection = connection;
    const track = this.#microphone.track;
    connection.addTransceiver(track ?? 'audio', { direction: 'sendrecv' });
    connection.ontrack = (event) => {
      this.#remote = event.track;
    };
    connection.onconnectionstatechange = () => this.#connectionIs(connection);
    const channel = connection.createDataChannel('app');
    this.#channel = channel;
    channel.onmessage = ({ data }) =>
      this.#notice({ action: 'app-message', data, fromId: ASSISTANT.session });
    channel.onclose = () => this.#over();
    await connection.setLocalDescription();
    const sdp = await room.offer(connection.localDescription?.sdp ?? '');
    await connection.setRemoteDescription({ type: 'answer', sdp });
    await openChannel(channel, connection);
    globalThis.addEventListener?.('pagehide', this.#goingAway);
  }

  /** Without a microphone the call is joined all the same: one can type. */
  async #openMicrophone({ audioSource, startAudioOff }: Readonly<Record<string, unknown>>): Promise<void> {
    this.#microphone.setOn(startAudioOff !== true);
    try {
      await this.#microphone.open(audioSource ?? true);
    } catch (error) {
      const told = microphoneError(error);
      this.#notice({ action: 'camera-error', error: told });
      this.#room?.report('error', `no microphone: ${told.type}`, { ...told });
    }
  }

  #connectionIs({ connectionState }: RTCPeerConnection): void {
    clearTimeout(this.#lostTimer);
    if (connectionState === 'failed') this.#lost();
    if (connectionState === 'disconnected') this.#lostTimer = setTimeout(() => this.#lost(), LOST_AFTER_MS);
    if (connectionState === 'closed') this.#over();
  }
  #lost(): void {
    if (this.#joined)
      this.#fail(new RoomError('connection-error', 'The connection was lost.', { on: 'rtc-connection' }));
  }

  #fail(error: unknown): void {
    const { type, message, details } =
      error instanceof RoomError ? error : new RoomError('connection-error', String(error), { on: 'join' });
    this.#room?.report('error', message, { type });
    this.#release();
    this.#joined = false;
    this.#notice({ action: 'error', errorMsg: message, error: { type, msg: message, details } });
  }

  /** The other side has ended the call. */
  #over(): void {
    if (!this.#joined) return;
    this.#joined = false;
    this.#release();
    this.#notice({ action: 'participant-left', participant: this.#assistant() });
    this.#notice({ action: 'left-meeting' });
  }

  async #leave(): Promise<Answer> {
    const joined = this.#joined;
    this.#joined = false;
    this.#room?.leave();
    this.#release();
    if (joined) this.#notice({ action: 'left-meeting' });
    return {};
  }

  #release(): void {
    globalThis.removeEventListener?.('pagehide', this.#goingAway);
    clearTimeout(this.#lostTimer);
    this.#stopObserving('remote');
    this.#stopObserving('local');
    this.#microphone.close();
    if (this.#channel !== undefined) this.#channel.onclose = null;
    this.#channel = undefined;
    if (this.#connection !== undefined) this.#connection.onconnectionstatechange = null;
    this.#connection?.close();
    this.#connection = undefined;
    this.#remote = undefined;
  }

  #send(data: unknown): Answer {
    if (this.#channel?.readyState !== 'open') throw new Error('The call is not connected.');
    this.#channel.send(typeof data === 'string' ? data : JSON.stringify(data));
    return {};
  }

  #observe(side: 'remote' | 'local', interval: unknown): Answer {
    this.#stopObserving(side);
    const track = side === 'remote' ? this.#remote : this.#microphone.track;
    if (track === undefined) return {};
    const heard = (level: number): void =>
      this.#notice(
        side === 'remote'
          ? {
              action: 'remote-participants-audio-level',
              participantsAudioLevel: { [ASSISTANT.session]: level },
            }
          : { action: 'local-audio-level', audioLevel: level },
      );
    this.#meters[side] = new LevelMeter(track, typeof interval === 'number' ? interval : LEVELS_MS, heard);
    return {};
  }
  #stopObserving(side: 'remote' | 'local'): Answer {
    this.#meters[side]?.close();
    this.#meters[side] = undefined;
    return {};
  }

  async #process(inputSettings: unknown): Promise<Answer> {
    const wanted = member(member(member(inputSettings, 'audio'), 'processor'), 'type');
    try {
      await this.#microphone.process(wanted === 'noise-cancellation' ? 'noise-cancellation' : 'none');
      this.#notice({ action: 'input-settings-updated', inputSettings });
    } catch (error) {
      this.#notice({ action: 'nonfatal-error', type: 'audio-processor-error', errorMsg: String(error) });
    }
    return { inputSettings };
  }

  async #changeDevice(device: unknown): Promise<Answer> {
    try {
      await this.#microphone.change(device ?? true);
    } catch (error) {
      this.#notice({ action: 'camera-error', error: microphoneError(error) });
    }
    this.#updateLocal();
    return {};
  }

  #updateLocal(): void {
    if (this.#joined) this.#notice({ action: 'participant-updated', participant: this.#local() });
  }
  #local(): Participant {
    const track = this.#microphone.track;
    const on = this.#microphone.on && track !== undefined;
    const audio = on ? { state: 'playable' as const, persistentTrack: track } : { state: 'off' as const };
    return {
      ...personOf(this.#sessionId, this.#userName, true, on),
      userData: this.#userData,
      tracks: { audio },
    };
  }
  #assistant(): Participant {
    const track = this.#subscribed ? this.#remote : undefined;
    const audio =
      track === undefined
        ? { state: 'sendable' as const, subscribed: false }
        : { state: 'playable' as const, subscribed: true, persistentTrack: track };
    return { ...personOf(ASSISTANT.session, ASSISTANT.name, false, true), tracks: { audio } };
  }

  /** Every notice in a task of its own, and in order. */
  #notice(notice: Notice): void {
    setTimeout(() => this.#onNotice(notice));
  }
}
