import {
  type CallEvent,
  type CallEventName,
  type CallEvents,
  type FatalErrorType,
  STATE_OF_EVENT,
} from './call-events.ts';
import type { CallProperties } from './call-properties.ts';
import { EventEmitter } from './event-emitter.ts';
import { loadInAttempts } from './load-attempts.ts';
import { MeetingMethods } from './meeting-methods.ts';
import { NotSupportedError } from './not-supported.ts';
import { applyNotice } from './notices.ts';
import { Roster } from './roster.ts';
import { unsupportedSetting } from './rules/input-settings.ts';
import { APP_MESSAGE_RULES, LEVEL_INTERVAL_RULES, USER_DATA_RULES } from './rules/messages-and-levels.ts';
import { validateInputSettings, validateProperties, warnOfLossyUserData } from './rules/properties.ts';
import { enforce } from './rules/rule.ts';
import { type MeetingState, requireState } from './states.ts';
import type { CallTransport, Command, Notice, OpenTransport, Participant } from './transport.ts';

type Everybody = Readonly<Record<string, Participant>>;
type Listener<Name extends CallEventName> = (event: CallEvent<Name>) => void;
interface Joining {
  resolve(everybody: Everybody): void;
  reject(error: Error): void;
}

/** The version that the library reports to a peer that asks (docs/specification/platform.md §9). */
export const COMPATIBLE_VERSION = '0.66.0';

const living = new Set<CallClient>();

/**
 * One call: its state, its participants, and its messages. Everything that uses a network is behind the
 * transport (docs/contracts/voice.md §2; docs/specification/platform.md §4, §5 and §8).
 */
export class CallClient extends MeetingMethods {
  readonly #emitter = new EventEmitter<{ [Name in CallEventName]: CallEvent<Name> }>();
  readonly #roster = new Roster();
  readonly #transport: CallTransport;
  #properties: CallProperties;
  #state: MeetingState = 'new';
  #loading: { promise: Promise<void>; abort: AbortController } | undefined;
  #joining: Joining | undefined;
  #levels: Readonly<Record<string, number>> = {};
  #destroyed = false;

  /** @throws Error while another call exists (unless `strictMode` is false), or for a wrong property. */
  constructor(openTransport: OpenTransport, properties: CallProperties = {}) {
    super();
    validateProperties({ ...properties });
    if (living.size > 0 && properties.strictMode !== false)
      throw new Error('Duplicate DailyIframe instances are not allowed');
    this.#properties = properties;
    this.#transport = openTransport((notice) => this.#onNotice(notice));
    living.add(this);
  }

  static version(): string {
    return COMPATIBLE_VERSION;
  }

