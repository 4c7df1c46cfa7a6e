/** What one sends, in the library's names (docs/contracts/voice.md §2). */
export const MEDIA_KINDS = ['audio', 'video', 'screenAudio', 'screenVideo'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** The places of tracks that a page names itself: a room takes two of sound and two of pictures. */
export const CUSTOM_KINDS = ['customAudio1', 'customAudio2', 'customVideo1', 'customVideo2'] as const;
export type CustomKind = (typeof CUSTOM_KINDS)[number];
/** All that one sends; an offer has its sections of each sort in this order. */
export const SENT_KINDS = [...MEDIA_KINDS, ...CUSTOM_KINDS] as const;
export type SentKind = (typeof SENT_KINDS)[number];
/** What one may be allowed to send, in the library's names. */
export const SEND_RIGHTS: readonly string[] = [...MEDIA_KINDS, 'customVideo', 'customAudio'];

/** Whether it is the place of a track that a page names itself. */
export const isNamed = (kind: SentKind): kind is CustomKind => /^custom/.test(kind);

/** Whether a kind is carried as sound or as pictures. */
export const trackKind = (kind: SentKind): 'audio' | 'video' => (/udio/.test(kind) ? 'audio' : 'video');

/**
 * Puts a track on the wire, or takes it off.
 *
 * @param most bits a second; what is usual where it is not said
 */
export type SendTrack = (kind: SentKind, track: MediaStreamTrack | null, most?: number) => Promise<void>;

/** The own picture: a device or a given track. Off means that the device is closed, and its light out. */
export class Camera {
  readonly #send: SendTrack;
  #source: unknown = true;
  #track: MediaStreamTrack | undefined;
  /** A device that was opened here is closed here; a given track is its giver's. */
  #own = false;
  #on = false;
  /** Counts up with each change: a device that opens after the next is closed again. */
  #change = 0;

  constructor(send: SendTrack) {
    this.#send = send;
  }

  get track(): MediaStreamTrack | undefined {
    return this.#track;
  }

  /** Which device, track or none is meant when the camera goes on. */
  choose(source: unknown): void {
    this.#source = source ?? true;
  }

  /** @throws what getUserMedia throws */
  async setOn(on: boolean): Promise<void> {
    if (on === this.#on || (on && this.#source === false)) return;
    if (on) await this.#open();
    else this.close();
    await this.#send('video', this.#track ?? null);
  }

  /** Takes another device; on the wire at once where the camera is on. @throws what getUserMedia throws */
  async change(source: unknown): Promise<void> {
    this.choose(source);
    if (!this.#on) return;
    this.close();
    await this.#open();
    await this.#send('video', this.#track ?? null);
  }

  /** Holds the picture to a size or a rate. @throws Error while the camera is off, or where it cannot */
  async constrain(constraints: MediaTrackConstraints): Promise<void> {
    if (this.#track === undefined) throw new Error('The camera is off: there is no picture to constrain.');
    await this.#track.applyConstraints(constraints);
  }

  close(): void {
    this.#on = false;
    this.#change += 1;
    if (this.#own) this.#track?.stop();
    this.#track = undefined;
  }

  async #open(): Promise<void> {
    this.#on = true;
    if (typeof MediaStreamTrack !== 'undefined' && this.#source instanceof MediaStreamTrack) {
      this.#track = this.#source;
      this.#own = false;
      return;
    }
    const device = typeof this.#source === 'string' ? { deviceId: { exact: this.#source } } : {};
    const size = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } };
    const change = this.#change;
    const stream = await navigator.mediaDevices
      .getUserMedia({ video: { ...device, ...size } })
      .catch((error: unknown) => {
        if (change === this.#change) this.#on = false;
        throw error;
      });
    if (change !== this.#change) return stopAll(stream);
    this.#track = stream.getVideoTracks()[0];
    this.#own = true;
  }
}

/** What was opened for somebody who does not want it any more: the devices are closed, and their lights out. */
export function stopAll(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

/** How a screen begins or ends to be shared. */
export interface ScreenListener {
  started(): void;
  stopped(): void;
}

/** The own screen, with its sound where the browser gives it. */
export class ScreenShare {
  readonly #send: SendTrack;
  readonly #listener: ScreenListener;
  #stream: MediaStream | undefined;
  #own = false;
  /** Counts up with each end: a screen that is chosen after it is not shared. */
  #ends = 0;

  constructor(send: SendTrack, listener: ScreenListener) {
    this.#send = send;
    this.#listener = listener;
  }

  track(kind: 'screenAudio' | 'screenVideo'): MediaStreamTrack | undefined {
    return kind === 'screenVideo' ? this.#stream?.getVideoTracks()[0] : this.#stream?.getAudioTracks()[0];
  }

  /**
   * Shares what the person chooses, or a given stream.
   *
   * @throws what getDisplayMedia throws, `NotAllowedError` where the person refuses
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
