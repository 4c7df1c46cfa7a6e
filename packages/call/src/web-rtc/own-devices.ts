import { backgroundSetting } from '../background/background-setting.ts';
import { NotSupportedError } from '../not-supported.ts';
import { unsupportedSetting } from '../rules/input-settings.ts';
import { isRecord, member } from '../rules/rule.ts';
import type { Notice } from '../transport.ts';
import { deviceError, Microphone } from './microphone.ts';
import { Camera, ScreenShare } from './own-media.ts';
import { MEDIA_KINDS, type MediaKind, type SendTrack } from './track-kinds.ts';

const NONE = { processor: { type: 'none' } };

/** What the devices report. */
export interface DeviceListener {
  /** The tracks that are sent have changed. */
  changed(): void;
  notice(notice: Notice): void;
}

/**
 * Microphone, camera and screen of the local participant: opened, switched and closed, with the library's own
 * errors.
 */
export class OwnDevices {
  readonly microphone: Microphone;
  readonly camera: Camera;
  readonly screen: ScreenShare;
  readonly #listener: DeviceListener;
  /** The processors of the devices, in the library's form. */
  #inputSettings: Readonly<Record<string, unknown>> = {};
  /** Counts how often the devices were closed: what is set up after that is not reported. */
  #ends = 0;

  /** @param urls addresses of what processes sound and pictures */
  constructor(
    urls: { readonly noiseCancellation: string; readonly background: string },
    send: SendTrack,
    listener: DeviceListener,
  ) {
    this.#listener = listener;
    this.microphone = new Microphone(urls.noiseCancellation, async (track) => {
      await send('audio', track);
      listener.changed();
    });
    this.camera = new Camera(urls.background, send, (errorMsg) => {
      this.#inputSettings = { ...this.#inputSettings, video: NONE };
      this.#pictureFault(errorMsg);
      listener.changed();
    });
    this.screen = new ScreenShare(send, {
      started: () => {
        listener.notice({ action: 'local-screen-share-started' });
        listener.changed();
      },
      stopped: () => {
        listener.notice({ action: 'local-screen-share-stopped' });
        listener.changed();
      },
    });
  }

  /** The local track of a kind that is to be sent now; undefined while it is off. */
  track(kind: MediaKind): MediaStreamTrack | undefined {
    if (kind === 'audio') return this.microphone.on ? this.microphone.track : undefined;
    return kind === 'video' ? this.camera.track : this.screen.track(kind);
  }

  /** The kinds that are sent now. */
  sends(): MediaKind[] {
    return MEDIA_KINDS.filter((kind) => this.track(kind) !== undefined);
  }

  /** Opens the microphone. A failure does not prevent the call, since one can type; returns the error. */
  async openMicrophone({ audioSource, startAudioOff }: Readonly<Record<string, unknown>>): Promise<unknown> {
    this.microphone.setOn(startAudioOff !== true);
    try {
      await this.microphone.open(audioSource ?? true);
      return undefined;
    } catch (error) {
      const told = deviceError(error);
      this.#listener.notice({ action: 'camera-error', error: told });
      return told;
    }
  }

  setMicrophone(on: boolean): void {
    this.microphone.setOn(on);
    this.#listener.changed();
  }

  /** Switches the camera on or off; without a camera the library is told why. */
  async setCamera(on: boolean): Promise<void> {
    await this.#attempt('video', () => this.camera.setOn(on));
  }

  /** Changes to other devices; false switches one off. */
  async change({ audio, video }: { readonly audio?: unknown; readonly video?: unknown }): Promise<void> {
    if (audio !== undefined) await this.#attempt('audio', () => this.microphone.change(audio));
    if (video === false) await this.setCamera(false);
    else if (video !== undefined) await this.#attempt('video', () => this.camera.change(video));
  }

