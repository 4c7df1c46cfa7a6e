import type { CameraErrorType } from '../call-events.ts';
import { stopAll } from './own-media.ts';

/** Why there is no microphone or camera, with the library's description (docs/contracts/voice.md §2). */
export interface DeviceError {
  readonly type: CameraErrorType;
  readonly msg: string;
  readonly blockedBy?: 'user' | 'browser';
  readonly blockedMedia?: readonly string[];
  readonly missingMedia?: readonly string[];
  readonly reason?: 'invalid' | 'none-specified';
}

/** The processor between the microphone and the call. */
export type AudioProcessor = 'none' | 'noise-cancellation';

const WORKLET_NAME = 'northline-noise-cancellation';

/** Translates an error of `getUserMedia` for these media into the library's own. */
export function deviceError(error: unknown, media: 'audio' | 'video' = 'audio'): DeviceError {
  const name = error instanceof Error ? error.name : '';
  const msg = error instanceof Error ? error.message : String(error);
  if (name === 'NotAllowedError' || name === 'SecurityError') {
    const blockedBy = /system|dismissed/i.test(msg) ? 'browser' : 'user';
    return { type: 'permissions', msg, blockedBy, blockedMedia: [media] };
  }
  if (name === 'NotFoundError') return { type: 'not-found', msg, missingMedia: [media] };
  if (name === 'NotReadableError' || name === 'AbortError')
    return { type: media === 'audio' ? 'mic-in-use' : 'cam-in-use', msg };
  if (name === 'OverconstrainedError') return { type: 'constraints', msg, reason: 'invalid' };
  if (name === 'TypeError' && typeof navigator !== 'undefined' && navigator.mediaDevices === undefined)
    return { type: 'undefined-mediadevices', msg };
  if (name === 'TypeError') return { type: 'constraints', msg, reason: 'none-specified' };
  return { type: 'unknown', msg };
}

/** The local sound of a call: a device or a given track, muting, and the processor before it is sent. */
export class Microphone {
  readonly #workletUrl: string;
  readonly #send: (track: MediaStreamTrack | null) => Promise<void>;
  #source: MediaStreamTrack | undefined;
  /** Whether the track was opened here; then it is closed here. A given track belongs to its giver. */
  #own = false;
  #on = true;
  /** Counts changes: a device that opens after a later change is closed again. */
  #change = 0;
  #processor: { context: AudioContext; track: MediaStreamTrack } | undefined;
  /** The processor that was requested last; it also applies to later devices. */
  #wanted: AudioProcessor = 'none';

  /** @param send sends a track, or stops sending */
  constructor(workletUrl: string, send: (track: MediaStreamTrack | null) => Promise<void>) {
    this.#workletUrl = workletUrl;
    this.#send = send;
  }

  /** The track that is sent. */
  get track(): MediaStreamTrack | undefined {
    return this.#processor?.track ?? this.#source;
  }

  /** The device's own track. */
  get device(): MediaStreamTrack | undefined {
    return this.#source;
  }

  get on(): boolean {
    return this.#source !== undefined && this.#on;
  }

  /**
   * Opens what `source` names: a device's id, a track, the default device, or none. @throws the errors of
   * getUserMedia
   */
  async open(source: unknown): Promise<void> {
    this.#drop();
    if (source === false) return;
    if (typeof MediaStreamTrack !== 'undefined' && source instanceof MediaStreamTrack) {
      this.#source = source;
      this.#own = false;
    } else {
      const change = this.#change;
      const device = typeof source === 'string' ? { deviceId: { exact: source } } : {};
      const stream = await navigator.mediaDevices.getUserMedia({
        audio: { ...device, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
      });
      if (change !== this.#change) return stopAll(stream);
      this.#source = stream.getAudioTracks()[0];
      this.#own = true;
    }
    this.setOn(this.#on);
  }

  /** Changes to another device during the call. */
  async change(source: unknown): Promise<void> {
    await this.#unprocess();
    await this.open(source);
    if (this.#wanted !== 'none' && this.#source !== undefined) await this.process(this.#wanted);
    else await this.#send(this.#source ?? null);
  }

  setOn(on: boolean): void {
    this.#on = on;
    if (this.#source !== undefined) this.#source.enabled = on;
  }

  /**
   * Puts the processor between the microphone and the call; if no microphone is open yet, as soon as one is.
   *
   * @throws Error in a browser without audio worklets, or where the module cannot be loaded
   */
  async process(processor: AudioProcessor): Promise<void> {
    this.#wanted = processor;
    if (processor === 'none') {
      await this.#unprocess();
      await this.#send(this.#source ?? null);
      return;
    }
    const source = this.#source;
    if (this.#processor !== undefined || source === undefined) return;
    try {
      const made = await processedTrack(this.#workletUrl, source);
      if (source !== this.#source || this.#processor !== undefined || this.#wanted === 'none') {
        // The sound was closed or changed meanwhile, or another processor was requested: the present state
        // decides.
        await made.context.close();
        if (this.#wanted !== 'none') await this.process(this.#wanted);
        return;
      }
      this.#processor = made;
      await this.#send(made.track);
    } catch (error) {
      this.#wanted = 'none';
      await this.#unprocess();
      throw error;
    }
  }

  close(): void {
    this.#processor?.context.close().catch((error: unknown) => console.warn(error));
    this.#processor = undefined;
    this.#wanted = 'none';
    this.#drop();
  }

  async #unprocess(): Promise<void> {
    const processor = this.#processor;
    this.#processor = undefined;
    await processor?.context.close();
  }

  #drop(): void {
    this.#change += 1;
    if (this.#own) this.#source?.stop();
    this.#source = undefined;
  }
}

/**
 * The sound without its noise. @throws Error in a browser without audio worklets, or where the module cannot
 * be loaded
 */
async function processedTrack(
  workletUrl: string,
  source: MediaStreamTrack,
): Promise<{ context: AudioContext; track: MediaStreamTrack }> {
  if (typeof AudioWorkletNode === 'undefined') throw new Error('This browser has no audio worklets.');
  const context = new AudioContext();
  try {
    await context.audioWorklet.addModule(workletUrl);
    const node = new AudioWorkletNode(context, WORKLET_NAME, { channelCount: 1 });
    const out = context.createMediaStreamDestination();
    context
      .createMediaStreamSource(new MediaStream([source]))
      .connect(node)
      .connect(out);
    const [track] = out.stream.getAudioTracks();
    if (track === undefined) throw new Error('The processed sound has no track.');
    return { context, track };
  } catch (error) {
    await context.close();
    throw error;
  }
}
