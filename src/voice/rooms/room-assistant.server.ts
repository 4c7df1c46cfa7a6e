import type { Resources } from '../../kernel/resources/resources.ts';
import type { CallManager } from '../calls/call-manager.server.ts';
import type { MediaRoom } from '../media/room/media-room.server.ts';
import { AssistantPlace } from './assistant-place.server.ts';
import type { Meeting } from './meeting.server.ts';

/** What a room's assistant needs. */
interface AssistantParts {
  readonly resources: Pick<Resources, 'log'>;
  readonly manager: Pick<CallManager, 'begin'>;
  readonly media: MediaRoom;
  readonly meeting: Meeting;
  readonly assistantId: string;
  readonly roomName: string;
}

/**
 * The assistant of a room while people meet there. It comes with the first person who is let in, leaves with
 * the last, and comes again with the next; somebody who only waits outside does not begin a call. An
 * assistant that hangs up stays away until the room was empty.
 */
export class RoomAssistant {
  readonly #parts: AssistantParts;
  #place: AssistantPlace | undefined;
  #isAttended = false;
  #isAway = true;
  /** The network address of the person it last came for, for the limits of visitors. */
  #address = '';
  /** Coming and leaving happen one after another. */
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: AssistantParts) {
    this.#parts = parts;
  }

  /**
   * Brings the assistant for somebody who is about to join, from that network address; does nothing if it is
   * there, or has hung up.
   *
   * @throws what the call manager throws
   */
  async come(address: string): Promise<void> {
    const coming = this.#turn.then(async () => {
      if (!this.#isAway) return;
      this.#address = address;
      await this.#bring();
    });
    this.#turn = coming.catch(() => {});
    await coming;
  }

  /**
   * Begins its call, which lasts until it hangs up or nobody is left. @throws what the call manager throws
   */
  async #bring(): Promise<void> {
    const { manager, media, meeting, assistantId, roomName } = this.#parts;
    const sound = await media.assistant();
    sound.onSent((frame) => meeting.hearAssistant(frame));
    const place = new AssistantPlace(sound, meeting);
    try {
      const call = await manager.begin(
        { assistantId },
        { publicKey: true, address: this.#address },
        { session: place, roomName },
      );
      this.#place = place;
      this.#isAway = false;
      meeting.admitAssistant((text, from) => place.hear(text, from));
      void call.over.then(() => {
        if (this.#place === place) meeting.dismissAssistant();
      });
    } catch (error) {
      await place.close();
      throw error;
    }
  }

  /** Takes whether anybody who was let in is there; called each time this may have changed. */
  attended(isAttended: boolean): void {
    this.#isAttended = isAttended;
    this.#turn = this.#turn
      .then(() => this.#follow())
      .catch((error: unknown) =>
        this.#parts.resources.log.warn({ err: error }, 'the assistant of a room did not come or go'),
      );
  }

  /** The meeting is over. */
  async close(): Promise<void> {
    this.attended(false);
    await this.#turn;
  }

  async #follow(): Promise<void> {
    if (this.#isAttended) {
      if (this.#isAway) await this.#bring();
      this.#place?.begin();
    } else if (!this.#isAway) {
      const place = this.#place;
      this.#place = undefined;
      this.#isAway = true;
      await place?.close();
      this.#parts.meeting.dismissAssistant();
    }
  }
}
