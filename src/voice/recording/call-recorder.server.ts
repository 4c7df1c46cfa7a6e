import type { MediaSession } from '../media/media-transport.server.ts';
import type { StereoFile } from './stereo-file.server.ts';

/** Samples of a frame of 20 ms. */
const FRAME = 320;
const FRAME_MS = 20;
const SILENCE = new Int16Array(FRAME);
/**
 * Frames that are written together: one second, so that a crash loses no more than that and the write under
 * way.
 */
const WRITTEN = 50;
/**
 * Most frames of the caller that wait. More come only in a burst after a stall, and would lag behind for
 * ever.
 */
const WAITING = 25;

/** What a recorder reports. */
export interface RecorderListener {
  /** The file cannot be written any more; recording has ended. */
  failed(error: unknown): void;
  /** Another second has been recorded. */
  second(): void;
}

/** The source of the sound: a session, or one person of a meeting on its clock. */
type RecordedSound = Pick<MediaSession, 'onPcm16k' | 'onSent'>;

/**
 * Records the sound of a session from both sides, on the clock of what is sent: every 20 ms have a place for
 * each side. A file of one channel has only the received sound.
 */
export class CallRecorder {
  readonly #listener: RecorderListener;
  #file: StereoFile | undefined;
  /** Sound of the caller that has no place yet. */
  #caller: Int16Array = new Int16Array(0);
  #both = new Int16Array(FRAME * 2 * WRITTEN);
  #frames = 0;
  /** Frames since the beginning, and when the last of them was taken. */
  #taken = 0;
  #takenAt = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(session: RecordedSound, listener: RecorderListener) {
    this.#listener = listener;
    session.onPcm16k((pcm) => this.#hear(pcm));
    session.onSent((frame) => this.#place(frame));
  }

  /** Milliseconds recorded so far; between two frames the machine's clock counts. */
  get milliseconds(): number {
    const since = this.#taken === 0 ? 0 : Math.min(FRAME_MS, performance.now() - this.#takenAt);
    return this.#taken * FRAME_MS + since;
  }

  /** Records into `file` from now on. */
  start(file: StereoFile): void {
    this.#file = file;
    this.#caller = new Int16Array(0);
    this.#both = new Int16Array(FRAME * file.channels * WRITTEN);
    this.#frames = 0;
    this.#taken = 0;
  }

  /** Writes what is left and closes the file. */
  async stop(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    this.#write();
    this.#file = undefined;
    await this.#writing;
    await file.close();
  }

  #hear(pcm: Int16Array): void {
    if (this.#file === undefined) return;
    const all = new Int16Array(this.#caller.length + pcm.length);
    all.set(this.#caller);
    all.set(pcm, this.#caller.length);
    this.#caller = all.subarray(Math.max(0, all.length - WAITING * FRAME));
  }

  #place(frame: Int16Array): void {
    if (this.#file === undefined) return;
    const { channels } = this.#file;
    const at = this.#frames * FRAME * channels;
    // Half a frame waits for its other half: silence in the middle of it would be heard as a click.
    const heard = this.#caller.length < FRAME ? SILENCE : this.#caller;
    for (let n = 0; n < FRAME; n += 1) {
      this.#both[at + channels * n] = heard[n] ?? 0;
      if (channels === 2) this.#both[at + 2 * n + 1] = frame[n] ?? 0;
    }
    if (heard !== SILENCE) this.#caller = this.#caller.subarray(FRAME);
    this.#frames += 1;
    this.#taken += 1;
    this.#takenAt = performance.now();
    if (this.#frames < WRITTEN) return;
    this.#write();
    this.#listener.second();
  }

  #write(): void {
    const file = this.#file;
    if (file === undefined || this.#frames === 0) return;
    const both = this.#both.slice(0, this.#frames * FRAME * file.channels);
    this.#frames = 0;
    this.#writing = this.#writing.then(() => file.add(both)).catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    const file = this.#file;
    this.#file = undefined;
    this.#listener.failed(error);
    file?.close().catch((unclosed: unknown) => this.#listener.failed(unclosed));
  }
}
