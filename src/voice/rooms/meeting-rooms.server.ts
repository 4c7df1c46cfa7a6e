import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { CallManager } from '../calls/call-manager.server.ts';
import type { RoomProofs } from '../calls/room-proof.server.ts';
import type { IceServer, MediaTransport, RoomFault } from '../media/media-transport.server.ts';
import { checkOffer } from '../media/offer-check.server.ts';
import type { VoiceRecord, VoiceRecords } from '../records/voice-records.server.ts';
import type { ListQuery } from '../records/voice-resources.contract.ts';
import {
  type Entry,
  type MeetingRoomBody,
  type MeetingTokenProperties,
  MOST_PARTICIPANTS,
} from './meeting-room.contract.ts';
import type { MeetingTokens } from './meeting-token.server.ts';
import type { OpenRooms } from './open-rooms.server.ts';
import { type Admission, admit } from './room-admission.server.ts';

/** Somebody in a room, in the wire's names. */
export interface RoomParticipant {
  readonly session_id: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly owner: boolean;
}

/** What somebody gets who enters: the answer to their offer, who they are, and where they leave and report. */
export interface Entrance {
  readonly sdp: string;
  readonly participant: RoomParticipant;
  readonly url: string;
}

/** Rooms that stay, who may enter them, and who is in them. */
export interface MeetingRooms {
  /** @throws ServiceError 409 `room_exists` */
  create(body: MeetingRoomBody): Promise<object>;
  list(query: ListQuery): Promise<object[]>;
  /** @throws ServiceError 404 `no-room` */
  find(name: string): Promise<object>;
  /** Deletes a room; whoever is in it is put out. @throws ServiceError 404 `no-room` */
  remove(name: string): Promise<void>;
  /** @throws ServiceError 404 `no-room` where no room and no call has that name, 503 `room_elsewhere` */
  issueToken(properties: MeetingTokenProperties): Promise<string>;
  /** The STUN and TURN servers for who enters a room; undefined where the address is not one of a room. */
  iceServersOf(place: Place): Promise<readonly IceServer[] | undefined>;
  /**
   * Lets somebody into a room, or into the call of the address.
   *
   * @param address of the network, for the limits of visitors
   * @throws ServiceError with one of the fatal types as its code (docs/contracts/voice.md §2), 400 `bad_offer`
   */
  enter(place: Place, entry: Entry, address: string): Promise<Entrance>;
  /** Who is in a room, or in a call by its id. @throws ServiceError 404 `no-room`, 503 `room_elsewhere` */
  present(name: string): Promise<readonly Presence[]>;
  /**
   * Puts people out by session or by the agency's own ids. Returns the sessions that were.
   *
   * @throws ServiceError 404 `no-room`, 503 `room_elsewhere`
   */
  eject(name: string, whom: Whom): Promise<string[]>;
  /** Puts out whose time is over; several times a minute. */
  endOverdue(): Promise<void>;
  /** Says that the rooms of this process are held. */
  renew(): Promise<void>;
}

/** The address of a room: its id and the proof that belongs to it. */
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

/** What the rooms are made of. */
export interface RoomParts {
  readonly resources: Pick<Resources, 'siteUrl' | 'log'>;
  readonly records: VoiceRecords;
  readonly manager: CallManager;
  readonly transport: Pick<MediaTransport, 'peerServers'>;
  readonly proofs: RoomProofs;
  readonly tokens: MeetingTokens;
  readonly open: OpenRooms;
}

interface Person extends Presence {
  readonly roomId: string;
  readonly roomName: string;
  readonly until: Admission['until'];
  callId: string | undefined;
}

const FAULTS: Readonly<Record<NonNullable<Admission['until']>['type'], string>> = {
  'exp-room': 'This room has closed.',
  'exp-token': 'The token of this meeting has expired.',
  ejected: 'You were removed from the meeting.',
};

const DELETED = 'The room was deleted.';

const secondsNow = (): number => Date.now() / 1000;
const noRoom = (): ServiceError => new ServiceError(404, 'no-room', 'There is no such room.');

/** Opens the rooms of this process. */
export function openMeetingRooms(parts: RoomParts): MeetingRooms {
  return new ProcessRooms(parts);
}

class ProcessRooms implements MeetingRooms {
  readonly #parts: RoomParts;
  readonly #people = new Map<string, Person>();
  /** Claims and releases follow each other, so that none overtakes another of the same room. */
  #lastClaim: Promise<unknown> = Promise.resolve();

  constructor(parts: RoomParts) {
    this.#parts = parts;
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
    await this.#requireKnown(properties.room_name);
    return this.#parts.tokens.issue(properties);
  }