  /** Changes to the machine's next microphone or camera. Returns it, or undefined where there is no other. */
  async cycle(media: 'audio' | 'video'): Promise<object | undefined> {
    const kind = `${media}input`;
    const devices = (await navigator.mediaDevices.enumerateDevices()).filter((one) => one.kind === kind);
    const track = media === 'audio' ? this.microphone.device : this.camera.device;
    const at = devices.findIndex(({ deviceId }) => deviceId === track?.getSettings().deviceId);
    const next = devices[(at + 1) % devices.length];
    if (next === undefined || devices.length < 2) return undefined;
    await this.change({ [media]: next.deviceId });
    // A plain object, since page messages cannot carry devices.
    return next.toJSON();
  }

  /**
   * Sets the named processors, and leaves the others as they are. A failure to process sound or a picture is reported
   * as a notice.
   *
   * @returns all settings
   * @throws NotSupportedError for settings that are not built, Error if the background of the picture cannot be
   * changed; nothing has changed then
   */
  async process(settings: unknown): Promise<Readonly<Record<string, unknown>>> {
    const unsupported = unsupportedSetting(settings);
    if (unsupported !== undefined) throw new NotSupportedError(`update-input-settings ${unsupported}`);
    const wanted = member(member(member(settings, 'audio'), 'processor'), 'type');
    const ends = this.#ends;
    // Set at once: of several changes in progress, the last one counts.
    const { video = NONE } = this.#inputSettings;
    this.#inputSettings = { ...this.#inputSettings, ...(isRecord(settings) ? settings : {}) };
    try {
      if (member(settings, 'video')) {
        await this.camera.setBackground(backgroundSetting(settings));
        this.#listener.changed();
      }
    } catch (error) {
      this.#inputSettings = { ...this.#inputSettings, video };
      this.#pictureFault(error instanceof Error ? error.message : String(error));
      throw error;
    }
    try {
      if (wanted === 'none' || wanted === 'noise-cancellation') await this.microphone.process(wanted);
      if (ends === this.#ends)
        this.#listener.notice({ action: 'input-settings-updated', inputSettings: this.#inputSettings });
    } catch (error) {
      const errorMsg = String(error);
      this.#inputSettings = { ...this.#inputSettings, audio: NONE };
      this.#listener.notice({ action: 'nonfatal-error', type: 'audio-processor-error', errorMsg });
    }
    return this.#inputSettings;
  }

  /**
   * Applies the settings from before joining. A refused processor does not prevent the call, and is reported.
   */
  async processFromStart(settings: unknown): Promise<void> {
    // The picture first: this function is called before the camera opens, which then waits for its background.
    for (const kind of ['video', 'audio']) {
      const chosen = member(settings, kind);
      if (!isRecord(chosen)) continue;
      await this.process({ [kind]: chosen }).catch((error: unknown) => {
        // Other errors are reported where they happen.
        if (error instanceof NotSupportedError) this.#pictureFault(error.message);
      });
    }
  }

  #pictureFault(errorMsg: string): void {
    this.#listener.notice({ action: 'nonfatal-error', type: 'video-processor-error', errorMsg });
  }

  /** The person may refuse, which has an event of its own. */
  async shareScreen(options: unknown): Promise<void> {
    try {
      await this.screen.start(member(options, 'mediaStream'));
    } catch (error) {
      if (error instanceof Error && error.name === 'NotAllowedError')
        this.#listener.notice({ action: 'local-screen-share-canceled' });
      else
        this.#listener.notice({
          action: 'nonfatal-error',
          type: 'screen-share-error',
          errorMsg: String(error),
        });
    }
  }

  /** The open devices, in the library's form. */
  inUse(): Readonly<Record<'camera' | 'mic' | 'speaker', object>> {
    const described = (track: MediaStreamTrack | undefined, kind: string): object =>
      track === undefined ? {} : { kind, deviceId: track.getSettings().deviceId ?? '', label: track.label };
    return {
      camera: described(this.camera.device, 'videoinput'),
      mic: described(this.microphone.device, 'audioinput'),
      speaker: {},
    };
  }

  close(): void {
    this.#ends += 1;
    this.#inputSettings = {};
    this.microphone.close();
    this.camera.end();
    this.screen.close();
  }

  async #attempt(media: 'audio' | 'video', change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } catch (error) {
      this.#listener.notice({ action: 'camera-error', error: deviceError(error, media) });
    }
    this.#listener.changed();
  }
}
