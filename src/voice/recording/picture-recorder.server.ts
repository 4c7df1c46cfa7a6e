import type { CameraStream } from '../media/media-transport.server.ts';
import type { PictureFrame } from '../media/picture-frames.server.ts';
import { GROUND_FRAME } from './ground-frame.server.ts';
import type { PictureFile } from './picture-file.server.ts';

/**
 * A camera that sent nothing for this many milliseconds is off: the ground is shown in place of its last
 * picture.
 */
const OFF_MS = 1000;
/** Most bytes that wait for a slow disk; the sound is small and continues. */
const MOST_WAITING = 16 * 1024 * 1024;

/**
 * Records what a caller's camera shows, on the clock of the recorded sound, and the ground where it shows
 * nothing.
 */
export class PictureRecorder {
  readonly #camera: CameraStream;
  readonly #clock: () => number;
  readonly #failed: (error: unknown) => void;
  #file: PictureFile | undefined;
  /** When the camera's last frame came; undefined while the ground is shown. */
  #seenAt: number | undefined;
  #writing: Promise<void> = Promise.resolve();

  /**
   * @param clock milliseconds of sound recorded so far
   * @param failed called when the picture cannot be written any more; recording has ended then
   */
  constructor(camera: CameraStream, clock: () => number, failed: (error: unknown) => void) {
    this.#camera = camera;
    this.#clock = clock;
    this.#failed = failed;
  }

  /** Records into `file` from now on, beginning with the ground. */
  start(file: PictureFile): void {
    this.#file = file;
    this.#showGround(file, 0);
    this.#camera.watch((frame) => this.#see(frame));
  }

  /** Called every second: writes what came. */
  tick(): void {
    const file = this.#file;
    if (file === undefined) return;
    const now = this.#clock();
    if (this.#seenAt === undefined || now - this.#seenAt >= OFF_MS) this.#showGround(file, now);
    this.#write(file);
  }

  /** Writes what is left and closes the file. */
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
      // The last picture must not stay on: the ground follows it.
      file.add({ bytes: GROUND_FRAME, keyframe: true }, now);
      this.#finish(file);
      this.#failed(new Error('it is as large as a picture can be stored'));
    }
  }

  /** The camera's next frames would build on the ground's frame, so a keyframe is requested. */
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

  /** Takes no more frames, writes the queued ones, and closes the file. */
  #finish(file: PictureFile): void {
    this.#leave();
    this.#write(file);
    this.#close(file);
  }

  /** Closes the file after the write under way. */
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
