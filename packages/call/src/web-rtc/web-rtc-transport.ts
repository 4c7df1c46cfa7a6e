import { type TestPlace, testHandlers } from '../connection/connection-test.ts';
import { CpuLoadReader } from '../connection/cpu-load.ts';
import { requireIceConfig, withIceConfig } from '../connection/ice-config.ts';
import { networkStats } from '../connection/network-stats.ts';
import { NotSupportedError } from '../not-supported.ts';
import { isRecord, member } from '../rules/rule.ts';
import type {
  CallTransport,
  Command,
  Notice,
  OpenTransport,
  Participant,
  ParticipantTrack,
} from '../transport.ts';
import { CallLink } from './call-link.ts';
import { CustomTracks } from './custom-tracks.ts';
import { LevelMeter } from './level-meter.ts';
import type { Answer, Handler, Link, LinkConnection, LinkListener, SelfReport, View } from './link.ts';
import { LiveKitLink } from './livekit-link.ts';
import { OwnDevices } from './own-devices.ts';
import { RemoteLevels } from './remote-levels.ts';
import { RoomClient, type RoomDescription, RoomError, type RoomPerson } from './room-client.ts';
import { askToRecord, roomHandlers } from './room-handlers.ts';
import { personOf, RoomLink } from './room-link.ts';
import { MEDIA_KINDS, type SentKind } from './track-kinds.ts';

/** The addresses that a transport uses, all on the page's own server. */
export interface WebRtcOptions {
  /** Base address of the platform's API, for `geo()`. */
  readonly baseUrl?: string;
  /** The module for noise cancellation. */
  readonly noiseCancellationUrl?: string;
  /** The worker that changes the background of the camera's picture; its model lies beside it. */
  readonly backgroundUrl?: string;
  readonly fetch?: typeof fetch;
}

const LEVELS_MS = 200;
/** A connection that is interrupted for longer than this counts as lost. */
const LOST_AFTER_MS = 6000;

/** A transport by WebRTC to the calls and rooms of the voice platform (docs/contracts/voice.md §2.1). */
export function webRtcTransport(options: WebRtcOptions = {}): OpenTransport {
  return (onNotice) => new WebRtcTransport(options, onNotice);
}

