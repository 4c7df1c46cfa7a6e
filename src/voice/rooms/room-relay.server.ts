import type { RoomProofs } from '../calls/room-proof.server.ts';
import type { PageReport } from './meeting-room.contract.ts';
import type { MeetingRooms, Place } from './meeting-rooms.server.ts';
import type { OpenRooms } from './open-rooms.server.ts';

/**
 * Takes what pages send once at any process: behind a proxy that may not be the one that holds their room
 * (decisions 0486 and 0498). Each address is the one that a person got when they entered.
 */
export interface RoomRelay {
  /** Somebody leaves; false where the address belongs to nobody in any process. */
  leave(place: Place): Promise<boolean>;
  /** Takes a report of somebody's page; false as for `leave`. */
  report(place: Place, kind: PageReport): Promise<boolean>;
  /**
   * Carries out what other processes were sent for people in this one's rooms; called several times a minute.
   */
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
  // Any process can tell that an address was given to somebody, but not whether they are still there.
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
      // Reports come before leaving, so that a person who does both is heard.
      for (const { sessionId, kind } of await open.passedReports())
        if (rooms.report(placeOf(sessionId), kind)) await open.reported(sessionId, kind);
      for (const id of await open.leavings()) if (await rooms.leave(placeOf(id))) await open.left(id);
    },
  };
}
