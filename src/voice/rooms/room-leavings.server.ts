import type { RoomProofs } from '../calls/room-proof.server.ts';
import type { MeetingRooms, Place } from './meeting-rooms.server.ts';
import type { OpenRooms } from './open-rooms.server.ts';

/** Leaving a meeting by whichever process one comes to: behind a proxy it need not be the one that holds the room. */
export interface RoomLeavings {
  /** Somebody leaves by the address that they got when they entered; false where it is nobody's in any process. */
  leave(place: Place): Promise<boolean>;
  /** Puts out those who left by another process; several times a minute. */
  carryOut(): Promise<void>;
}

interface LeavingParts {
  readonly rooms: Pick<MeetingRooms, 'leave' | 'isBusy'>;
  readonly open: Pick<OpenRooms, 'askToLeave' | 'leavings' | 'left'>;
  readonly proofs: RoomProofs;
}

/** Opens the leavings of this process. */
export function openRoomLeavings({ rooms, open, proofs }: LeavingParts): RoomLeavings {
  return {
    async leave(place) {
      if (await rooms.leave(place)) return true;
      // Any process knows that the address was given to somebody, not whether they are still there.
      return proofs.belongs(place.id, place.proof) && open.askToLeave(place.id);
    },
    async carryOut() {
      if (!rooms.isBusy()) return;
      for (const id of await open.leavings())
        if (await rooms.leave({ id, proof: proofs.of(id) })) await open.left(id);
    },
  };
}
