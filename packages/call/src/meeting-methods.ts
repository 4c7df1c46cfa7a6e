import { ConnectionMethods } from './connection-methods.ts';
import { CUSTOM_TRACK_RULES, type CustomTrackInput } from './rules/custom-track.ts';
import { DIAL_OUT_RULES, type DialOutInput, DTMF_RULES } from './rules/dial-out.ts';
import { RECEIVE_SETTINGS_RULES } from './rules/receiving.ts';
import { PLAYER_RULES, type PlayerInput } from './rules/remote-player.ts';
import { enforce, member } from './rules/rule.ts';
import { PLAYER_SIMULCAST_RULES, validateSendSettings } from './rules/send-settings-rules.ts';
import { requireState } from './states.ts';
import type { Participant } from './transport.ts';

/** Whether somebody is let in or waits (docs/contracts/voice.md §2). */
export interface AccessState {
  readonly access: unknown;
  readonly awaitingAccess?: unknown;
}

/** What the room has told of the meeting, besides its participants. */
export interface MeetingFacts {
  readonly participantCounts: { readonly present: number; readonly hidden: number };
  readonly activeSpeaker: { readonly peerId?: string };
  readonly accessState: AccessState;
  readonly waitingParticipants: Readonly<Record<string, unknown>>;
  readonly receiveSettings: Readonly<Record<string, unknown>>;
  readonly sendSettings: Readonly<Record<string, unknown>>;
}

const NOTHING: MeetingFacts = {
  participantCounts: { present: 0, hidden: 0 },
  activeSpeaker: {},
  accessState: { access: 'unknown' },
  waitingParticipants: {},
  receiveSettings: {},
  sendSettings: {},
};

type Reply = Readonly<Record<string, unknown>>;

/**
 * Methods for rooms with several people: pictures, screens, the active speaker, waiting people,
 * subscriptions, and recordings.
 */
export abstract class MeetingMethods extends ConnectionMethods {
  #facts = NOTHING;

  abstract participants(): Readonly<Record<string, Participant>>;

