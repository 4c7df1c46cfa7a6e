import { CallClient, type OpenTransport, type Participant } from '@northline/call';
import { type PlayTrack, playInPage } from './audio-player.ts';
import { SPEECH, SpeechMeter } from './speech-meter.ts';
import { VoiceEmitter } from './voice-events.ts';
import { createWebCall, type WebCall } from './web-calls.ts';

/** How a client reaches the network and the loudspeaker. */
export interface VoiceOptions {
  readonly openTransport: OpenTransport;
  /** Base address of the platform's API; `/voice/v1` of the page's own origin by default. */
  readonly baseUrl?: string;
  /** A device id, a track, or whether a microphone is used at all; true by default. */
  readonly audioSource?: boolean | string | MediaStreamTrack;
  readonly videoSource?: boolean | string | MediaStreamTrack;
  /** Settings that are passed on to the call library. */
  readonly callConfig?: Readonly<Record<string, unknown>>;
  /** Sends the one request that creates a call; the browser's own `fetch` by default. */
  readonly fetch?: typeof fetch;
  /** Plays the assistant's sound; by default in an audio element of the page. */
  readonly play?: PlayTrack;
}

/** One call from its creation to its end. Once `over` is set, late answers to it are ignored. */
interface Conversation {
  call: CallClient | undefined;
  over: boolean;
  readonly meter: SpeechMeter;
  readonly players: Map<string, () => void>;
}

/** The published API's name of the participant that the assistant speaks as (docs/contracts/voice.md §1). */
const SPEAKER = 'Vapi Speaker';
const RECORDING = { width: 1280, height: 720, backgroundColor: '#FF1F2D3D', layout: { preset: 'default' } };

/**
 * A spoken conversation with an assistant (docs/contracts/voice.md §1; docs/specification/platform.md §4).
 * Every instance has its own token, address and call. Every `start` that was not refused ends with exactly
 * one `call-end`.
 */
export class VoiceClient extends VoiceEmitter {
  readonly #token: string;
  readonly #options: VoiceOptions;
  #conversation: Conversation | undefined;

  /** @param token the bearer key for the platform's API */
  constructor(token: string, options: VoiceOptions) {
    super();
    this.#token = token;
    this.#options = options;
  }

  /**
   * Starts a call with an assistant or a squad, by id or described in full.
   *
   * @returns the created call; null when a call is in progress, or when it could not be started, which
   *   is then emitted as `error`.
   * @throws Error `Assistant or Squad must be provided.`
   */
  async start(
    assistant?: string | object,
    assistantOverrides?: object,
    squad?: string | object,
  ): Promise<WebCall | null> {
    if (!assistant && !squad) throw new Error('Assistant or Squad must be provided.');
    if (this.#conversation !== undefined) return null;
    const conversation = this.#begin();
    try {
      const webCall = await createWebCall(
        {
          baseUrl: this.#options.baseUrl ?? '/voice/v1',
          token: this.#token,
          fetch: this.#options.fetch ?? fetch,
        },
        { ...named('assistant', assistant), assistantOverrides, ...named('squad', squad) },
      );
      // The call was stopped while the platform answered, so there is nothing to join.
      if (conversation.over) return null;
      await this.#join(conversation, webCall);
      return conversation.over ? null : webCall;
    } catch (error) {
      if (!conversation.over) this.#fail(conversation, error);
      return null;
    }
  }

  /** Ends the call. `call-end` follows when it has been left; does nothing without a call. */
  stop(): void {
    const conversation = this.#conversation;
    if (conversation === undefined) return;
    if (conversation.call === undefined) this.#end(conversation);
    else this.#close(conversation, conversation.call);
  }

  /** Sends a message to the assistant; does nothing without a call. @throws Error before joining */
  send(message: object): void {
    this.#conversation?.call?.sendAppMessage(JSON.stringify(message));
  }

  /** Has the assistant say something, and hang up afterwards if asked to. */
  say(message: string, endCallAfterSpoken?: boolean): void {
    this.send({ type: 'say', message, endCallAfterSpoken });
  }

  /** @throws Error `Call object is not available.` */
  setMuted(muted: boolean): void {
    const call = this.#conversation?.call;
    if (call === undefined) throw new Error('Call object is not available.');
    call.setLocalAudio(!muted);
  }

  /** False without a call; after a change, the old value until the call has applied it. */
  isMuted(): boolean {
    return this.#conversation?.call?.localAudio() === false;
  }

  /** Does nothing without a call. */
  async setInputDevicesAsync(devices: { audioDeviceId?: string | false | null }): Promise<void> {
    await this.#conversation?.call?.setInputDevicesAsync(devices);
  }

  async setOutputDeviceAsync(device: { outputDeviceId: string }): Promise<void> {
    await this.#conversation?.call?.setOutputDeviceAsync(device);
  }

  /** The underlying call, or null without one. */
  getCallClient(): CallClient | null {
    return this.#conversation?.call ?? null;
  }

  #begin(): Conversation {
    const meter = new SpeechMeter({
      volume: (volume) => this.emit('volume-level', volume),
      started: () => this.emit('speech-start'),
      ended: () => this.emit('speech-end'),
    });
    const conversation: Conversation = { call: undefined, over: false, meter, players: new Map() };
    this.#conversation = conversation;
    return conversation;
  }

