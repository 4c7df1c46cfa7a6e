import { FATAL_ERROR_TYPES } from '../call-events.ts';
import { NotSupportedError } from '../not-supported.ts';
import { isRecord, member } from '../rules/rule.ts';
import type { CallTransport, Command, Notice, OpenTransport, Participant } from '../transport.ts';
import { LevelMeter } from './level-meter.ts';
import { Microphone, microphoneError } from './microphone.ts';
import { networkStats } from './network-stats.ts';
import { openChannel } from './open-channel.ts';
import { RoomClient, RoomError, type RoomPerson } from './room-client.ts';

/** Where a transport finds what it needs; all of it of the page's own server. */
export interface WebRtcOptions {
  /** Base of the platform's API, for `geo()`. */
  readonly baseUrl?: string;
  /** The module with the noise cancellation. */
  readonly noiseCancellationUrl?: string;
  readonly fetch?: typeof fetch;
}

/** The wire's name of the participant that the assistant speaks as (docs/contracts/voice.md §1). */
const ASSISTANT = { session: 'assistant', name: 'Vapi Speaker' } as const;

type Answer = Readonly<Record<string, unknown>>;
type Handler = (command: Command) => Promise<Answer | undefined>;

const LEVELS_MS = 200;
/** A connection that is interrupted for longer is lost. */
const LOST_AFTER_MS = 6000;

/** A transport by WebRTC to the rooms of the voice platform (docs/contracts/voice.md §2.1). */
export function webRtcTransport(options: WebRtcOptions = {}): OpenTransport {
  return (onNotice) => new WebRtcTransport(options, onNotice);
}

