import type { CameraStream } from '../media/media-transport.server.ts';
import type { PictureFrame } from '../media/picture-frames.server.ts';
import { GROUND_FRAME } from './ground-frame.server.ts';
import type { PictureFile } from './picture-file.server.ts';

/** A camera of which nothing came for this long is off: the ground is shown in its place, and not its last picture. */
const OFF_MS = 1000;
/** Bytes that may wait for a slow disk; sound is small and goes on. */
const MOST_WAITING = 16 * 1024 * 1024;

/** Writes what a caller's camera shows, on the clock of the recorded sound, and the ground where it shows nothing. */
export class PictureRecorder {
  readonly #camera: CameraStream;
  readonly #clock: () => number;
  readonly #failed: (error: unknown) => void;
  #file: PictureFile | undefined;
  /** When the last frame of the camera came; undefined while the ground is shown. */
  #seenAt: number | undefined;
  #writing: Promise<void> = Promise.resolve();

  /**
   * @param clock milliseconds of sound that were recorded so far
   * @param failed called when it cannot be written on; nothing more is taken then
   */
  constructor(camera: CameraStream, clock: () => number, failed: (error: unknown) => void) {
    this.#camera = camera;
    this.#clock = clock;
    this.#failed = failed;
  }

  /** Writes into `file` from now on, from the ground on. */
  start(file: PictureFile): void {
    this.#file = file;
    this.#showGround(file, 0);
    this.#camera.watch((frame) => this.#see(frame));
  }

  /** Some second is over: what came is written. */
  tick(): void {
    const file = this.#file;
    if (file === undefined) return;
    const now = this.#clock();
    if (this.#seenAt === undefined || now - this.#seenAt >= OFF_MS) this.#showGround(file, now);
    this.#write(file);
  }

  /** Writes what is left and closes the file; nothing more is taken. */
  async stop(): Promise<void> {
    const file = this.#file;
    if (file !== undefined) this.#finish(file);
    await this.#writing;
  }

  #see(frame: PictureFrame): void {
    const file = this.#file;
    if (file === undefined) return;
    const now = this.#clock();
    this.#seenAt = now;
    file.add(frame, now);
    if (file.waiting > MOST_WAITING) this.#fail(file, new Error('the disk does not keep up'));
    else if (file.isFull) {
      // The ground stands where there is no picture any more, and not the last one that there was.
      file.add({ bytes: GROUND_FRAME, keyframe: true }, now);
      this.#finish(file);
      this.#failed(new Error('it is as large as a picture can be stored'));
    }
  }

  /** What a camera shows after it builds on the ground's frame in place of its own: it has to begin anew. */
  #showGround(file: PictureFile, at: number): void {
    this.#seenAt = undefined;
    this.#camera.restart();
    file.add({ bytes: GROUND_FRAME, keyframe: true }, at);
  }

  #write(file: PictureFile): void {
    this.#writing = this.#writing
      .then(() => file.write())
      .catch((error: unknown) => {
        if (this.#file === file) this.#fail(file, error);
        else this.#failed(error);
      });
  }

  /** Nothing more is taken; what came is written, and the file closed. */
  #finish(file: PictureFile): void {
    this.#leave();
    this.#write(file);
    this.#close(file);
  }

  /** After what is being written. */
  #close(file: PictureFile): void {
    this.#writing = this.#writing
      .then(() => file.close())
      .catch((unclosed: unknown) => this.#failed(unclosed));
  }

  #leave(): void {
    this.#file = undefined;
    this.#camera.watch(undefined);
  }

  #fail(file: PictureFile, error: unknown): void {
    this.#leave();
    this.#failed(error);
    this.#close(file);
  }
}
