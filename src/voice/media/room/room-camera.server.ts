import { CameraReceiver } from '../camera-receiver.server.ts';
import type { CameraStream } from '../media-transport.server.ts';
import type { PictureFrame, PicturePacket } from '../picture-frames.server.ts';

/** What a camera of a room is joined to. */
interface CameraLinks {
  /** Which size of the picture is taken now, 0 the smallest. */
  layer(): number;
  /** Asks for a frame of this size that stands alone. */
  requestKeyframe(layer: number): void;
}

/** Somebody's camera in a room, for a recording: one of the sizes that come, looked at only while somebody watches. */
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

  /** Takes a packet of one of the sizes. Another size is another stream: it begins anew, with a frame that stands alone. */
  take(layer: number, packet: PicturePacket): void {
    if (this.#listener === undefined || layer !== this.#links.layer()) return;
    if (layer !== this.#layer) {
      this.#layer = layer;
      this.#receiver.watch(this.#listener);
    }
    this.#receiver.take(packet);
  }
}
