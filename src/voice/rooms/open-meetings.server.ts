import type { Resources } from '../../kernel/resources/resources.ts';
import type { CallManager } from '../calls/call-manager.server.ts';
import type { MediaTransport, RoomFault } from '../media/media-transport.server.ts';
import type { MediaRoom, RoomLayout } from '../media/room/media-room.server.ts';
import { Meeting } from './meeting.server.ts';
import type { MediaLibrary } from './meeting-players.server.ts';
import type { RoomTapes } from './meeting-recording.server.ts';
import type { MeetingRoomBody } from './meeting-room.contract.ts';
import type { RoomTelephone } from './meeting-telephones.server.ts';
import type { MeetingTranscripts } from './meeting-transcripts.server.ts';
import type { OpenRooms } from './open-rooms.server.ts';
import { RoomAssistant } from './room-assistant.server.ts';

/** What the meetings of this process need. */
export interface MeetingParts {
  readonly resources: Pick<Resources, 'log'>;
  readonly manager: CallManager;
  readonly transport: MediaTransport;
  readonly open: OpenRooms;
  readonly transcripts: MeetingTranscripts;
  readonly library: MediaLibrary;
  /** Calls people into a room by telephone. */
  telephoneOf(room: EnteredRoom): RoomTelephone;
  /** Makes the recordings of a room's meetings. */
  tapesOf(room: EnteredRoom): RoomTapes;
  /** Takes a place for somebody who waited. @throws ServiceError 429 `meeting-full` */
  admit(sessionId: string): void;
  /** Somebody has gone. */
  left(sessionId: string): void;
}

/** A room that somebody enters. */
export interface EnteredRoom {
  readonly id: string;
  readonly body: MeetingRoomBody;
}

/** Who enters: their network address (for the limits of visitors), and whether they wait to be let in. */
export interface Entering {
  readonly address: string;
  readonly waits: boolean;
}

interface OpenMeeting {
  readonly meeting: Meeting;
  readonly assistant: RoomAssistant | undefined;
}

/**
 * Slots of each sort besides those for voices, cameras and one screen: for tracks that pages have named
 * (decision 0466).
 */
const NAMED_SLOTS = 1;

/**
 * What an offer to a room receives: everybody else and the assistant, one screen with its sound, and named
 * tracks.
 */
export function layoutOf({ properties }: MeetingRoomBody): RoomLayout {
  const most = properties.max_participants + NAMED_SLOTS;
  return { audio: most + 1, video: most };
}

/** The meetings in progress in this process: a room has one while somebody is in it. */
export class OpenMeetings {
  readonly #parts: MeetingParts;
  readonly #open = new Map<string, Promise<OpenMeeting>>();
  /** A room's next meeting begins only when the one before has ended. */
  readonly #ends = new Map<string, Promise<void>>();

  constructor(parts: MeetingParts) {
    this.#parts = parts;
  }

  /**
   * The meeting in a room, which is begun if necessary. The room's assistant comes with the first person who
   * does not wait.
   *
   * @throws ServiceError 503 `room_elsewhere`, and what the call manager throws where the assistant cannot
   * come
   */
  async of(room: EnteredRoom, { address, waits }: Entering): Promise<Meeting> {
    const known = this.#open.get(room.id);
    const opening = known ?? this.#begin(room);
    if (known === undefined) this.#open.set(room.id, opening);
    const { meeting, assistant } = await opening.catch((error: unknown) => {
      if (this.#open.get(room.id) === opening) this.#open.delete(room.id);
      throw error;
    });
    if (!waits) await assistant?.come(address);
    return meeting;
  }

  /** Removes somebody; does nothing where they are not there. */
  async putOut(roomId: string, sessionId: string, fault?: RoomFault): Promise<void> {
    await (await this.#open.get(roomId))?.meeting.putOut(sessionId, fault);
  }

  /** Resolves when all meetings that have ended are closed, and their rooms released. */
  async settled(): Promise<void> {
    await Promise.all(this.#ends.values());
  }

  /** Ends the meeting of a room that everybody has left. */
  end(roomId: string): void {
    const opening = this.#open.get(roomId);
    if (opening === undefined) return;
    this.#open.delete(roomId);
    const ended = opening
      .then(async ({ meeting, assistant }) => {
        await assistant?.close();
        await meeting.close();
      })
      .catch((error: unknown) => this.#parts.resources.log.warn({ err: error }, 'a meeting did not end well'))
      .then(() => this.#parts.open.release(roomId))
      .catch((error: unknown) => this.#parts.resources.log.warn({ err: error }, 'a room is still held'));
    this.#ends.set(roomId, ended);
    void ended.then(() => {
      if (this.#ends.get(roomId) === ended) this.#ends.delete(roomId);
    });
  }

  async #begin(room: EnteredRoom): Promise<OpenMeeting> {
    const { transport, open } = this.#parts;
    await this.#ends.get(room.id);
    await open.claim(room.id);
    try {
      return this.#furnish(room, await transport.createRoom(layoutOf(room.body)));
    } catch (error) {
      await open.release(room.id);
      throw error;
    }
  }

  #furnish(room: EnteredRoom, media: MediaRoom): OpenMeeting {
    const { assistantId, name, properties } = room.body;
    let assistant: RoomAssistant | undefined;
    const { resources, manager, transcripts, library } = this.#parts;
    const dials = properties.enable_dialout && assistantId === undefined;
    const listener = {
      attended: (isAttended: boolean) => assistant?.attended(isAttended),
      admit: (id: string) => this.#parts.admit(id),
      left: (id: string) => this.#parts.left(id),
    };
    const meeting = new Meeting(media, listener, {
      transcripts,
      library,
      telephone: dials ? this.#parts.telephoneOf(room) : undefined,
      tapes: properties.enable_recording ? this.#parts.tapesOf(room) : undefined,
    });
    if (assistantId !== undefined)
      assistant = new RoomAssistant({ resources, manager, media, meeting, assistantId, roomName: name });
    return { meeting, assistant };
  }
}