  async #join(conversation: Conversation, webCall: WebCall): Promise<void> {
    const recorded = webCall.artifactPlan?.videoRecordingEnabled ?? false;
    const call = new CallClient(this.#options.openTransport, {
      audioSource: this.#options.audioSource ?? true,
      videoSource: this.#options.videoSource ?? recorded,
      dailyConfig: this.#options.callConfig ?? {},
      // Several clients may exist in one page, each with a call of its own.
      strictMode: false,
    });
    conversation.call = call;
    this.#listen(conversation, call, recorded || webCall.assistant?.voice?.provider === 'tavus');
    await call.join({ url: webCall.webCallUrl, subscribeToTracksAutomatically: false });
    if (conversation.over || call.meetingState() !== 'joined-meeting') return;
    if (recorded) this.#record(call);
    this.#quietly(call.startRemoteParticipantsAudioLevelObserver(SPEECH.observerMs));
    this.#quietly(call.updateInputSettings({ audio: { processor: { type: 'noise-cancellation' } } }));
  }

  #listen(conversation: Conversation, call: CallClient, video: boolean): void {
    call
      .on('left-meeting', () => this.#end(conversation))
      .on('error', (error) => this.#fail(conversation, error))
      .on('camera-error', (error) => this.emit('error', error))
      .on('recording-error', (error) => this.emit('error', error))
      .on('participant-joined', ({ participant }) => {
        if (participant.local) return;
        call.updateParticipant(participant.session_id, { setSubscribedTracks: { audio: true, video } });
      })
      .on('participant-left', ({ participant }) => this.#silence(conversation, participant.session_id))
      .on('track-started', ({ participant, track }) => this.#play(conversation, participant, track))
      .on('remote-participants-audio-level', ({ participantsAudioLevel }) =>
        conversation.meter.update(participantsAudioLevel),
      )
      .on('app-message', ({ data }) => this.#onAppMessage(data))
      .on('nonfatal-error', ({ type }) => {
        if (type === 'audio-processor-error') this.#quietly(withoutProcessor(call));
      });
  }

  #play(conversation: Conversation, participant: Participant, track: MediaStreamTrack): void {
    if (participant.local || participant.user_name !== SPEAKER) return;
    if (track.kind === 'video') this.emit('video', track);
    else if (track.kind === 'audio') {
      this.#silence(conversation, participant.session_id);
      const play = this.#options.play ?? playInPage((error) => this.emit('error', error));
      conversation.players.set(participant.session_id, play(track, participant.session_id));
    }
    conversation.call?.sendAppMessage('playable');
  }

  #silence({ players }: Conversation, participantId: string): void {
    players.get(participantId)?.();
    players.delete(participantId);
  }

  /** `listening` starts the conversation; any other message has to be JSON in a text, or is dropped. */
  #onAppMessage(data: unknown): void {
    if (data === 'listening') {
      this.emit('call-start');
      return;
    }
    let message: unknown;
    try {
      if (typeof data !== 'string') throw new TypeError('not a text');
      message = JSON.parse(data);
    } catch (error) {
      console.warn('A message of the assistant was dropped:', error);
      return;
    }
    this.emit('message', message);
  }

  /** The assistant's first words wait until it knows how late the recording began. */
  #record(call: CallClient): void {
    const asked = Date.now();
    call.on('recording-started', () =>
      this.send({
        type: 'control',
        control: 'say-first-message',
        videoRecordingStartDelaySeconds: (Date.now() - asked) / 1000,
      }),
    );
    this.#quietly(call.startRecording(RECORDING));
  }

  /** Runs work in the background: its failure is emitted and does not end the call. */
  #quietly(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.emit('error', error));
  }

  #fail(conversation: Conversation, error: unknown): void {
    if (conversation.over) return;
    this.emit('error', error);
    this.#end(conversation);
  }

  /** Leaves the call, and emits its end even where leaving fails. */
  #close(conversation: Conversation, call: CallClient): void {
    if (this.#conversation === conversation) this.#conversation = undefined;
    call
      .destroy()
      .catch((error: unknown) => this.emit('error', error))
      .finally(() => this.#end(conversation));
  }

  #end(conversation: Conversation): void {
    if (conversation.over) return;
    conversation.over = true;
    conversation.meter.stop();
    for (const id of [...conversation.players.keys()]) this.#silence(conversation, id);
    if (this.#conversation === conversation) this.#conversation = undefined;
    this.emit('call-end');
    conversation.call?.destroy().catch((error: unknown) => console.warn(error));
  }
}

/** An assistant or a squad by its id, or described in full. */
function named(kind: 'assistant' | 'squad', value: string | object | undefined): object {
  return typeof value === 'string' ? { [`${kind}Id`]: value } : { [kind]: value };
}

/** Noise cancellation failed: continues without it, with the microphone on. */
async function withoutProcessor(call: CallClient): Promise<void> {
  await call.updateInputSettings({ audio: { processor: { type: 'none' } } });
  call.setLocalAudio(true);
}
