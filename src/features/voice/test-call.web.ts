import { LevelMeter, webRtcTransport } from '@northline/call';
import { VoiceClient } from '@northline/voice';
import { SERVICES } from '../../contract/routes.ts';
import type { PublicConfig } from '../../web/public-config.ts';
import { microphoneWords } from './microphone-words.web.ts';

/** One line of what is being said. A partial one is still being understood. */
export interface Caption {
  readonly id: number;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly partial: boolean;
}

/** What the page shows of a call. */
export interface TestCallState {
  readonly phase: 'starting' | 'open' | 'ended' | 'failed';
  readonly speaking: boolean;
  readonly muted: boolean;
  /** Loudness of the caller, 0 to 1. */
  readonly level: number;
  readonly captions: readonly Caption[];
  /** Why the caller has to type; null while the microphone works. */
  readonly typeBecause: string | null;
  /** What was kept and can be deleted; after the end. */
  readonly kept: 'kept' | 'deleting' | 'deleted' | 'not-deleted' | null;
}

/** Told once each, for the toasts of `spec/platform.md §8`. */
export interface TestCallNotices {
  started(): void;
  notStarted(): void;
  failed(): void;
}

const NO_RECOGNITION =
  'This server does not understand speech yet. Type below, and the assistant answers aloud.';
const FULL_LEVEL = 0.3;
const LEVEL_MS = 100;

/** One conversation of a visitor with the site's assistant, from the press of the button to the deletion of what was said. */
export class TestCall {
  readonly #client: VoiceClient;
  readonly #notices: TestCallNotices;
  readonly #listeners = new Set<() => void>();
  #state: TestCallState = {
    ...{ phase: 'starting', speaking: false, muted: false, level: 0 },
    ...{ captions: [], typeBecause: null, kept: null },
  };
  #room = '';
  #lastCaption = 0;
  #microphone: MediaStreamTrack | null = null;
  #meter: LevelMeter | null = null;

  private constructor(client: VoiceClient, notices: TestCallNotices) {
    this.#client = client;
    this.#notices = notices;
    client
      .on('call-start', () => this.#opened())
      .on('call-end', () => this.#ended())
      .on('speech-start', () => this.#show({ speaking: true }))
      .on('speech-end', () => this.#show({ speaking: false }))
      .on('message', (message) => this.#hear(message))
      .on('error', () => this.#state.phase === 'open' && notices.failed());
  }

  /** Asks for the microphone and calls. Without one the caller types. */
  static async begin(config: PublicConfig, notices: TestCallNotices): Promise<TestCall> {
    const { track, why } = await openMicrophone();
    const client = new VoiceClient(config.voicePublicKey, {
      openTransport: webRtcTransport(),
      baseUrl: SERVICES.voice,
      audioSource: track ?? false,
    });
    const call = new TestCall(client, notices);
    call.#microphone = track;
    if (track !== null) {
      const show = (level: number): void => call.#show({ level: Math.min(1, level / FULL_LEVEL) });
      call.#meter = new LevelMeter(track, LEVEL_MS, show);
    }
    call.#show({ typeBecause: why });
    const name = { recordingEnabled: false, variableValues: { name: 'visitor' } };
    void client.start(config.voiceAssistantId, name).then((made) => {
      call.#room = made?.webCallUrl ?? '';
    });
    return call;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly state = (): TestCallState => this.#state;

  /** Says typed words to the assistant, as if they had been spoken. */
  type(words: string): void {
    const content = words.trim();
    if (content === '' || this.#state.phase !== 'open') return;
    this.#client.send({
      type: 'add-message',
      message: { role: 'user', content },
      triggerResponseEnabled: true,
    });
  }

  toggleMute(): void {
    if (this.#state.phase !== 'open') return;
    const muted = !this.#state.muted;
    this.#client.setMuted(muted);
    this.#show({ muted });
  }

  hangUp(): void {
    this.#client.stop();
  }

  /** Deletes what was said. The bare fact that there was a call stays. */
  async deleteWords(): Promise<void> {
    this.#show({ kept: 'deleting' });
    const reply = await fetch(`${this.#room}/record`, { method: 'DELETE' }).catch(() => null);
    this.#show(reply?.ok ? { kept: 'deleted', captions: [] } : { kept: 'not-deleted' });
  }

  #opened(): void {
    this.#show({ phase: 'open' });
    this.#notices.started();
  }

  #ended(): void {
    this.#meter?.close();
    this.#microphone?.stop();
    const begun = this.#state.phase !== 'starting';
    this.#show({
      ...{ phase: begun ? 'ended' : 'failed', speaking: false, level: 0 },
      captions: this.#state.captions.filter((caption) => !caption.partial),
      kept: begun && this.#room !== '' ? 'kept' : null,
    });
    if (!begun) this.#notices.notStarted();
  }

  #hear(message: unknown): void {
    const { type, role, transcript, transcriptType, metadata } = message as Record<string, unknown>;
    if (type === 'transcript' && typeof transcript === 'string')
      this.#caption(role === 'user' ? 'user' : 'assistant', transcript, transcriptType === 'partial');
    if (
      type === 'metadata' &&
      (metadata as { recognition?: string } | undefined)?.recognition === 'typed-only'
    )
      this.#show({ typeBecause: NO_RECOGNITION });
  }

  /** A final caption takes the place of the partial one of its side. */
  #caption(role: Caption['role'], text: string, partial: boolean): void {
    const { captions } = this.#state;
    const open = captions.find((caption) => caption.role === role && caption.partial);
    const line = { id: open?.id ?? ++this.#lastCaption, role, text, partial };
    this.#show({
      captions: open ? captions.map((caption) => (caption === open ? line : caption)) : [...captions, line],
    });
  }

  #show(changes: Partial<TestCallState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

async function openMicrophone(): Promise<{ track: MediaStreamTrack | null; why: string | null }> {
  try {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
    });
    return { track: stream.getAudioTracks()[0] ?? null, why: null };
  } catch (error) {
    return { track: null, why: microphoneWords(error) };
  }
}
