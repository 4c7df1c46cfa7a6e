import type { RoomProofs } from '../calls/room-proof.server.ts';
import type { PageReport } from './meeting-room.contract.ts';
import type { MeetingRooms, Place } from './meeting-rooms.server.ts';
import type { OpenRooms } from './open-rooms.server.ts';

/**
 * What pages say once, at whichever process it comes to: behind a proxy that need not be the one which holds their room
 * (decisions 0486 and 0498). Each address is the one that somebody got when they entered.
 */
export interface RoomRelay {
  /** Somebody leaves; false where the address is nobody's in any process. */
  leave(place: Place): Promise<boolean>;
  /** Somebody's page reports; false as above. */
  report(place: Place, kind: PageReport): Promise<boolean>;
  /** Carries out what was said at other processes of people in rooms of this one; several times a minute. */
  carryOut(): Promise<void>;
}

interface RelayParts {
  readonly rooms: Pick<MeetingRooms, 'leave' | 'report' | 'isBusy'>;
  readonly open: Pick<
    OpenRooms,
    'askToLeave' | 'leavings' | 'left' | 'passReport' | 'passedReports' | 'reported'
  >;
  readonly proofs: RoomProofs;
}

/** Opens the relay of this process. */
export function openRoomRelay({ rooms, open, proofs }: RelayParts): RoomRelay {
  // Any process knows that an address was given to somebody, not whether they are still there.
  const wasGiven = ({ id, proof }: Place): boolean => proofs.belongs(id, proof);
  const placeOf = (id: string): Place => ({ id, proof: proofs.of(id) });
  return {
    async leave(place) {
      return (await rooms.leave(place)) || (wasGiven(place) && open.askToLeave(place.id));
    },
    async report(place, kind) {
      return rooms.report(place, kind) || (wasGiven(place) && open.passReport(place.id, kind));
    },
    async carryOut() {
      if (!rooms.isBusy()) return;
      // Before anybody is put out: who reports and leaves is heard with both.
      for (const { sessionId, kind } of await open.passedReports())
        if (rooms.report(placeOf(sessionId), kind)) await open.reported(sessionId, kind);
      for (const id of await open.leavings()) if (await rooms.leave(placeOf(id))) await open.left(id);
    },
  };
}
