import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { CallManager, RoomKey } from '../calls/call-manager.server.ts';
import type { RoomProofs } from '../calls/room-proof.server.ts';
import type { CallAssistant } from '../engines/engines.server.ts';
import type { IceServer, MediaTransport, RoomFault } from '../media/media-transport.server.ts';
import type { RoomLayout } from '../media/room/media-room.server.ts';
import type { MeetingRecordings } from '../recording/meeting/meeting-recordings.server.ts';
import { isNeverRecorded } from '../recording/recording-plan.server.ts';
import type { VoiceRecord, VoiceRecords } from '../records/voice-records.server.ts';
import type { ListQuery } from '../records/voice-resources.contract.ts';
import type { MediaLibrary } from './meeting-players.server.ts';
import type { RoomTapes } from './meeting-recording.server.ts';
import {
  type Entry,
  type MeetingRoomBody,
  type MeetingTokenProperties,
  MOST_PARTICIPANTS,
  type PageReport,
} from './meeting-room.contract.ts';
import type { RoomTelephone } from './meeting-telephones.server.ts';
import type { MeetingTokens } from './meeting-token.server.ts';
import type { MeetingTranscripts } from './meeting-transcripts.server.ts';
import { type EnteredRoom, layoutOf, OpenMeetings } from './open-meetings.server.ts';
import type { OpenRooms } from './open-rooms.server.ts';
import { type Admission, admit } from './room-admission.server.ts';
import { requirePlace } from './room-capacity.server.ts';

/** Somebody in a room, in the API's names. */
export interface RoomParticipant {
  readonly session_id: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly owner: boolean;
}

/**
 * What somebody who enters gets: the answer to their offer, who they are, and an address for leaving and
 * reporting.
 */
export interface Entrance {
  readonly sdp?: string;
  /** In place of `sdp`: LiveKit's address with the caller's token. */
  readonly livekit?: string;
  readonly participant: RoomParticipant;
  readonly url: string;
  /** The room as the call library shows it; undefined for a call. */
  readonly room?: object;
}

/** Permanent rooms, who may enter them, and who is in them. */
export interface MeetingRooms {
  /** @throws ServiceError 409 `room_exists` */
  create(body: MeetingRoomBody): Promise<object>;
  list(query: ListQuery): Promise<object[]>;
  /** @throws ServiceError 404 `no-room` */
  find(name: string): Promise<object>;
  /** Deletes a room and removes everybody in it. @throws ServiceError 404 `no-room` */
  remove(name: string): Promise<void>;
  /**
   * Issues a token. @throws ServiceError 404 `no-room` where no room and no call has that name, 503
   * `room_elsewhere`
   */
  issueToken(properties: MeetingTokenProperties): Promise<string>;
  /** What is needed to make an offer to a room; undefined where the address is not a room's. */
  describe(place: Place): Promise<RoomDescription | undefined>;
  /**
   * Whether somebody who comes now, with this token or without one, may enter or has to wait.
   *
   * @throws ServiceError as `enter` does for somebody who may not come at all; free places are not checked
   */
  access(place: Place, token: string | undefined): Promise<{ readonly level: 'full' | 'lobby' }>;
  /**
   * Lets somebody into a room, or into the call of the address.
   *
   * @param address their network address, for the limits of visitors
   * @throws ServiceError with one of the fatal types as its code (docs/contracts/voice.md §2), 400
   * `bad_offer`
   */
  enter(place: Place, entry: Entry, address: string): Promise<Entrance>;
  /** Somebody leaves, by the address that they got when they entered; false if it is not such an address. */
  leave(place: Place): Promise<boolean>;
  /**
   * Takes a report of somebody's page, by the same address; false if it is not such an address. Its words are not
   * stored.
   */
  report(place: Place, kind: PageReport): boolean;
  /** Whether anybody is in a room or is joining a call. */
  isBusy(): boolean;
  /** Who is in a room, or in a call by its id. @throws ServiceError 404 `no-room`, 503 `room_elsewhere` */
  present(name: string): Promise<readonly Presence[]>;
  /**
   * Removes people by session or by the agency's own ids. Returns the removed sessions.
   *
   * @throws ServiceError 404 `no-room`, 503 `room_elsewhere`
   */
  eject(name: string, whom: Whom): Promise<string[]>;
  /** Removes people whose time is over; called several times a minute. */
  endOverdue(): Promise<void>;
  /** Renews this process's claim to its rooms. */
  renew(): Promise<void>;
  /** Resolves when the rooms that everybody has left are released, so that other processes can claim them. */
  settled(): Promise<void>;
}

