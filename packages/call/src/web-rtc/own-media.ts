import type { BackgroundSetting } from '../background/background-setting.ts';
import { type Background, openBackground } from '../background/open-background.ts';
import type { SendTrack } from './track-kinds.ts';

/** Reports that the background of the local picture cannot be changed any more. */
type BackgroundFailed = (message: string) => void;

/**
 * The local picture: a device or a given track, and the background that it is sent with. While it is off, the device
 * is closed and its light is out.
 */
export class Camera {
  readonly #script: string;
  readonly #send: SendTrack;
  readonly #failed: BackgroundFailed;
  #source: unknown = true;
  #device: MediaStreamTrack | undefined;
  /** Whether the track was opened here; then it is closed here. A given track belongs to its giver. */
  #own = false;
  #on = false;
  /** Counts changes: a device that opens after a later change is closed again. */
  #change = 0;
  /** The background that was requested last; it also applies to later devices. */
  #setting: BackgroundSetting | undefined;
  #background: Background | undefined;
  /** Whether a device is open whose background is not ready yet: it must not be seen before. */
  #hidden = false;

  /**
   * @param script address of the worker that changes the background
   * @param failed is called if a background that was asked for cannot be had; the page is told
   */
  constructor(script: string, send: SendTrack, failed: BackgroundFailed) {
    this.#script = script;
    this.#send = send;
    this.#failed = failed;
  }

  /** The track that is sent. */
  get track(): MediaStreamTrack | undefined {
    return this.#background?.track ?? (this.#hidden ? undefined : this.#device);
  }

  /** The device's own track. */
  get device(): MediaStreamTrack | undefined {
    return this.#device;
  }

  /** Chooses the device or track for the time when the camera is on, or none. */
  choose(source: unknown): void {
    this.#source = source ?? true;
  }

  /** @throws the errors of getUserMedia */
  async setOn(on: boolean): Promise<void> {
    if (on === this.#on || (on && this.#source === false)) return;
    if (on) await this.#open();
    else this.close();
    await this.#send('video', this.track ?? null);
  }

  /**
   * Changes to another device; if the camera is on, it is sent at once. @throws the errors of getUserMedia
   */
  async change(source: unknown): Promise<void> {
    this.choose(source);
    if (!this.#on) return;
    this.close();
    await this.#open();
    await this.#send('video', this.track ?? null);
  }

  /**
   * Changes the background, or shows the camera's own again. While the camera is off, the background is there once
   * it is on.
   *
   * @throws Error if the background cannot be had; everything is as before then
   */
  async setBackground(setting: BackgroundSetting | undefined): Promise<void> {
    const [former, before] = [this.#setting, this.track];
    this.#setting = setting;
    try {
      await this.#applyBackground();
    } catch (error) {
      if (this.#setting === setting) this.#setting = former;
      throw error;
    }
    if (this.track !== before) await this.#send('video', this.track ?? null);
  }

  /**
   * Constrains the picture's size or rate. @throws Error while the camera is off, or where it is not possible
   */
  async constrain(constraints: MediaTrackConstraints): Promise<void> {
    if (this.#device === undefined) throw new Error('The camera is off: there is no picture to constrain.');
    await this.#device.applyConstraints(constraints);
  }

  close(): void {
    this.#on = false;
    this.#change += 1;
    this.#dropBackground();
    if (this.#own) this.#device?.stop();
    this.#device = undefined;
  }

  /** Closes the camera for good: later ones have their own background. */
  end(): void {
    this.close();
    this.#setting = undefined;
  }

  async #open(): Promise<void> {
    this.#on = true;
    const change = this.#change;
    if (typeof MediaStreamTrack !== 'undefined' && this.#source instanceof MediaStreamTrack) {
      this.#device = this.#source;
      this.#own = false;
    } else {
      const device = typeof this.#source === 'string' ? { deviceId: { exact: this.#source } } : {};
      const size = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } };
      const stream = await navigator.mediaDevices
        .getUserMedia({ video: { ...device, ...size } })
        .catch((error: unknown) => {
          if (change === this.#change) this.#on = false;
          throw error;
        });
      if (change !== this.#change) return stopAll(stream);
      this.#device = stream.getVideoTracks()[0];
      this.#own = true;
    }
    if (this.#setting === undefined) return;
    this.#hidden = true;
    await this.#applyBackground().catch((error: unknown) => {
      if (change !== this.#change) return;
      this.#setting = undefined;
      this.#failed(error instanceof Error ? error.message : String(error));
    });
    if (change === this.#change) this.#hidden = false;
  }

  /** Brings the background in line with what was asked for. */
  async #applyBackground(): Promise<void> {
    const [device, setting] = [this.#device, this.#setting];
    if (device === undefined || setting === undefined) return this.#dropBackground();
    if (this.#background !== undefined) return await this.#background.change(setting);
    const made = await openBackground(this.#script, device, setting, (message) => {
      // The room behind a person who wanted it hidden is not shown: the camera closes.
      if (made !== this.#background) return;
      this.end();
      void this.#send('video', null);
      this.#failed(message);
    });
    // Closed, changed or arranged meanwhile: the present state decides.
    if (device !== this.#device || this.#background !== undefined || this.#setting === undefined)
      return made.close();
    this.#background = made;
    if (this.#setting !== setting) await made.change(this.#setting);
  }

  #dropBackground(): void {
    this.#background?.close();
    this.#background = undefined;
    this.#hidden = false;
  }
}

/** Closes devices that were opened but are not wanted any more, so that their lights go out. */
export function stopAll(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

/** Reports the beginning and the end of sharing a screen. */
export interface ScreenListener {
  started(): void;
  stopped(): void;
}

/** The local screen, with its sound where the browser provides it. */
export class ScreenShare {
  readonly #send: SendTrack;
  readonly #listener: ScreenListener;
  #stream: MediaStream | undefined;
  #own = false;
  /** Counts how often sharing ended: a screen that is chosen after that is not shared. */
  #ends = 0;

  constructor(send: SendTrack, listener: ScreenListener) {
    this.#send = send;
    this.#listener = listener;
  }

  track(kind: 'screenAudio' | 'screenVideo'): MediaStreamTrack | undefined {
    return kind === 'screenVideo' ? this.#stream?.getVideoTracks()[0] : this.#stream?.getAudioTracks()[0];
  }

  /**
   * Shares the screen that the person chooses, or a given stream.
   *
   * @throws the errors of getDisplayMedia, `NotAllowedError` where the person refuses
   */
  async start(given?: unknown): Promise<void> {
    if (this.#stream !== undefined) return;
    const ends = this.#ends;
    const own = !(typeof MediaStream !== 'undefined' && given instanceof MediaStream);
    const stream = own
      ? await navigator.mediaDevices.getDisplayMedia({ video: true, audio: true })
      : (given as MediaStream);
    if (ends !== this.#ends || this.#stream !== undefined) return own ? stopAll(stream) : undefined;
    this.#own = own;
    this.#stream = stream;
    this.track('screenVideo')?.addEventListener('ended', () => void this.stop());
    await this.#sendBoth();
    this.#listener.started();
  }

  async stop(): Promise<void> {
    if (this.#stream === undefined) return;
    this.close();
    await this.#sendBoth();
    this.#listener.stopped();
  }

  close(): void {
    this.#ends += 1;
    if (this.#own) stopAll(this.#stream);
    this.#stream = undefined;
  }

  async #sendBoth(): Promise<void> {
    for (const kind of ['screenVideo', 'screenAudio'] as const)
      await this.#send(kind, this.track(kind) ?? null);
  }
}