  async iceServersOf({ id, proof }: Place): Promise<readonly IceServer[] | undefined> {
    if (!this.#parts.proofs.belongs(id, proof) || (await this.#roomOf(id)) === undefined) return undefined;
    return this.#parts.transport.peerServers(id);
  }

  async enter({ id, proof }: Place, entry: Entry, address: string): Promise<Entrance> {
    const { manager, proofs } = this.#parts;
    if (!proofs.belongs(id, proof)) throw noRoom();
    checkOffer(entry.sdp);
    const room = await this.#roomOf(id);
    const person = await this.#admitted(id, room, entry);
    try {
      if (room === undefined)
        return this.#inside(person, await manager.join({ callId: id, token: proof }, entry.sdp, address), id);
      await this.#claim(id);
      const { callId, sdp } = await manager.begin(
        { assistantId: room.assistantId },
        { publicKey: true, address },
        { sdp: entry.sdp, roomName: room.name },
      );
      return this.#inside(person, sdp, callId);
    } catch (error) {
      this.#leave(person);
      throw error;
    }
  }

  async present(name: string): Promise<readonly Presence[]> {
    await this.#requireKnown(name);
    return [...this.#people.values()].filter(
      ({ roomName, callId }) => roomName === name && callId !== undefined,
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
    const inRooms = [...this.#people.values()].filter(({ roomId, roomName, callId }) => {
      return roomId !== roomName && callId !== undefined;
    });
    const held = await this.#parts.open.renew([...new Set(inRooms.map(({ roomId }) => roomId))]);
    await this.#putOut(
      inRooms.filter(({ session_id, roomId }) => this.#people.has(session_id) && !held.has(roomId)),
      () => ({ type: 'ejected', msg: DELETED }),
    );
  }

  /** Checks token and times and takes a place, before anything else is waited for. */
  async #admitted(id: string, room: MeetingRoomBody | undefined, entry: Entry): Promise<Person> {
    const now = secondsNow();
    const token = entry.token === undefined ? undefined : await this.#parts.tokens.read(entry.token, now);
    const admission = admit(room ?? callRoom(id), entry, token, now);
    const inside = [...this.#people.values()].filter(({ roomId }) => roomId === id).length;
    // A call says itself that it has been joined already.
    if (room !== undefined && inside >= room.properties.max_participants)
      throw new ServiceError(429, 'meeting-full', 'This room is full. Please try again later.', {
        headers: { 'retry-after': '30' },
      });
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
      callId: undefined,
    };
    if (room !== undefined) this.#people.set(session_id, person);
    return person;
  }

  /** Somebody has got an answer: they are in until their call is over. */
  #inside(person: Person, sdp: string, callId: string): Entrance {
    const { resources, proofs, manager } = this.#parts;
    const { session_id, user_id, user_name, owner } = person;
    this.#people.set(session_id, { ...person, callId });
    void (manager.live(callId)?.over ?? Promise.resolve()).then(() => this.#leave(person));
    const url = `${resources.siteUrl}${SERVICES.voice}/room/${callId}/${proofs.of(callId)}`;
    return { sdp, participant: { session_id, user_id, user_name, owner }, url };
  }

  #leave({ session_id, roomId, roomName }: Person): void {
    this.#people.delete(session_id);
    if (roomName === roomId) return;
    this.#lastClaim = this.#lastClaim
      .then(async () => {
        const empty = [...this.#people.values()].every((other) => other.roomId !== roomId);
        if (empty) await this.#parts.open.release(roomId);
      })
      .catch((error: unknown) => this.#parts.resources.log.warn({ err: error }, 'a room is still held'));
  }

  async #claim(roomId: string): Promise<void> {
    const claimed = this.#lastClaim.then(() => this.#parts.open.claim(roomId));
    this.#lastClaim = claimed.catch(() => {});
    await claimed;
  }

  async #putOut(people: readonly Person[], faultOf: (person: Person) => RoomFault): Promise<string[]> {
    const inside = people.filter(({ callId }) => callId !== undefined);
    await Promise.all(
      inside.map((person) => this.#parts.manager.expel(person.callId ?? '', faultOf(person))),
    );
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
    const room = await this.#parts.records.named('room', name);
    if (room === undefined) throw noRoom();
    return room;
  }

  /** The room with this id; undefined where it is none. */
  async #roomOf(id: string): Promise<MeetingRoomBody | undefined> {
    const body = await this.#parts.records.body('room', id).catch((error: { status?: number }) => {
      if (error.status !== 404) throw error;
    });
    return body as MeetingRoomBody | undefined;
  }

  /** @throws ServiceError 404 `no-room` where nothing has that name, 503 `room_elsewhere` */
  async #requireKnown(name: string): Promise<void> {
    const { records, open } = this.#parts;
    const room = await records.named('room', name);
    if (room !== undefined) return open.requireHere(room.id);
    if (!z.uuid().safeParse(name).success) throw noRoom();
    await records.find('call', name).catch((error: { status?: number }) => {
      throw error.status === 404 ? noRoom() : error;
    });
  }
}

/** A call is a room of its own, with its id as its name: its address is the proof, and a token adds to it. */
function callRoom(id: string): MeetingRoomBody {
  return {
    name: id,
    privacy: 'public',
    assistantId: '',
    properties: { max_participants: MOST_PARTICIPANTS, eject_at_room_exp: false },
  };
}
