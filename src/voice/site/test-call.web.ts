import { LevelMeter, webRtcTransport } from '@northline/call';
import { VoiceClient } from '@northline/voice';
import { SERVICES } from '../../kernel/contract/routes.ts';
import type { PublicConfig } from '../../ui/session/public-config.ts';
import { endingWords, refusalWords } from './call-endings.web.ts';
import { MICROPHONE_GONE, microphoneWords } from './microphone-words.web.ts';

/** One line of the conversation. A partial one is still being recognised. */
export interface Caption {
  readonly id: number;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly partial: boolean;
}

/** What the page shows of a call. */
export interface TestCallState {
  /** `asking` while the browser asks its user for the microphone. */
  readonly phase: 'asking' | 'starting' | 'open' | 'ended' | 'failed';
  readonly speaking: boolean;
  readonly muted: boolean;
  /** Loudness of the caller, 0 to 1. */
  readonly level: number;
  readonly captions: readonly Caption[];
  /** Why the caller has to type; null while the microphone works. */
  readonly typeBecause: string | null;
  /** Whether the browser plays nothing until the user's next gesture. */
  readonly playbackBlocked: boolean;
  /** How the call ended, or why it did not begin; null where there is nothing to say about it. */
  readonly ending: string | null;
  /** Whether the words that were kept can be deleted; set after the end. */
  readonly kept: 'kept' | 'deleting' | 'deleted' | 'not-deleted' | null;
}

/** Called once each, for the toasts of docs/specification/platform.md §8. */
export interface TestCallNotices {
  started(): void;
  notStarted(): void;
  failed(): void;
  /** The caller hung up before the call began: nothing is shown. */
  cancelled(): void;
}

/**
 * Creates another call than one with the site's own assistant. @throws Error with a sentence for the caller
 */
export type MakeCall = () => Promise<{ readonly webCallUrl: string }>;

const NO_RECOGNITION =
  'This server does not understand speech yet. Type below, and the assistant answers aloud.';
const FULL_LEVEL = 0.3;
const LEVEL_MS = 100;

interface Microphone {
  readonly track: MediaStreamTrack | null;
  readonly why: string | null;
}

