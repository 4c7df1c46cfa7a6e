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

/** What the meetings of this process are made of. */
export interface MeetingParts {
  readonly resources: Pick<Resources, 'log'>;
  readonly manager: CallManager;
  readonly transport: MediaTransport;
  readonly open: OpenRooms;
  readonly transcripts: MeetingTranscripts;
  readonly library: MediaLibrary;
  /** What people are called into a room by. */
  telephoneOf(room: EnteredRoom): RoomTelephone;
  /** What its meetings are recorded with. */
  tapesOf(room: EnteredRoom): RoomTapes;
  /** Somebody who waited takes a place. @throws ServiceError 429 `meeting-full` */
  admit(sessionId: string): void;
  /** Somebody is not there any more. */
  left(sessionId: string): void;
}

/** A room that somebody enters. */
export interface EnteredRoom {
  readonly id: string;
  readonly body: MeetingRoomBody;
}

/** Who enters: from which network address (for the limits of visitors), and whether they wait until they are let in. */
export interface Entering {
  readonly address: string;
  readonly waits: boolean;
}

interface OpenMeeting {
  readonly meeting: Meeting;
  readonly assistant: RoomAssistant | undefined;
}

/** Tracks of each sort beyond voices, cameras and one screen: what pages have named (decision 0466). */
const NAMED_SLOTS = 1;

/** What an offer to a room receives: everybody else and the assistant, one screen with its sound, and named tracks. */
export function layoutOf({ properties }: MeetingRoomBody): RoomLayout {
  const most = properties.max_participants + NAMED_SLOTS;
  return { audio: most + 1, video: most };
}

/** The meetings that go on in this process: a room has one while somebody is in it. */
export class OpenMeetings {
  readonly #parts: MeetingParts;
  readonly #open = new Map<string, Promise<OpenMeeting>>();
  /** Beginning and end of a room's meetings follow each other. */
  readonly #ends = new Map<string, Promise<void>>();

  constructor(parts: MeetingParts) {
    this.#parts = parts;
  }

  /**
   * The meeting in a room; begins it where there is none, and brings the room's assistant with the first who does not wait.
   *
   * @throws ServiceError 503 `room_elsewhere`, and what the call manager throws where the assistant cannot come
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

  /** Puts somebody out; nothing where they are not. */
  async putOut(roomId: string, sessionId: string, fault?: RoomFault): Promise<void> {
    await (await this.#open.get(roomId))?.meeting.putOut(sessionId, fault);
  }

  /** Resolves when all meetings that have ended are cleared away, and their rooms let go of. */
  async settled(): Promise<void> {
    await Promise.all(this.#ends.values());
  }

  /** Ends the meeting of a room: nobody is in it any more. */
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