class WebRtcTransport implements CallTransport {
  readonly #options: WebRtcOptions;
  readonly #onNotice: (notice: Notice) => void;
  readonly #devices: OwnDevices;
  readonly #custom = new CustomTracks(
    async (...given) => await this.#link?.put(...given),
    async () => {
      await this.#link?.report(this.#sent());
      this.#showLocal();
    },
  );
  readonly #handlers: Readonly<Record<string, Handler>>;
  readonly #load = new CpuLoadReader();
  /** The page's settings for how connections are made. */
  #iceConfig: unknown;
  /** The servers that the last room named, and the base address of its API. */
  #iceServers: RTCIceServer[] = [];
  #roomsBase: string | undefined;
  #room: RoomClient | undefined;
  #link: Link | undefined;
  #remoteLevels: RemoteLevels | undefined;
  #localLevel: LevelMeter | undefined;
  #joined = false;
  /** Notices that came before the library knew that it had joined. */
  #early: Notice[] = [];
  /** Whether the devices were opened before joining. */
  #started = false;
  /** The local participant's id before entering a room. */
  readonly #provisionalId = crypto.randomUUID();
  /** The local participant in the room; a token may give them another name than the page did. */
  #self: RoomPerson | undefined;
  /** The rights of the local participant, as the room last sent them. */
  #rights: unknown;
  #userName = '';
  #userData: unknown;
  /** Counts how often a call ended: a client that leaves while joining must not be in it afterwards. */
  #ends = 0;
  #lostTimer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the person refused the microphone and has not typed either. */
  #refusedToTalk = false;
  readonly #goingAway = (): void => this.#room?.leave(this.#isMute() ? 'no-microphone' : 'left');

  constructor(options: WebRtcOptions, onNotice: (notice: Notice) => void) {
    this.#options = options;
    this.#onNotice = onNotice;
    this.#devices = new OwnDevices(
      {
        noiseCancellation: options.noiseCancellationUrl ?? '/voice/noise-cancellation.js',
        background: options.backgroundUrl ?? '/voice/background.js',
      },
      async (...given) => await this.#link?.put(...given),
      { changed: () => this.#updateLocal(), notice: (notice) => this.#notice(notice) },
    );
    this.#handlers = {
      ...this.#callHandlers(),
      ...this.#mediaHandlers(),
      ...this.#trackHandlers(),
      ...this.#connectionHandlers(),
      ...testHandlers(() => this.#testPlace()),
      ...this.#observers(),
      ...roomHandlers(
        (action) => this.#inRoom(action),
        (notice) => this.#notice(notice),
      ),
    };
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
      'join-meeting': async ({ properties, preloadCache }) => {
        const given = isRecord(properties) ? properties : {};
        // The published library keeps settings from before joining in a separate place.
        const set = member(preloadCache, 'inputSettings');
        return this.#join({
          ...given,
          inputSettings: { ...recordOf(given.inputSettings), ...recordOf(set) },
        });
      },
      'leave-meeting': async () => this.#leave(),
      'app-msg': async ({ data, to }) => {
        await this.#connected().sendMessage(data, typeof to === 'string' ? to : '*');
        // Clients send messages of their own too; this one is what a person types.
        if (/add-message/.test(JSON.stringify(data) ?? '')) this.#refusedToTalk = false;
        return {};
      },
      'update-participant': async ({ id, properties }) => this.#updateParticipant(id, properties),
      'update-participants': async ({ participants }) => {
        const updates = Object.entries(isRecord(participants) ? participants : {});
        const outcomes = await Promise.allSettled(
          updates.map(([id, properties]) => this.#updateParticipant(id, properties)),
        );
        // A participant who has left must not prevent changes to the others; the first refusal is reported.
        for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
        return {};
      },
      'local-recording-start': (command) => this.#askForRecording(command),
      'local-recording-stop': (command) => this.#askForRecording(command),
      'set-user-name': async ({ name }) => {
        this.#userName = typeof name === 'string' ? name : '';
        await this.#link?.report({ userName: this.#userName });
        this.#updateLocal();
        return { userName: this.#userName };
      },
      'set-user-data': async ({ userData }) => {
        this.#userData = userData;
        await this.#link?.report({ userData });
        this.#updateLocal();
        return { userData };
      },
    };
  }

  #connectionHandlers(): Readonly<Record<string, Handler>> {
    return {
      'get-calc-stats': async () => {
        const report = await this.#link?.connection.getStats();
        return { ...networkStats(report === undefined ? [] : report.values()) };
      },
      'get-cpu-load-stats': async () => ({
        cpuStats: await this.#load.read(this.#connected().connection),
      }),
      'set-ice-config': async ({ iceConfig }) => {
        if (iceConfig !== undefined && iceConfig !== null) requireIceConfig(iceConfig);
        this.#iceConfig = iceConfig;
        return {};
      },
      'daily-method-preauth': async ({ properties }) => {
        const { url, token } = isRecord(properties) ? properties : {};
        const room = new RoomClient(url, this.#fetch);
        const access = await room.access(token);
        this.#remember(room, await room.describe());
        return { access };
      },
      geo: async () => (await (await this.#fetch(`${this.#baseUrl}/geo`)).json()) as Answer,
    };
  }

  get #baseUrl(): string {
    return this.#options.baseUrl ?? '/voice/v1';
  }

  /** The page's own `fetch`, or the browser's, which must not be called as a method of another object. */
  readonly #fetch: typeof fetch = (...given) => (this.#options.fetch ?? fetch)(...given);

  #remember({ baseUrl }: RoomClient, { iceServers }: RoomDescription): void {
    this.#roomsBase = baseUrl;
    this.#iceServers = iceServers;
  }

  /** Tests use the last room's address and servers. */
  #testPlace(): TestPlace {
    const { iceServers } = withIceConfig(this.#iceServers, this.#iceConfig);
    return { baseUrl: this.#roomsBase ?? this.#baseUrl, fetch: this.#fetch, iceServers };
  }

  #mediaHandlers(): Readonly<Record<string, Handler>> {
    const devices = this.#devices;
    const camera = async (action: string, on: boolean): Promise<Answer> => {
      // A call without a camera can have it off, but not on.
      if (on) this.#requireEyes(action);
      await devices.setCamera(on);
      return {};
    };
    return {
      'local-audio': async ({ state }) => void devices.setMicrophone(state === true),
      // Allowing a device does not switch it on.
      'set-allow-local-audio': async ({ state }) =>
        state === false ? void devices.setMicrophone(false) : {},
      'local-video': async ({ state }) => camera('local-video', state === true),
      'set-allow-local-video': async ({ state }) =>
        state === false
          ? camera('set-allow-local-video', false)
          : void this.#requireEyes('set-allow-local-video'),
      'local-screen-start': async ({ captureOptions }) => {
        this.#requireEyes('local-screen-start');
        return void (await devices.shareScreen(captureOptions));
      },
      'local-screen-stop': async () => void (await devices.screen.stop()),
      'start-camera': async ({ properties }) => this.#startDevices(isRecord(properties) ? properties : {}),
      'cycle-mic': async () => ({ device: (await devices.cycle('audio')) ?? null }),
      'cycle-camera': async () => {
        this.#requireEyes('cycle-camera');
        return { device: (await devices.cycle('video')) ?? null };
      },
      'update-input-settings': async ({ inputSettings }) => ({
        inputSettings: await devices.process(inputSettings),
      }),
      'get-input-devices': async () => devices.inUse(),
      'set-input-devices': async ({ audioDeviceId, audioSource, videoDeviceId, videoSource }) => {
        const video = videoDeviceId ?? videoSource ?? undefined;
        if (video) this.#requireEyes('set-input-devices');
        await devices.change({ audio: audioDeviceId ?? audioSource ?? undefined, video });
        return devices.inUse();
      },
      'set-output-device': async ({ outputDeviceId }) => setOutput(outputDeviceId),
    };
  }

  /** Actions for tracks besides microphone, camera and screen, and for their bandwidth. */
  #trackHandlers(): Readonly<Record<string, Handler>> {
    return {
      'start-custom-track': async ({ action, properties }) => {
        this.#inRoom(action);
        const given = isRecord(properties) ? properties : {};
        const kind = member(given.track, 'kind') === 'video' ? 'customVideo1' : 'customAudio1';
        if (!this.#maySend(kind)) throw new Error('You may not send custom tracks in this room.');
        return { mediaTag: await this.#custom.start(given) };
      },
      'stop-custom-track': async ({ action, mediaTag }) => {
        this.#inRoom(action);
        await this.#custom.stop(mediaTag);
        return { mediaTag };
      },
      'set-bandwidth': async ({ action, kbs, trackConstraints }) => {
        const { link } = this.#inRoom(action);
        if (typeof kbs === 'number' ? !(kbs > 0) : kbs !== undefined && kbs !== null && kbs !== 'NO_CAP')
          throw new Error("kbs must be a number above 0, 'NO_CAP' or null");
        if (kbs !== undefined) await link.limitCamera(typeof kbs === 'number' ? kbs * 1000 : undefined);
        if (isRecord(trackConstraints)) await this.#devices.camera.constrain(trackConstraints);
        return {};
      },
    };
  }

  #observers(): Readonly<Record<string, Handler>> {
    return {
      'start-remote-participants-audio-level-observer': async ({ interval }) => {
        this.#remoteLevels?.close();
        this.#remoteLevels = new RemoteLevels(intervalOf(interval), (participantsAudioLevel) =>
          this.#notice({ action: 'remote-participants-audio-level', participantsAudioLevel }),
        );
        this.#followLevels();
        return {};
      },
      'stop-remote-participants-audio-level-observer': async () => this.#stopRemoteLevels(),
      'start-local-audio-level-observer': async ({ interval }) => {
        this.#stopLocalLevel();
        const track = this.#devices.microphone.track;
        if (track !== undefined)
          this.#localLevel = new LevelMeter(track, intervalOf(interval), (audioLevel) =>
            this.#notice({ action: 'local-audio-level', audioLevel }),
          );
        return {};
      },
      'stop-local-audio-level-observer': async () => this.#stopLocalLevel(),
    };
  }

  /** @throws Error before joining */
  #connected(): Link {
    if (this.#link === undefined || !this.#joined) throw new Error('The call is not connected.');
    return this.#link;
  }

  /** A notice reports the result. @throws Error before joining, and where the room refuses it */
  async #askForRecording(command: Command): Promise<Answer> {
    const link = this.#connected();
    if (link instanceof CallLink) link.ask(command);
    else await askToRecord(this.#inRoom(command.action).link, command);
    return {};
  }

  /** @throws NotSupportedError outside a room for several people */
  #inRoom(action: string): { link: RoomLink; client: RoomClient } {
    if (!(this.#link instanceof RoomLink) || this.#room === undefined) throw new NotSupportedError(action);
    return { link: this.#link, client: this.#room };
  }

  /**
   * @throws NotSupportedError in a call with one assistant, which cannot see; its recording can include the
   * camera, but not a screen
   */
  #requireEyes(action: string): void {
    if (!(this.#link instanceof CallLink && this.#link.takesCamera && action !== 'local-screen-start'))
      this.#inRoom(action);
  }

  async #updateParticipant(id: unknown, properties: unknown): Promise<Answer> {
    const given = isRecord(properties) ? properties : {};
    if (id !== 'local') {
      await this.#connected().update(String(id), given);
      return {};
    }
    const { setAudio, setVideo, setSubscribedTracks: _nobodysOwn, ...others } = given;
    if (setVideo === true) this.#requireEyes('update-participant setVideo');
    const unbuilt = Object.keys(others).find((name) => others[name] !== undefined);
    if (unbuilt !== undefined) throw new NotSupportedError(`update-participant ${unbuilt}`);
    if (typeof setAudio === 'boolean') this.#devices.setMicrophone(setAudio);
    if (typeof setVideo === 'boolean') await this.#devices.setCamera(setVideo);
    return {};
  }

  /** Opens the devices before joining, so that the person can see and choose what will be sent. */
  async #startDevices(properties: View): Promise<Answer> {
    await this.#devices.openMicrophone(properties);
    await this.#openCamera(properties);
    this.#started = true;
    this.#notice({ action: 'participant-updated', participant: this.#local() });
    const devices = this.#devices.inUse();
    this.#notice({ action: 'started-camera', devices });
    return devices;
  }

  async #join(properties: View): Promise<Answer> {
    this.#drop();
    this.#userName = typeof properties.userName === 'string' ? properties.userName : '';
    this.#userData = properties.userData;
    const ends = this.#ends;
    let room: RoomClient | undefined;
    try {
      room = new RoomClient(properties.url, this.#fetch);
      this.#room = room;
      await this.#connect(room, properties);
    } catch (error) {
      if (ends === this.#ends) this.#fail(error);
      // They left while the room was letting them in.
      else room?.leave();
    }
    return {};
  }

  async #connect(room: RoomClient, properties: View): Promise<void> {
    const ends = this.#ends;
    const requireWanted = (): void => {
      if (ends !== this.#ends) throw new Error('The call was left.');
    };
    const subscribes = properties.subscribeToTracksAutomatically !== false;
    const opened = this.#started ? undefined : this.#devices.openMicrophone(properties);
    this.#started = false;
    const [described, failed] = await Promise.all([room.describe(), opened]);
    requireWanted();
    this.#remember(room, described);
    const own = this.#iceConfig ?? member(properties.dailyConfig, 'iceConfig');
    const description = { ...described, ...withIceConfig(described.iceServers, own) };
    this.#refusedToTalk = member(failed, 'type') === 'permissions';
    if (failed !== undefined) room.report(`no microphone: ${String(member(failed, 'type'))}`, failed);
    const link = this.#linkTo(description, subscribes);
    this.#link = link;
    link.connection.onconnectionstatechange = () => this.#connectionIs(link.connection);
    await link.put('audio', this.#devices.microphone.track ?? null);
    const { person, view } = await link.enter(room, {
      token: properties.token,
      userName: this.#userName,
      userData: this.#userData,
      library: properties.dailyJsVersion,
    });
    requireWanted();
    this.#self = person;
    this.#userName = person.user_name;
    this.#rights = member(view.participant, 'permissions');
    if (!subscribes && link instanceof RoomLink) await link.subscribeAutomatically(false);
    globalThis.addEventListener?.('pagehide', this.#goingAway);
    await this.#announce(link, view);
    // Begun before the camera opens, so that it is never sent with the room behind the person.
    const processed = ends === this.#ends && this.#devices.processFromStart(properties.inputSettings);
    if (this.#devices.camera.device !== undefined) await processed;
    if (link instanceof RoomLink) await this.#beginInRoom(properties);
    else if (description.camera) await this.#openCamera(properties);
    else await this.#devices.setCamera(false);
    await processed;
  }

  #linkTo(description: RoomDescription, subscribes: boolean): Link {
    const { layout, livekit, iceTransportPolicy } = description;
    if (layout !== undefined) return new RoomLink(description, this.#listener());
    // LiveKit names its own STUN and TURN servers.
    if (livekit)
      return new LiveKitLink(
        iceTransportPolicy === undefined ? {} : { iceTransportPolicy },
        this.#listener(),
        subscribes,
      );
    return new CallLink(description, this.#listener(), subscribes);
  }

  /** The client has joined: the library is told about the local participant, then about the others. */
  async #announce(link: Link, view: View): Promise<void> {
    this.#joined = true;
    await link.report(this.#sent());
    this.#notice({ action: 'joined-meeting', participants: { local: this.#local() } });
    for (const participant of link.others()) this.#notice({ action: 'participant-joined', participant });
    const level = member(view.participant, 'access');
    if (level !== undefined) this.#notice({ action: 'access-state-updated', access: { level } });
    const { participantCounts, activeSpeaker } = view;
    if (participantCounts !== undefined)
      this.#notice({ action: 'participant-counts-updated', participantCounts });
    if (activeSpeaker !== undefined) this.#notice({ action: 'active-speaker-change', activeSpeaker });
    for (const notice of this.#early.splice(0)) this.#notice(notice);
  }

  /** Applies the settings that the page made before joining. */
  async #beginInRoom(properties: View): Promise<void> {
    for (const [name, action] of [
      ['sendSettings', 'update-send-settings'],
      ['receiveSettings', 'update-receive-settings'],
    ] as const)
      if (isRecord(properties[name]) && Object.keys(properties[name]).length > 0)
        await this.request({ action, [name]: properties[name] });
    await this.#openCamera(properties);
  }

  async #openCamera({ videoSource, startVideoOff }: View): Promise<void> {
    const { camera } = this.#devices;
    camera.choose(videoSource);
    const on = videoSource !== false && startVideoOff !== true;
    // A camera that was opened before joining only has to be sent.
    if (on && camera.track !== undefined) await this.#link?.put('video', camera.track);
    else await this.#devices.setCamera(on);
    this.#updateLocal();
  }

  #listener(): LinkListener {
    return {
      notice: (notice) => {
        if (!this.#joined) return void this.#early.push(notice);
        this.#notice(notice);
        if ('participant' in notice) this.#followLevels();
      },
      self: (view) => {
        this.#rights = view.permissions;
        if (typeof view.user_name === 'string') this.#userName = view.user_name;
        this.#updateLocal();
      },
      switched: ({ audio, video, screen }) => {
        if (typeof audio === 'boolean') this.#devices.setMicrophone(audio);
        if (typeof video === 'boolean') void this.#devices.setCamera(video);
        if (screen === false) void this.#devices.screen.stop();
      },
      closed: (fault) => (fault === undefined ? this.#over() : this.#joined && this.#fail(fault)),
    };
  }

  #connectionIs({ connectionState }: LinkConnection): void {
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
    this.#room?.report(message, { type });
    this.#release();
    this.#joined = false;
    this.#notice({ action: 'error', errorMsg: message, error: { type, msg: message, details } });
  }

  /** The other side has ended the call. */
  #over(): void {
    if (!this.#joined) return;
    this.#joined = false;
    const others = this.#link?.others() ?? [];
    this.#release();
    for (const participant of others) this.#notice({ action: 'participant-left', participant });
    this.#notice({ action: 'left-meeting' });
  }

  async #leave(): Promise<Answer> {
    const joined = this.#joined;
    this.#joined = false;
    if (this.#isMute()) await this.#room?.leaveWithoutMicrophone();
    else this.#room?.leave();
    this.#release();
    if (joined) this.#notice({ action: 'left-meeting' });
    return {};
  }

  #isMute(): boolean {
    return this.#refusedToTalk && this.#devices.microphone.device === undefined;
  }

  /** Closes the connection and the devices. */
  #release(): void {
    this.#drop();
    this.#started = false;
    this.#devices.close();
  }

  #drop(): void {
    this.#ends += 1;
    globalThis.removeEventListener?.('pagehide', this.#goingAway);
    clearTimeout(this.#lostTimer);
    this.#stopRemoteLevels();
    this.#stopLocalLevel();
    this.#early = [];
    this.#custom.clear();
    const link = this.#link;
    this.#link = undefined;
    if (link !== undefined) link.connection.onconnectionstatechange = null;
    link?.close();
  }

  #followLevels(): void {
    this.#remoteLevels?.follow(this.#link?.sounds() ?? new Map());
  }

  #stopRemoteLevels(): Answer {
    this.#remoteLevels?.close();
    this.#remoteLevels = undefined;
    return {};
  }

  #stopLocalLevel(): Answer {
    this.#localLevel?.close();
    this.#localLevel = undefined;
    return {};
  }

  /** The media that are sent now. */
  #sent(): Pick<SelfReport, 'sends' | 'custom'> {
    return { sends: this.#devices.sends(), custom: this.#custom.names() };
  }

  /** Tells the room and the library that the local tracks have changed. */
  #updateLocal(): void {
    if (!this.#joined) return;
    this.#showLocal();
    this.#link
      ?.report(this.#sent())
      .catch((error: unknown) => console.warn('The room did not get a message:', error));
  }

  #showLocal(): void {
    if (this.#joined) this.#notice({ action: 'participant-updated', participant: this.#local() });
  }

  #local(): Participant {
    const { session_id = this.#provisionalId, user_id = '', owner = false } = this.#self ?? {};
    const named = [...this.#custom.all].map(([name, { kind, track }]) => [
      name,
      { kind: track.kind, ...this.#ownTrack(kind, track) },
    ]);
    const tracks: Readonly<Record<string, ParticipantTrack>> = Object.fromEntries([
      ...named,
      ...MEDIA_KINDS.map((kind) => [kind, this.#ownTrack(kind, this.#devices.track(kind))]),
    ]);
    const view = { session_id, user_id, user_name: this.#userName, owner };
    return {
      ...personOf(view, tracks),
      local: true,
      userData: this.#userData,
      ...(this.#rights === undefined ? {} : { permissions: this.#rights }),
    };
  }

  #maySend(kind: SentKind): boolean {
    const canSend = member(this.#rights, 'canSend');
    const right = kind.replace(/\d$/, '');
    return Array.isArray(canSend) ? canSend.includes(right) : canSend !== false;
  }

  #ownTrack(kind: SentKind, track: MediaStreamTrack | undefined): ParticipantTrack {
    if (!this.#maySend(kind)) return { state: 'off', off: { byCanSendPermission: true } };
    return track === undefined
      ? { state: 'off', off: { byUser: true } }
      : { state: 'playable', persistentTrack: track };
  }

  /** Delivers each notice in a task of its own, in order. */
  #notice(notice: Notice): void {
    setTimeout(() => this.#onNotice(notice));
  }
}

const recordOf = (value: unknown): View => (isRecord(value) ? value : {});
const intervalOf = (interval: unknown): number => (typeof interval === 'number' ? interval : LEVELS_MS);

/** Plays every participant's audio element of the page on this device. */
async function setOutput(deviceId: unknown): Promise<Answer> {
  if (typeof deviceId !== 'string') throw new Error('outputDeviceId must be a string');
  const players = document.querySelectorAll<HTMLAudioElement>('audio[data-participant-id]');
  await Promise.all([...players].map((player) => player.setSinkId(deviceId)));
  return {};
}