/** A visitor's conversation with the site's assistant, from pressing the button to deleting its words. */
export class TestCall {
  readonly #notices: TestCallNotices;
  readonly #make: MakeCall | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #withoutMicrophone = Promise.withResolvers<Microphone>();
  #client: VoiceClient | null = null;
  #state: TestCallState = {
    phase: 'asking',
    speaking: false,
    muted: false,
    level: 0,
    captions: [],
    typeBecause: null,
    playbackBlocked: false,
    ending: null,
    kept: null,
  };
  #room = '';
  #lastCaption = 0;
  #microphone: MediaStreamTrack | null = null;
  #meter: LevelMeter | null = null;
  #hungUp = false;
  #endedReason: unknown;

  /** Asks for the microphone and calls. A caller without one types. */
  constructor(config: PublicConfig, notices: TestCallNotices, make?: MakeCall) {
    this.#notices = notices;
    this.#make = make;
    void this.#begin(config);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly state = (): TestCallState => this.#state;

  /** Sends typed words to the assistant, as if they had been spoken. */
  type(words: string): void {
    const content = words.trim();
    if (content === '' || this.#state.phase !== 'open') return;
    this.#client?.send({
      type: 'add-message',
      message: { role: 'user', content },
      triggerResponseEnabled: true,
    });
  }

  /** Stops waiting for the user's answer to the browser's question. */
  typeInstead(): void {
    this.#withoutMicrophone.resolve({ track: null, why: 'You call without a microphone. Type below.' });
  }

  toggleMute(): void {
    if (this.#state.phase !== 'open') return;
    const muted = !this.#state.muted;
    this.#client?.setMuted(muted);
    this.#show({ muted });
  }

  /** Ends the call, also one that has not begun yet; a second call does nothing. */
  hangUp(): void {
    if (this.#hungUp) return;
    this.#hungUp = true;
    if (this.#client === null) this.#ended();
    else this.#client.stop();
  }

  /** Deletes the words of the call. The bare fact that there was a call stays. */
  async deleteWords(): Promise<void> {
    this.#show({ kept: 'deleting' });
    const reply = await fetch(`${this.#room}/record`, { method: 'DELETE' }).catch(() => null);
    this.#show(reply?.ok ? { kept: 'deleted', captions: [] } : { kept: 'not-deleted' });
  }

  async #begin(config: PublicConfig): Promise<void> {
    const asked = openMicrophone();
    const { track, why } = await Promise.race([asked, this.#withoutMicrophone.promise]);
    // An answer that comes too late must not leave the microphone on.
    void asked.then((late) => late.track !== this.#microphone && late.track?.stop());
    if (this.#hungUp) return;
    this.#microphone = track;
    if (track !== null) this.#watch(track);
    this.#show({ phase: 'starting', typeBecause: why });
    const client = new VoiceClient(config.voicePublicKey, {
      openTransport: webRtcTransport(),
      baseUrl: SERVICES.voice,
      audioSource: track ?? false,
      ...(this.#make === undefined ? {} : { fetch: answeredBy(this.#make) }),
    });
    this.#client = client;
    client
      .on('call-start', () => this.#opened())
      .on('call-end', () => this.#ended())
      .on('speech-start', () => this.#show({ speaking: true }))
      .on('speech-end', () => this.#show({ speaking: false }))
      .on('message', (message) => this.#hear(message))
      .on('error', (error) => this.#failed(error));
    const name = { recordingEnabled: false, variableValues: { name: 'visitor' } };
    const made = await client.start(config.voiceAssistantId, name);
    this.#room = made?.webCallUrl ?? '';
  }

  #watch(track: MediaStreamTrack): void {
    const show = (level: number): void => this.#show({ level: Math.min(1, level / FULL_LEVEL) });
    this.#meter = new LevelMeter(track, LEVEL_MS, show);
    // The event means that the device has gone; it is not sent when the page stops the track (Media Capture
    // and Streams §4.3.3).
    track.addEventListener('ended', () => this.#show({ typeBecause: MICROPHONE_GONE, level: 0 }));
  }

  #opened(): void {
    this.#show({ phase: 'open' });
    this.#notices.started();
  }

  #failed(error: unknown): void {
    if (error instanceof Error && error.name === 'NotAllowedError') this.#waitForGesture();
    else if (this.#state.phase === 'open') this.#notices.failed();
    else this.#show({ ending: refusalWords(error) ?? this.#ownRefusal(error) });
  }

  #ownRefusal(error: unknown): string | null {
    return this.#make !== undefined && error instanceof Error ? error.message : null;
  }

  /** The sound begins with the next gesture (packages/voice); until then the page says so. */
  #waitForGesture(): void {
    this.#show({ playbackBlocked: true });
    addEventListener('pointerdown', () => this.#show({ playbackBlocked: false }), { once: true });
  }

  #ended(): void {
    this.#meter?.close();
    this.#microphone?.stop();
    const { phase, captions, ending } = this.#state;
    const begun = phase === 'open';
    this.#show({
      phase: begun ? 'ended' : 'failed',
      speaking: false,
      level: 0,
      playbackBlocked: false,
      captions: captions.filter((caption) => !caption.partial),
      ending: begun ? endingWords(this.#endedReason, this.#hungUp) : ending,
      kept: begun && this.#room !== '' ? 'kept' : null,
    });
    if (begun) return;
    if (this.#hungUp) this.#notices.cancelled();
    else this.#notices.notStarted();
  }

  #hear(message: unknown): void {
    const told = message as Record<string, unknown>;
    if (told.type === 'transcript' && typeof told.transcript === 'string')
      this.#caption(
        told.role === 'user' ? 'user' : 'assistant',
        told.transcript,
        told.transcriptType === 'partial',
      );
    if (told.type === 'status-update' && told.status === 'ended') this.#endedReason = told.endedReason;
    const { recognition } = (told.metadata ?? {}) as { recognition?: string };
    if (told.type === 'metadata' && recognition === 'typed-only') this.#show({ typeBecause: NO_RECOGNITION });
  }

  /** A final caption replaces the partial one of its side. */
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

/** Answers the client's one request that creates a call with `make`. */
function answeredBy(make: MakeCall): typeof fetch {
  return async () => {
    try {
      return Response.json(await make(), { status: 201 });
    } catch (error) {
      return Response.json({ message: (error as Error).message }, { status: 400 });
    }
  };
}

async function openMicrophone(): Promise<Microphone> {
  try {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
    });
    return { track: stream.getAudioTracks()[0] ?? null, why: null };
  } catch (error) {
    return { track: null, why: microphoneWords(error) };
  }
}