/** How people connect to a room. */
export interface RoomDescription {
  readonly iceServers: readonly IceServer[];
  readonly layout: RoomLayout;
}

/** The address of a room: its id and the proof that the sender was given the address. */
export interface Place {
  readonly id: string;
  readonly proof: string;
}
export interface Whom {
  readonly ids?: readonly string[] | undefined;
  readonly user_ids?: readonly string[] | undefined;
}
/** Somebody in a room, and since when (seconds since 1970). */
export interface Presence extends RoomParticipant {
  readonly since: number;
}

/** What the rooms need. */
export interface RoomParts {
  readonly resources: Pick<Resources, 'siteUrl' | 'log' | 'settings'>;
  readonly records: VoiceRecords;
  readonly manager: CallManager;
  readonly transport: MediaTransport;
  readonly proofs: RoomProofs;
  readonly tokens: MeetingTokens;
  readonly open: OpenRooms;
  readonly transcripts: MeetingTranscripts;
  readonly telephone: RoomTelephone;
  readonly library: MediaLibrary;
  readonly recordings: MeetingRecordings;
}

interface Person extends Presence {
  readonly roomId: string;
  readonly roomName: string;
  readonly until: Admission['until'];
  /** How many people the room takes. */
  readonly most: number;
  readonly waits: boolean;
  /** What their token grants. */
  readonly granted: Partial<MeetingTokenProperties>;
  /** Removes them; undefined until they have got their answer. */
  readonly putOut: ((fault: RoomFault) => Promise<void>) | undefined;
}

const FAULTS: Readonly<Record<NonNullable<Admission['until']>['type'], string>> = {
  'exp-room': 'This room has closed.',
  'exp-token': 'The token of this meeting has expired.',
  ejected: 'You were removed from the meeting.',
};

const DELETED = 'The room was deleted.';

const secondsNow = (): number => Date.now() / 1000;
const noRoom = (): ServiceError => new ServiceError(404, 'no-room', 'There is no such room.');

/** @throws ServiceError 404 `no-room` in place of a 404; other errors as they are */
function asNoRoom(error: { status?: number }): never {
  throw error.status === 404 ? noRoom() : error;
}

/** Opens the rooms of this process. */
export function openMeetingRooms(parts: RoomParts): MeetingRooms {
  return new ProcessRooms(parts);
}

class ProcessRooms implements MeetingRooms {
  readonly #parts: RoomParts;
  readonly #people = new Map<string, Person>();
  /** Telephones that are being called into rooms or talk in them; each takes a place. */
  readonly #telephones = new Set<{ readonly roomId: string }>();
  readonly #meetings: OpenMeetings;

