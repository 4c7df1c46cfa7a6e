import type { Settings } from '../../kernel/config/settings.ts';
import { refusal } from '../calls/call-refusal.server.ts';

/** A place that somebody wants: in the room, or among the people who wait to be let in. */
interface WantedPlace {
  readonly roomId: string;
  /** How many people the room may hold: `max_participants`. */
  readonly most: number;
  readonly waits: boolean;
}

/** Everybody in the rooms and calls of this process; a telephone takes a place until its call is over. */
interface Present {
  /** A call is a room whose name is its id. */
  readonly people: readonly { readonly roomId: string; readonly roomName: string; readonly waits: boolean }[];
  readonly telephones: readonly { readonly roomId: string }[];
}

/**
 * How many people may be in a room, and in all rooms of this process together. People who wait take no places, but
 * their number has the same limits.
 *
 * @throws ServiceError 429 `meeting-full`
 */
export function requirePlace(
  { roomId, most, waits }: WantedPlace,
  { people, telephones }: Present,
  { VOICE_ROOM_PEOPLE }: Pick<Settings, 'VOICE_ROOM_PEOPLE'>,
): void {
  const inRooms = people.filter((one) => one.roomId !== one.roomName && one.waits === waits);
  const others = waits ? inRooms : [...inRooms, ...telephones];
  const here = others.filter((one) => one.roomId === roomId);
  if (here.length < most && others.length < VOICE_ROOM_PEOPLE) return;
  throw refusal('meeting-full', 'This room is full. Please try again later.', 30);
}