class WebRtcTransport implements CallTransport {
  readonly #options: WebRtcOptions;
  readonly #onNotice: (notice: Notice) => void;
  readonly #microphone: Microphone;
  readonly #handlers: Readonly<Record<string, Handler>>;
  #room: RoomClient | undefined;
  #connection: RTCPeerConnection | undefined;
  #channel: RTCDataChannel | undefined;
  #remote: MediaStreamTrack | undefined;
  #meters: Record<'remote' | 'local', LevelMeter | undefined> = { remote: undefined, local: undefined };
  #subscribed = true;
  #joined = false;
  /** Who one is in the room; a token may say otherwise than the page. */
  #self: RoomPerson | undefined;
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
    this.#handlers = { ...this.#callHandlers(), ...this.#mediaHandlers() };
  }

  async load(): Promise<void> {
    if (typeof RTCPeerConnection === 'undefined') throw new Error('This browser has no WebRTC.');
  }

  /** @throws NotSupportedError for an action, or a part of one, that is not built */
  async request(command: Command): Promise<Answer> {
    const handler = Object.hasOwn(this.#handlers, command.action)
      ? this.#handlers[command.action]
      : undefined;
    if (handler === undefined) throw new NotSupportedError(command.action);
    return (await handler(command)) ?? {};
  }

  close(): void {
    this.#release();
    this.#joined = false;
  }

  #callHandlers(): Readonly<Record<string, Handler>> {
    return {
      'join-meeting': async ({ properties }) => this.#join(isRecord(properties) ? properties : {}),
      'leave-meeting': async () => this.#leave(),
      'app-msg': async ({ data }) => this.#send(data),
      'update-participant': async ({ id, properties }) => {
        this.#updateParticipant(id, properties);
        return {};
      },
      'update-participants': async ({ participants }) => {
        for (const [id, properties] of Object.entries(isRecord(participants) ? participants : {}))
          this.#updateParticipant(id, properties);
        return {};
      },
      'set-user-name': async ({ name }) => {
        this.#userName = typeof name === 'string' ? name : '';
        this.#updateLocal();
        return { userName: this.#userName };
      },
      'set-user-data': async ({ userData }) => {
        this.#userData = userData;
        this.#updateLocal();
        return { userData };
      },
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

  #mediaHandlers(): Readonly<Record<string, Handler>> {
    return {
      'local-audio': async ({ state }) => this.#setAudio(state === true),
      // To allow the microphone does not switch it on.
      'set-allow-local-audio': async ({ state }) => (state === false ? this.#setAudio(false) : {}),
      'local-video': async ({ state }) => withoutCamera('local-video', state === true),
      'set-allow-local-video': async ({ state }) => withoutCamera('set-allow-local-video', state === true),
      'start-remote-participants-audio-level-observer': async ({ interval }) =>
        this.#observe('remote', interval),
      'stop-remote-participants-audio-level-observer': async () => this.#stopObserving('remote'),
      'start-local-audio-level-observer': async ({ interval }) => this.#observe('local', interval),
      'stop-local-audio-level-observer': async () => this.#stopObserving('local'),
      'update-input-settings': async ({ inputSettings }) => this.#process(inputSettings),
      'get-input-devices': async () => this.#inputDevices(),
      'set-input-devices': async ({ audioDeviceId, audioSource, videoDeviceId }) => {
        withoutCamera('set-input-devices', Boolean(videoDeviceId));
        await this.#changeDevice(audioDeviceId ?? audioSource);
        return this.#inputDevices();
      },
      'set-output-device': async ({ outputDeviceId }) => setOutput(outputDeviceId),
    };
  }

  #setAudio(on: boolean): Answer {
    this.#microphone.setOn(on);
    this.#updateLocal();
    return {};
  }

  #inputDevices(): Answer {
    const track = this.#microphone.track;
    const mic =
      track === undefined
        ? {}
        : { kind: 'audioinput', deviceId: track.getSettings().deviceId ?? '', label: track.label };
    return { camera: {}, mic, speaker: {} };
  }

  /** The assistant can be subscribed to, and the own microphone switched; nobody has other rights here. */
  #updateParticipant(id: unknown, properties: unknown): void {
    const { setSubscribedTracks, setAudio, setVideo, ...others } = isRecord(properties) ? properties : {};
    const unbuilt = Object.keys(others).find((name) => others[name] !== undefined);
    if (unbuilt !== undefined) throw new NotSupportedError(`update-participant ${unbuilt}`);
    withoutCamera('update-participant setVideo', setVideo === true);
    if (setAudio !== undefined && id !== 'local') throw new NotSupportedError('update-participant setAudio');
    if (typeof setAudio === 'boolean') this.#setAudio(setAudio);
    if (setSubscribedTracks === undefined) return;
    this.#subscribed = setSubscribedTracks !== false && member(setSubscribedTracks, 'audio') !== false;
    if (this.#joined) this.#notice({ action: 'participant-updated', participant: this.#assistant() });
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
    const [{ iceServers }] = await Promise.all([room.describe(), this.#openMicrophone(properties)]);
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
    connection.createDataChannel('room').onmessage = ({ data }) => this.#onRoomMessage(data);
    await connection.setLocalDescription();
    const { sdp, person } = await room.enter({
      sdp: connection.localDescription?.sdp ?? '',
      token: properties.token,
      userName: this.#userName,
      library: properties.dailyJsVersion,
    });
    this.#self = person;
    this.#userName = person.user_name;
    await connection.setRemoteDescription({ type: 'answer', sdp });
    await openChannel(channel, connection);
    globalThis.addEventListener?.('pagehide', this.#goingAway);
  }

  /** The room says why one has to leave. */
  #onRoomMessage(data: unknown): void {
    const error = member(typeof data === 'string' ? parsed(data) : undefined, 'error');
    const type = FATAL_ERROR_TYPES.find((one) => one === member(error, 'type'));
    if (type !== undefined && this.#joined) this.#fail(new RoomError(type, String(member(error, 'msg'))));
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
    const onLevel = (level: number): void =>
      this.#notice(
        side === 'remote'
          ? {
              action: 'remote-participants-audio-level',
              participantsAudioLevel: { [ASSISTANT.session]: level },
            }
          : { action: 'local-audio-level', audioLevel: level },
      );
    this.#meters[side] = new LevelMeter(track, typeof interval === 'number' ? interval : LEVELS_MS, onLevel);
    return {};
  }

  #stopObserving(side: 'remote' | 'local'): Answer {
    this.#meters[side]?.close();
    this.#meters[side] = undefined;
    return {};
  }

  async #process(inputSettings: unknown): Promise<Answer> {
    const video = member(member(member(inputSettings, 'video'), 'processor'), 'type');
    withoutCamera('update-input-settings video', video !== undefined && video !== 'none');
    const wanted = member(member(member(inputSettings, 'audio'), 'processor'), 'type');
    try {
      await this.#microphone.process(wanted === 'noise-cancellation' ? 'noise-cancellation' : 'none');
      this.#notice({ action: 'input-settings-updated', inputSettings });
    } catch (error) {
      this.#notice({ action: 'nonfatal-error', type: 'audio-processor-error', errorMsg: String(error) });
    }
    return { inputSettings };
  }

  async #changeDevice(device: unknown): Promise<void> {
    try {
      await this.#microphone.change(device ?? true);
    } catch (error) {
      this.#notice({ action: 'camera-error', error: microphoneError(error) });
    }
    this.#updateLocal();
  }

  #updateLocal(): void {
    if (this.#joined) this.#notice({ action: 'participant-updated', participant: this.#local() });
  }

  #local(): Participant {
    const track = this.#microphone.track;
    const on = this.#microphone.on && track !== undefined;
    const audio = on ? { state: 'playable' as const, persistentTrack: track } : { state: 'off' as const };
    return {
      ...personOf(this.#self?.session_id ?? '', this.#userName, true, on),
      user_id: this.#self?.user_id ?? '',
      owner: this.#self?.owner ?? false,
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

/** Calls have no camera: that it stays off is done, that it goes on is not. @throws NotSupportedError */
function withoutCamera(action: string, wanted: boolean): Answer {
  if (wanted) throw new NotSupportedError(action);
  return {};
}

/** Somebody in the call, without tracks yet. */
const personOf = (session_id: string, user_name: string, local: boolean, audio: boolean) => ({
  session_id,
  user_id: session_id,
  user_name,
  local,
  owner: false,
  audio,
  video: false,
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every player of the page that belongs to a participant is sent to the device. */
async function setOutput(deviceId: unknown): Promise<Readonly<Record<string, unknown>>> {
  if (typeof deviceId !== 'string') throw new Error('outputDeviceId must be a string');
  const players = document.querySelectorAll<HTMLAudioElement>('audio[data-participant-id]');
  await Promise.all([...players].map((player) => player.setSinkId(deviceId)));
  return {};
}
