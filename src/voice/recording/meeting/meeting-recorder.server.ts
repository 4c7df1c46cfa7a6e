import { FRAME, FramePacer, MACHINE_CLOCK } from '@northline/telephone-audio/frame-pacing';
import type { CameraStream } from '../../media/media-transport.server.ts';
import { CallRecorder } from '../call-recorder.server.ts';
import { PictureFile } from '../picture-file.server.ts';
import { PictureRecorder } from '../picture-recorder.server.ts';
import { StereoFile } from '../stereo-file.server.ts';
import type { TrackFiles } from './track-files.server.ts';

/** What a recorder reports. */
export interface MeetingRecorderListener {
  /** A voice cannot be written any more: the recording has to end. */
  failed(error: unknown): void;
  /** A picture cannot be written any more; the voice still is. */
  blinded(error: unknown): void;
}

interface Track {
  readonly hear: (pcm: Int16Array) => void;
  readonly tick: () => void;
  readonly recorder: CallRecorder;
  readonly pictures: PictureRecorder | undefined;
}

const SILENCE = new Int16Array(FRAME.samples);

/**
 * Records each person of a meeting in files of their own, all on one clock that starts with the recording.
 */
export class MeetingRecorder {
  readonly #listener: MeetingRecorderListener;
  readonly #tracks = new Map<number, Track>();
  /** Started with the first person who is recorded. */
  #pacer: FramePacer | undefined;
  #ticks = 0;

  constructor(listener: MeetingRecorderListener) {
    this.#listener = listener;
  }

  /** Milliseconds since the recording began. */
  get milliseconds(): number {
    return this.#ticks * FRAME.ms;
  }

  /**
   * Records somebody from now on. Returns the time in the recording, milliseconds.
   *
   * @throws Error of the file system
   */
  async add(number: number, files: TrackFiles, camera: CameraStream | undefined): Promise<number> {
    const picture = camera && (await PictureFile.create(files.picture));
    const from = this.milliseconds;
    const sound = await StereoFile.create(files.sound, { channels: 1, from }).catch(
      async (error: unknown) => {
        await picture?.close();
        throw error;
      },
    );
    const pictures =
      camera &&
      new PictureRecorder(
        camera,
        () => this.milliseconds,
        (error) => this.#listener.blinded(error),
      );
    const hears: ((pcm: Int16Array) => void)[] = [];
    const sends: ((frame: Int16Array, speech: Int16Array) => void)[] = [];
    const recorder = new CallRecorder(
      { onPcm16k: (listener) => hears.push(listener), onSent: (listener) => sends.push(listener) },
      { failed: (error) => this.#listener.failed(error), second: () => pictures?.tick() },
    );
    recorder.start(sound);
    this.#pacer ??= new FramePacer(MACHINE_CLOCK, () => this.#tick());
    if (picture !== undefined) pictures?.start(picture);
    this.#tracks.set(number, {
      hear: (pcm) => void hears.map((listener) => listener(pcm)),
      tick: () => void sends.map((listener) => listener(SILENCE, SILENCE)),
      recorder,
      pictures,
    });
    return from;
  }

  /**
   * Takes mono sound of somebody, 16-bit, 16 000 samples a second; ignored for somebody who is not recorded.
   */
  hear(number: number, pcm: Int16Array): void {
    this.#tracks.get(number)?.hear(pcm);
  }

  /** Ends the recording of one person; their files are complete. */
  async end(number: number): Promise<void> {
    const track = this.#tracks.get(number);
    this.#tracks.delete(number);
    await track?.pictures?.stop();
    await track?.recorder.stop();
  }

  /** Ends the recording of everybody. */
  async close(): Promise<void> {
    this.#pacer?.stop();
    for (const number of [...this.#tracks.keys()]) await this.end(number);
  }

  #tick(): void {
    this.#ticks += 1;
    for (const track of this.#tracks.values()) track.tick();
  }
}