  constructor(parts: RoomParts) {
    this.#parts = parts;
    this.#meetings = new OpenMeetings({
      ...parts,
      telephoneOf: (room) => this.#telephoneOf(room),
      tapesOf: (room) => this.#tapesOf(room),
      admit: (id) => this.#letIn(id),
      left: (id) => this.#leave(id),
    });
  }

  async create(body: MeetingRoomBody): Promise<object> {
    return this.#shown(await this.#parts.records.create('room', { ...body }));
  }

  async list(query: ListQuery): Promise<object[]> {
    return (await this.#parts.records.list('room', query)).map((room) => this.#shown(room));
  }

  async find(name: string): Promise<object> {
    return this.#shown(await this.#named(name));
  }

  async remove(name: string): Promise<void> {
    const { id } = await this.#named(name);
    await this.#parts.records.remove('room', id);
    await this.#putOut(
      [...this.#people.values()].filter(({ roomId }) => roomId === id),
      () => ({ type: 'ejected', msg: DELETED }),
    );
  }

  async issueToken(properties: MeetingTokenProperties): Promise<string> {
    const id = await this.#requireKnown(properties.room_name);
    return this.#parts.tokens.issue(properties, id);
  }

  async describe({ id, proof }: Place): Promise<RoomDescription | undefined> {
    const { proofs, transport } = this.#parts;
    const room = proofs.belongs(id, proof) ? await this.#roomOf(id) : undefined;
    if (room === undefined) return undefined;
    return { iceServers: transport.peerServers(id), layout: layoutOf(room) };
  }

  async access({ id, proof }: Place, token: string | undefined): Promise<{ level: 'full' | 'lobby' }> {
    const { proofs, records } = this.#parts;
    if (!proofs.belongs(id, proof)) throw noRoom();
    const room = await this.#roomOf(id);
    if (room === undefined) await records.find('call', id).catch(asNoRoom);
    const { waits } = await this.#admission(id, room, { token });
    return { level: waits ? 'lobby' : 'full' };
  }

  async enter({ id, proof }: Place, entry: Entry, address: string): Promise<Entrance> {
    const { proofs } = this.#parts;
    if (!proofs.belongs(id, proof)) throw noRoom();
    const room = await this.#roomOf(id);
    const person = await this.#admitted(id, room, entry);
    try {
      return room === undefined
        ? await this.#join(person, { callId: id, token: proof }, { entry, address })
        : await this.#meet(person, { id, body: room }, { entry, address });
    } catch (error) {
      this.#leave(person.session_id);
      throw error;
    }
  }

  async leave(place: Place): Promise<boolean> {
    const person = this.#personAt(place);
    if (person === undefined) return false;
    await this.#meetings.putOut(person.roomId, place.id);
    return true;
  }

  report(place: Place, kind: PageReport): boolean {
    const person = this.#personAt(place);
    if (person === undefined) return false;
    // A page's words stay out of the log, since they may be a person's.
    const { log } = this.#parts.resources;
    log.info({ kind, room: person.roomId }, "somebody's page in a room reports");
    return true;
  }

  isBusy(): boolean {
    return this.#people.size > 0;
  }

  async present(name: string): Promise<readonly Presence[]> {
    await this.#requireKnown(name);
    return [...this.#people.values()].filter(
      ({ roomName, putOut, waits }) => roomName === name && putOut !== undefined && !waits,
    );
  }

  async eject(name: string, { ids = [], user_ids = [] }: Whom): Promise<string[]> {
    await this.#requireKnown(name);
    const meant = [...this.#people.values()].filter(
      (one) => one.roomName === name && (ids.includes(one.session_id) || user_ids.includes(one.user_id)),
    );
    return this.#putOut(meant, () => ({ type: 'ejected', msg: FAULTS.ejected }));
  }

  async endOverdue(): Promise<void> {
    const now = secondsNow();
    const overdue = [...this.#people.values()].filter(
      ({ until }) => until !== undefined && until.second <= now,
    );
    await this.#putOut(overdue, ({ until }) => {
      const type = until?.type ?? 'ejected';
      return { type, msg: FAULTS[type] };
    });
  }

  async renew(): Promise<void> {
    const inRooms = [...this.#people.values()].filter(({ roomId, roomName, putOut }) => {
      return roomId !== roomName && putOut !== undefined;
    });
    const held = await this.#parts.open.renew([...new Set(inRooms.map(({ roomId }) => roomId))]);
    await this.#putOut(
      inRooms.filter(({ session_id, roomId }) => this.#people.has(session_id) && !held.has(roomId)),
      () => ({ type: 'ejected', msg: DELETED }),
    );
  }

  async settled(): Promise<void> {
    await this.#meetings.settled();
  }

  /** Checks the token and the times, and takes a place before anything else is awaited. */
  async #admitted(id: string, room: MeetingRoomBody | undefined, entry: Entry): Promise<Person> {
    const admission = await this.#admission(id, room, entry);
    const { now, token } = admission;
    // A call itself reports that it has been joined already.
    const most = room?.properties.max_participants ?? MOST_PARTICIPANTS;
    if (room !== undefined) this.#requirePlace(id, most, admission.waits);
    const session_id = randomUUID();
    const person: Person = {
      session_id,
      user_id: admission.userId ?? session_id,
      user_name: admission.userName,
      owner: admission.owner,
      since: now,
      roomId: id,
      roomName: room?.name ?? id,
      until: admission.until,
      most,
      waits: admission.waits,
      granted: token ?? {},
      putOut: undefined,
    };
    if (room !== undefined) this.#people.set(session_id, person);
    return person;
  }

  /** Whether somebody may come, and what their token grants. */
  async #admission(
    id: string,
    room: MeetingRoomBody | undefined,
    entry: Pick<Entry, 'token' | 'userName' | 'library'>,
  ): Promise<Admission & { readonly now: number; readonly token: MeetingTokenProperties | undefined }> {
    const now = secondsNow();
    const token = entry.token === undefined ? undefined : await this.#parts.tokens.read(entry.token, now);
    if (token !== undefined && token.roomId !== id)
      throw new ServiceError(403, 'not-allowed', 'This token is for another room.');
    return { ...admit(room ?? callRoom(id), entry, token, now), now, token };
  }

  /** The recordings of a room; a room whose assistant must not be recorded has none. */
  #tapesOf({ id, body: { name, assistantId } }: EnteredRoom): RoomTapes {
    const { recordings, records } = this.#parts;
    return {
      open: async (wish, listener) => {
        const assistant = assistantId === undefined ? {} : await records.body('assistant', assistantId);
        if (isNeverRecorded(assistant as CallAssistant))
          throw new ServiceError(403, 'not-allowed', 'Nothing is recorded where this assistant takes part.');
        return recordings.open({ ...wish, room: { id, name } }, listener);
      },
      store: (tape) => recordings.store(tape),
    };
  }

  /** Calls people into a room while it has places; each call takes one until it is over. */
  #telephoneOf({ id: roomId, body }: EnteredRoom): RoomTelephone {
    return {
      dial: async (wish) => {
        this.#requirePlace(roomId, body.properties.max_participants, false);
        const called = { roomId };
        const left = (): void => void this.#telephones.delete(called);
        this.#telephones.add(called);
        try {
          const line = await this.#parts.telephone.dial(wish);
          void line.over.then(left);
          return line;
        } catch (error) {
          left();
          throw error;
        }
      },
    };
  }

  /** @throws ServiceError 429 `meeting-full` */
  #requirePlace(roomId: string, most: number, waits: boolean): void {
    const present = { people: [...this.#people.values()], telephones: [...this.#telephones] };
    requirePlace({ roomId, most, waits }, present, this.#parts.resources.settings);
  }

  /** Somebody who waited is let in. */
  #letIn(sessionId: string): void {
    const person = this.#people.get(sessionId);
    if (person === undefined) return;
    this.#requirePlace(person.roomId, person.most, false);
    this.#people.set(sessionId, { ...person, waits: false });
  }

  /** Joins the call of the address. */
  async #join(
    person: Person,
    key: RoomKey,
    { entry, address }: { entry: Entry; address: string },
  ): Promise<Entrance> {
    const { manager, proofs, transport } = this.#parts;
    const answer = await manager.join(key, entry.sdp, address);
    const { callId } = key;
    this.#people.set(person.session_id, { ...person, putOut: (fault) => manager.expel(callId, fault) });
    void (manager.live(callId)?.over ?? Promise.resolve()).then(() => this.#leave(person.session_id));
    return this.#entrance(person, { [transport.answersWith]: answer }, `${callId}/${proofs.of(callId)}`);
  }

  /** Joins a room, where the others are. */
  async #meet(
    person: Person,
    room: EnteredRoom,
    { entry, address }: { entry: Entry; address: string },
  ): Promise<Entrance> {
    const { session_id: id, user_id: userId, user_name: userName, owner, waits } = person;
    const { sdp: offer, userData = null } = entry;
    const meeting = await this.#meetings.of(room, { address, waits });
    // They may leave at any moment after the answer, so they are registered before it.
    this.#people.set(id, { ...person, putOut: (fault) => this.#meetings.putOut(room.id, id, fault) });
    const records = owner && person.granted.start_cloud_recording === true;
    const sdp = await meeting.enter({ id, userId, userName, userData, owner, waits, records }, offer);
    const { name, properties: config } = room.body;
    const info = { id: room.id, name, config, domainConfig: {}, tokenConfig: person.granted };
    return { ...this.#entrance(person, { sdp }, `${id}/${this.#parts.proofs.of(id)}`), room: info };
  }

  #entrance(
    { session_id, user_id, user_name, owner }: Person,
    answer: Pick<Entrance, 'sdp' | 'livekit'>,
    place: string,
  ): Entrance {
    const url = `${this.#parts.resources.siteUrl}${SERVICES.voice}/room/${place}`;
    return { ...answer, participant: { session_id, user_id, user_name, owner }, url };
  }

  /**
   * The person whose own address this is; undefined for the address of a room or a call, and for an invalid
   * one.
   */
  #personAt({ id, proof }: Place): Person | undefined {
    return this.#parts.proofs.belongs(id, proof) ? this.#people.get(id) : undefined;
  }

  #leave(sessionId: string): void {
    const person = this.#people.get(sessionId);
    this.#people.delete(sessionId);
    if (person === undefined) return;
    const isEmpty = [...this.#people.values()].every(({ roomId }) => roomId !== person.roomId);
    if (isEmpty) this.#meetings.end(person.roomId);
  }

  async #putOut(people: readonly Person[], faultOf: (person: Person) => RoomFault): Promise<string[]> {
    const inside = people.filter(({ putOut }) => putOut !== undefined);
    await Promise.all(inside.map((person) => person.putOut?.(faultOf(person))));
    return inside.map(({ session_id }) => session_id);
  }

  #shown({ id, createdAt, ...body }: VoiceRecord): object {
    const { name, privacy, properties, assistantId } = body as unknown as MeetingRoomBody;
    const { resources, proofs } = this.#parts;
    return {
      id,
      name,
      api_created: true,
      privacy,
      url: `${resources.siteUrl}${SERVICES.voice}/room/${id}/${proofs.of(id)}`,
      created_at: createdAt,
      config: properties,
      assistantId,
    };
  }

  async #named(name: string): Promise<VoiceRecord> {
    const room = await this.#parts.records.roomNamed(name);
    if (room === undefined) throw noRoom();
    return room;
  }

  /** The room with this id; undefined where there is none. */
  async #roomOf(id: string): Promise<MeetingRoomBody | undefined> {
    const body = await this.#parts.records.body('room', id).catch((error: { status?: number }) => {
      if (error.status !== 404) throw error;
    });
    return body as MeetingRoomBody | undefined;
  }

  /** The id of a room or call of that name. @throws ServiceError 404 `no-room`, 503 `room_elsewhere` */
  async #requireKnown(name: string): Promise<string> {
    const { records, open } = this.#parts;
    const room = await records.roomNamed(name);
    if (room !== undefined) {
      await open.requireHere(room.id);
      return room.id;
    }
    if (!z.uuid().safeParse(name).success) throw noRoom();
    await records.find('call', name).catch(asNoRoom);
    return name;
  }
}

/**
 * A call as a room of its own, with its id as its name: its address is the proof, and a token only adds to
 * it.
 */
function callRoom(id: string): MeetingRoomBody {
  return {
    name: id,
    privacy: 'public',
    properties: { max_participants: MOST_PARTICIPANTS, eject_at_room_exp: false, enable_knocking: false },
  };
}