  meetingState(): MeetingState {
    return this.#state;
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  /** All participants by session id; the key of the local one is `local`. */
  participants(): Everybody {
    return this.#roster.all();
  }

  localAudio(): boolean {
    return this.#roster.localAudio();
  }

  getRemoteParticipantsAudioLevel(): Readonly<Record<string, number>> {
    return this.#levels;
  }

  on<Name extends CallEventName>(name: Name, listener: Listener<Name>): this {
    this.#emitter.on(name, listener);
    return this;
  }

  once<Name extends CallEventName>(name: Name, listener: Listener<Name>): this {
    this.#emitter.once(name, listener);
    return this;
  }

  off<Name extends CallEventName>(name: Name, listener: Listener<Name>): this {
    this.#emitter.off(name, listener);
    return this;
  }

  /** Prepares the call without joining. @throws Error after three failures; the state is then `error`. */
  async load(properties: CallProperties = {}): Promise<void> {
    this.#requireUsable();
    this.#applyProperties(properties);
    if (!['new', 'loading', 'left-meeting', 'error'].includes(this.#state)) return;
    this.#loading ??= this.#startLoading();
    await this.#loading.promise;
  }

  /**
   * Joins. Resolves with all participants, or with undefined if the call is joined or being joined already.
   *
   * @throws Error when loading or joining fails, or the call is left meanwhile.
   */
  async join(properties: CallProperties = {}): Promise<Everybody | undefined> {
    this.#requireUsable();
    if (this.#state === 'joining-meeting' || this.#state === 'joined-meeting') {
      console.warn('already joined meeting, call leave() before joining again');
      return undefined;
    }
    await this.load(properties);
    // Two joins may have waited for the same load; the second one then finds the first in progress.
    if (this.#state !== 'loaded') return this.#state === 'left-meeting' ? undefined : this.join(properties);
    this.#emit('joining-meeting', {});
    return await new Promise<Everybody>((resolve, reject) => {
      this.#joining = { resolve, reject };
      this.request({
        action: 'join-meeting',
        properties: { ...this.#properties, dailyJsVersion: COMPATIBLE_VERSION },
      }).catch((error: unknown) =>
        this.#fail('connection-error', error instanceof Error ? error.message : String(error), {
          on: 'join',
        }),
      );
    });
  }

  /** Leaves the call; resolves at once if there is nothing to leave. A load in progress is cancelled. */
  async leave(): Promise<void> {
    if (this.#state === 'left-meeting' || this.#state === 'error') return;
    this.#loading?.abort.abort();
    this.#loading = undefined;
    if (this.#state === 'joined-meeting' || this.#state === 'joining-meeting')
      await this.request({ action: 'leave-meeting' }).catch((error: unknown) => console.warn(error));
    this.#left();
  }

  /** Leaves the call if necessary and releases everything; a second call does nothing. */
  async destroy(): Promise<void> {
    if (this.#destroyed) return;
    if (['joined-meeting', 'joining-meeting', 'loading'].includes(this.#state)) await this.leave();
    if (this.#destroyed) return;
    this.#destroyed = true;
    living.delete(this);
    this.#transport.close();
    this.#emit('call-instance-destroyed', {});
  }

  /** Sends `data` to one session, or to all. @throws Error before joining, or above 4096 characters. */
  sendAppMessage(data: unknown, to = '*'): this {
    requireState('sendAppMessage', this.#state);
    enforce(APP_MESSAGE_RULES, data);
    this.post({ action: 'app-msg', data, to });
    return this;
  }

  /**
   * Sets data that the others see beside the name. @throws Error when it cannot be serialised or is too
   * large.
   */
  async setUserData(userData: unknown): Promise<{ userData: unknown }> {
    enforce(USER_DATA_RULES, userData);
    warnOfLossyUserData(userData);
    this.#applyProperties({ userData });
    if (this.#state === 'joined-meeting') await this.request({ action: 'set-user-data', userData });
    return { userData };
  }

  setLocalAudio(on: boolean): this {
    this.#applyProperties({ startAudioOff: !on });
    if (this.#state === 'joined-meeting') this.post({ action: 'local-audio', state: on });
    return this;
  }

  updateParticipant(sessionId: string, updates: Readonly<Record<string, unknown>>): this {
    this.post({ action: 'update-participant', id: sessionId, properties: updates });
    return this;
  }

  /** Reports the levels of all other participants every `interval` milliseconds, 200 by default. */
  async startRemoteParticipantsAudioLevelObserver(interval?: number): Promise<void> {
    enforce(LEVEL_INTERVAL_RULES, interval);
    await this.request({ action: 'start-remote-participants-audio-level-observer', interval });
  }

  async stopRemoteParticipantsAudioLevelObserver(): Promise<void> {
    await this.request({ action: 'stop-remote-participants-audio-level-observer' });
  }

  /** Reports the level of the local microphone. @throws Error in a browser without audio worklets. */
  async startLocalAudioLevelObserver(interval?: number): Promise<void> {
    if (typeof AudioWorkletNode === 'undefined')
      throw new Error('startLocalAudioLevelObserver() is not supported on this browser');
    enforce(LEVEL_INTERVAL_RULES, interval);
    await this.request({ action: 'start-local-audio-level-observer', interval });
  }

  /**
   * Sets how the local sound and picture are processed, also before joining. Settings that are missing stay as they
   * are.
   *
   * @returns all settings
   * @throws Error for wrong settings, and if the background of the picture cannot be changed; NotSupportedError for
   * looking for faces
   */
  async updateInputSettings(inputSettings: unknown): Promise<{ inputSettings: unknown }> {
    validateInputSettings(inputSettings);
    if (unsupportedSetting(inputSettings) !== undefined) throw new NotSupportedError('updateInputSettings');
    if (this.#state === 'joined-meeting')
      await this.request({ action: 'update-input-settings', inputSettings });
    const settings = { ...(this.#properties.inputSettings as object), ...(inputSettings as object) };
    this.#applyProperties({ inputSettings: settings });
    return { inputSettings: settings };
  }

  async enumerateDevices(): Promise<{ devices: MediaDeviceInfo[] }> {
    return { devices: (await navigator.mediaDevices?.enumerateDevices()) ?? [] };
  }

  async setInputDevicesAsync(devices: { audioDeviceId?: string | false | null }): Promise<void> {
    await this.request({ action: 'set-input-devices', ...devices });
  }

  async setOutputDeviceAsync(device: { outputDeviceId: string }): Promise<void> {
    await this.request({ action: 'set-output-device', ...device });
  }

  /** The country, by the page's own server; empty if it does not say. No other server is asked. */
  async geo(): Promise<{ current: string }> {
    if (this.#properties.geo !== undefined) return { current: this.#properties.geo };
    const told = await this.request({ action: 'geo' }).catch(() => ({ current: '' }));
    const current: unknown = Reflect.get(told, 'current');
    return { current: typeof current === 'string' ? current : '' };
  }

  async getNetworkStats(): Promise<Readonly<Record<string, unknown>>> {
    if (this.#state !== 'joined-meeting') return { stats: { latest: {} } };
    return await this.request({ action: 'get-calc-stats' });
  }

  #requireUsable(): void {
    if (this.#destroyed && this.#properties.strictMode !== false) throw new Error('Use after destroy');
  }

  #applyProperties(properties: CallProperties): void {
    validateProperties({ ...properties });
    this.#properties = { ...this.#properties, ...properties };
  }

  protected async request(command: Command): Promise<Readonly<Record<string, unknown>>> {
    this.#requireUsable();
    return this.#destroyed ? {} : await this.#transport.request(command);
  }

  /** Sends a command without waiting for its reply; a refusal is logged. */
  protected post(command: Command): void {
    this.request(command).catch((error: unknown) => console.error(`${command.action} failed:`, error));
  }

  #emit<Name extends CallEventName>(name: Name, event: CallEvents[Name]): void {
    this.#state = STATE_OF_EVENT[name] ?? this.#state;
    this.#emitter.emit(name, { action: name, ...event } as never);
  }

  #startLoading(): { promise: Promise<void>; abort: AbortController } {
    const abort = new AbortController();
    this.#emit('loading', {});
    const failed = (errorMsg: string): void => this.#emit('load-attempt-failed', { errorMsg });
    const promise = loadInAttempts(() => this.#transport.load(), failed, abort.signal).then((outcome) => {
      if (outcome === 'cancelled') return;
      this.#loading = undefined;
      if (outcome === 'loaded') return this.#emit('loaded', {});
      this.#fail('connection-error', outcome.failed, { on: 'load' });
      throw new Error(outcome.failed);
    });
    return { promise, abort };
  }

  #left(): void {
    this.#end('left-meeting', {}, 'left the meeting before joining was complete');
  }

  #fail(type: FatalErrorType, msg: string, details?: unknown): void {
    this.#end('error', { errorMsg: msg, error: { type, msg, details } }, msg);
  }

  /** Ends the call once: whichever comes first, leaving or failing, counts. */
  #end<Name extends 'left-meeting' | 'error'>(name: Name, event: CallEvents[Name], reason: string): void {
    if (this.#state === 'left-meeting' || this.#state === 'error') return;
    const joining = this.#joining;
    this.#joining = undefined;
    this.#roster.clear();
    this.forget();
    this.#levels = {};
    this.#emit(name, event);
    joining?.reject(new Error(reason));
  }

  #onNotice(notice: Notice): void {
    if (this.#destroyed) return;
    applyNotice(notice, {
      state: this.#state,
      roster: this.#roster,
      tell: (name, event) => this.#emit(name, event),
      left: () => this.#left(),
      fail: (type, msg, details) => this.#fail(type, msg, details),
      levels: (levels) => {
        this.#levels = levels;
      },
      learn: (facts) => this.learn(facts),
      joined: (everybody) => {
        this.#joining?.resolve(everybody);
        this.#joining = undefined;
      },
    });
  }
}