  /** Takes new facts from the room. */
  protected learn(facts: Partial<MeetingFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  /** The meeting is over: its facts do not hold any more. */
  protected forget(): void {
    this.#facts = NOTHING;
  }

  participantCounts(): MeetingFacts['participantCounts'] {
    return this.#facts.participantCounts;
  }

  /** The session that spoke last; empty before anybody did. */
  getActiveSpeaker(): MeetingFacts['activeSpeaker'] {
    return this.#facts.activeSpeaker;
  }

  accessState(): AccessState {
    return this.#facts.accessState;
  }

  /** The people who have asked to be let in; only those who may let them in see them. */
  waitingParticipants(): MeetingFacts['waitingParticipants'] {
    return this.#facts.waitingParticipants;
  }

  localVideo(): boolean {
    return this.#ownTrackIsOn('video');
  }

  localScreenVideo(): boolean {
    return this.#ownTrackIsOn('screenVideo');
  }

  localScreenAudio(): boolean {
    return this.#ownTrackIsOn('screenAudio');
  }

  setLocalVideo(on: boolean): this {
    this.post({ action: 'local-video', state: on });
    return this;
  }

  /**
   * Records a meeting, for its owners, in rooms with `enable_recording`. An app message of `recorder` asks
   * everybody, and only people who agree are recorded. In a call the assistant has to be set to record with
   * the camera: `recording-started` reports that the person has agreed, `recording-error` why nothing is
   * recorded.
   *
   * @throws Error with the room's sentence
   */
  async startRecording(options: object = {}): Promise<void> {
    await this.request({ ...options, action: 'local-recording-start' });
  }

  /** Changes the layout of a meeting's recording from now on. @throws Error with the room's sentence */
  async updateRecording({
    layout = { preset: 'default' },
    instanceId,
  }: {
    readonly layout?: object;
    readonly instanceId?: string;
  } = {}): Promise<void> {
    await this.request({ action: 'daily-method-update-recording', layout, instanceId });
  }

  /** Ends the recording; the recorded part stays. */
  async stopRecording(options: object = {}): Promise<void> {
    await this.request({ ...options, action: 'local-recording-stop' });
  }

  async setUserName(name: string): Promise<Reply> {
    return await this.request({ action: 'set-user-name', name });
  }

  updateParticipants(participants: Readonly<Record<string, Readonly<Record<string, unknown>>>>): this {
    this.post({ action: 'update-participants', participants });
    return this;
  }

  /**
   * Shares the screen that the person chooses, or a stream; `local-screen-share-started` reports when it
   * begins.
   */
  async startScreenShare(options: { readonly mediaStream?: MediaStream } = {}): Promise<void> {
    await this.request({ action: 'local-screen-start', captureOptions: options });
  }

  async stopScreenShare(): Promise<void> {
    await this.request({ action: 'local-screen-stop' });
  }

  /**
   * Sends a track under a name of its own, until it ends or is stopped; resolves with the name.
   *
   * @throws Error with the words of its rules, or the room's sentence
   */
  async startCustomTrack(input: CustomTrackInput): Promise<string> {
    requireState('startCustomTrack', this.meetingState());
    enforce(CUSTOM_TRACK_RULES, input);
    return String((await this.request({ action: 'start-custom-track', properties: input })).mediaTag);
  }

  /** Stops a custom track; resolves with its name. @throws Error for an unknown name */
  async stopCustomTrack(trackName: string): Promise<string> {
    requireState('stopCustomTrack', this.meetingState());
    return String((await this.request({ action: 'stop-custom-track', mediaTag: trackName })).mediaTag);
  }

  /**
   * Calls a telephone into the room; resolves with its session. @throws Error with the words of its rules, or
   * the room's
   */
  async startDialOut(options: DialOutInput): Promise<Reply> {
    requireState('startDialOut', this.meetingState());
    enforce(DIAL_OUT_RULES, options);
    return await this.request({ ...options, action: 'dialout-start' });
  }

  /** Hangs up a telephone. @throws Error for an unknown session */
  async stopDialOut(options: { readonly sessionId: string }): Promise<void> {
    requireState('stopDialOut', this.meetingState());
    await this.request({ action: 'dialout-stop', sessionId: options.sessionId });
  }

  /** Presses keys at a telephone of the room. @throws Error with the words of its rules, or the room's */
  async sendDTMF(options: DialOutInput): Promise<void> {
    requireState('sendDTMF', this.meetingState());
    enforce(DTMF_RULES, options);
    await this.request({ ...options, action: 'send-dtmf' });
  }

  /** Plays the sound of an address to everybody. @throws Error with the words of its rules, or the room's */
  async startRemoteMediaPlayer(input: PlayerInput): Promise<Reply> {
    validatePlayer(input);
    const { url, settings = { state: 'play' } } = input;
    return await this.request({ action: 'daily-method-start-remote-media-player', url, settings });
  }

  async updateRemoteMediaPlayer(input: { session_id: string; settings: unknown }): Promise<Reply> {
    validatePlayer({ url: '', settings: input.settings });
    return await this.request({ action: 'daily-method-update-remote-media-player', ...input });
  }

  async stopRemoteMediaPlayer(session_id: string): Promise<void> {
    await this.request({ action: 'daily-method-stop-remote-media-player', session_id });
  }

  /** Transcribes everybody's words for everybody. @throws Error where it is not allowed or cannot be done */
  async startTranscription(options: { readonly language?: string } = {}): Promise<void> {
    await this.request({ action: 'daily-method-start-transcription', ...options });
  }

  async stopTranscription(): Promise<void> {
    await this.request({ action: 'daily-method-stop-transcription' });
  }

  /** Asks to be let in, and resolves when somebody has decided. */
  async requestAccess({
    access = { level: 'full' },
    name = '',
  }: {
    access?: unknown;
    name?: string;
  } = {}): Promise<Reply> {
    requireState('requestAccess', this.meetingState());
    return await this.request({ action: 'daily-method-request-access', access, name });
  }

  async updateWaitingParticipant(id: string, updates: object): Promise<Reply> {
    requireState('updateWaitingParticipant', this.meetingState());
    return await this.request({ action: 'daily-method-update-waiting-participant', id, updates });
  }

  async updateWaitingParticipants(updatesById: Readonly<Record<string, object>>): Promise<Reply> {
    requireState('updateWaitingParticipants', this.meetingState());
    return await this.request({ action: 'daily-method-update-waiting-participants', updatesById });
  }

  async setSubscribeToTracksAutomatically(enabled: boolean): Promise<void> {
    requireState('setSubscribeToTracksAutomatically', this.meetingState());
    await this.request({ action: 'daily-method-subscribe-to-tracks-automatically', enabled });
  }

  /**
   * Sets the wanted sizes of pictures, by session, `base` or `*`. @throws Error with the words of its rule
   */
  async updateReceiveSettings(receiveSettings: unknown): Promise<Reply> {
    requireState('updateReceiveSettings', this.meetingState());
    enforce(RECEIVE_SETTINGS_RULES, receiveSettings);
    return await this.request({ action: 'update-receive-settings', receiveSettings });
  }

  /**
   * Sets how local pictures are sent, by track: a preset or an object. @throws Error with the words of its
   * rules
   */
  async updateSendSettings(sendSettings: unknown): Promise<Reply> {
    validateSendSettings(sendSettings);
    return await this.request({ action: 'update-send-settings', sendSettings });
  }

  /** The settings that were set last; empty before any were. */
  getSendSettings(): MeetingFacts['sendSettings'] {
    return this.#facts.sendSettings;
  }

  async getReceiveSettings(id?: string, options: { showInheritedValues?: boolean } = {}): Promise<unknown> {
    if (id === undefined) return this.#facts.receiveSettings;
    const reply = await this.request({ action: 'get-single-participant-receive-settings', id, ...options });
    return reply.receiveSettings;
  }

  /** Everything goes through the room's own server: `sfu`. */
  async getNetworkTopology(): Promise<Reply> {
    return await this.request({ action: 'get-network-topology' });
  }

  /** The room as the agency created it, and what the token grants; only after joining. */
  async room(): Promise<Reply> {
    return await this.request({ action: 'lib-room-info' });
  }

  #ownTrackIsOn(kind: string): boolean {
    return this.participants().local?.tracks[kind]?.state === 'playable';
  }
}

function validatePlayer(input: PlayerInput): void {
  enforce(PLAYER_RULES, input);
  const layers = member(input.settings, 'simulcastEncodings');
  if (layers) enforce(PLAYER_SIMULCAST_RULES, layers);
}
