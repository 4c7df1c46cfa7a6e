import type { CameraStream } from './media-transport.server.ts';
import { SecondCount } from './per-second-count.server.ts';
import { type PictureFrame, PictureFrames, type PicturePacket } from './picture-frames.server.ts';

/** Bits a second that a caller's camera may send: enough for 1280×720 of a person who talks. */
export const CAMERA_BITRATE = 2_000_000;
/** Bytes in one second beyond which packets are dropped: twice the announced bandwidth. */
const MOST_BYTES = (2 * CAMERA_BITRATE) / 8;
/**
 * Bytes that each packet counts for besides its payload: many small packets are as much work as a few large
 * ones.
 */
const PACKET_BYTES = 60;
/** Shortest time between two requests for a keyframe, milliseconds. */
const KEYFRAME_MS = 500;

/** The caller's camera as it comes over the network; packets are examined only while somebody watches. */
export class CameraReceiver implements CameraStream {
  readonly #requestKeyframe: () => void;
  readonly #bytes = new SecondCount();
  #frames = new PictureFrames();
  #listener: ((frame: PictureFrame) => void) | undefined;
  #requestedAt = Number.NEGATIVE_INFINITY;

  constructor(requestKeyframe: () => void) {
    this.#requestKeyframe = requestKeyframe;
  }

  watch(listener: ((frame: PictureFrame) => void) | undefined): void {
    this.#listener = listener;
    this.#frames = new PictureFrames();
  }

  restart(): void {
    this.#frames.restart();
  }

  /** Takes a packet from the network. */
  take(packet: PicturePacket, now = performance.now()): void {
    const listener = this.#listener;
    if (listener === undefined || this.#bytes.add(packet.payload.length + PACKET_BYTES, now) > MOST_BYTES)
      return;
    for (const frame of this.#frames.take(packet)) listener(frame);
    if (!this.#frames.waits || now - this.#requestedAt < KEYFRAME_MS) return;
    this.#requestedAt = now;
    this.#requestKeyframe();
  }
}
