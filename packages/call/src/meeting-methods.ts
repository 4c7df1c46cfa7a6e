import { RECEIVE_SETTINGS_RULES } from './rules/receiving.ts';
import { enforce } from './rules/rule.ts';
import { validateSendSettings } from './rules/sending.ts';
import { type MeetingState, requireState } from './states.ts';
import type { Command, Participant } from './transport.ts';
import { UnsupportedMethods } from './unsupported-methods.ts';

/** How far somebody is let in (docs/contracts/voice.md §2). */
export interface AccessState {
  readonly access: unknown;
  readonly awaitingAccess?: unknown;
}

/** What the room has said of the meeting besides who is in it. */
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

/** Methods for rooms with several people: pictures, screens, who speaks, who waits, what one gets. */
export abstract class MeetingMethods extends UnsupportedMethods {
  #facts = NOTHING;

  abstract override meetingState(): MeetingState;
  abstract participants(): Readonly<Record<string, Participant>>;
  /** Sends a command and resolves with its reply. */
  protected abstract request(command: Command): Promise<Reply>;
  /** Sends a command without a reply; a refusal is logged. */
  protected abstract post(command: Command): void;

  /** The room has said something new. */
  protected learn(facts: Partial<MeetingFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  /** The meeting is over: nothing of it holds any more. */
  protected forget(): void {
    this.#facts = NOTHING;
  }

  participantCounts(): MeetingFacts['participantCounts'] {
    return this.#facts.participantCounts;
  }

  /** Who spoke last, by session; empty before anybody did. */
  getActiveSpeaker(): MeetingFacts['activeSpeaker'] {
    return this.#facts.activeSpeaker;
  }

  accessState(): AccessState {
    return this.#facts.accessState;
  }

  /** Those who asked to be let in, for who may let them in. */
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

  async setUserName(name: string): Promise<Reply> {
    return await this.request({ action: 'set-user-name', name });
  }

  updateParticipants(participants: Readonly<Record<string, Readonly<Record<string, unknown>>>>): this {
    this.post({ action: 'update-participants', participants });
    return this;
  }

  /** Shares what the person chooses, or a stream; `local-screen-share-started` says when. */
  async startScreenShare(options: { readonly mediaStream?: MediaStream } = {}): Promise<void> {
    await this.request({ action: 'local-screen-start', captureOptions: options });
  }

  async stopScreenShare(): Promise<void> {
    await this.request({ action: 'local-screen-stop' });
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

  /** Which sizes of pictures one wants, by session, `base` or `*`. @throws Error in the words of its rule */
  async updateReceiveSettings(receiveSettings: unknown): Promise<Reply> {
    requireState('updateReceiveSettings', this.meetingState());
    enforce(RECEIVE_SETTINGS_RULES, receiveSettings);
    return await this.request({ action: 'update-receive-settings', receiveSettings });
  }

  /** How the own pictures are sent, by track: a preset or an object. @throws Error in the words of its rules */
  async updateSendSettings(sendSettings: unknown): Promise<Reply> {
    validateSendSettings(sendSettings);
    return await this.request({ action: 'update-send-settings', sendSettings });
  }

  /** What was set last; empty before anything was. */
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

  /** The room as its agency made it, and what one's token says; only after joining. */
  async room(): Promise<Reply> {
    return await this.request({ action: 'lib-room-info' });
  }

  #ownTrackIsOn(kind: string): boolean {
    return this.participants().local?.tracks[kind]?.state === 'playable';
  }
}
