import { CameraReceiver } from '../camera-receiver.server.ts';
import type { CameraStream } from '../media-transport.server.ts';
import type { PictureFrame, PicturePacket } from '../picture-frames.server.ts';

/** What a camera needs from its room. */
interface CameraLinks {
  /** Which size of the picture is used now, 0 the smallest. */
  layer(): number;
  /** Requests a keyframe of this size. */
  requestKeyframe(layer: number): void;
}

/**
 * Somebody's camera in a room, for a recording: one of the sizes that they send. Packets are examined only
 * while somebody watches.
 */
export class RoomCamera implements CameraStream {
  readonly #links: CameraLinks;
  readonly #receiver: CameraReceiver;
  #listener: ((frame: PictureFrame) => void) | undefined;
  #layer = 0;

  constructor(links: CameraLinks) {
    this.#links = links;
    this.#receiver = new CameraReceiver(() => links.requestKeyframe(this.#layer));
  }

  watch(listener: ((frame: PictureFrame) => void) | undefined): void {
    this.#listener = listener;
    this.#receiver.watch(listener);
  }

  restart(): void {
    this.#receiver.restart();
  }

  /**
   * Takes a packet of one size. Each size is a stream of its own: a change of size begins anew, with a
   * keyframe.
   */
  take(layer: number, packet: PicturePacket): void {
    if (this.#listener === undefined || layer !== this.#links.layer()) return;
    if (layer !== this.#layer) {
      this.#layer = layer;
      this.#receiver.watch(this.#listener);
    }
    this.#receiver.take(packet);
  }
}
