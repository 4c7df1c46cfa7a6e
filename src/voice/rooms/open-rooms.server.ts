import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { PageReport } from './meeting-room.contract.ts';

/** A process that has not renewed its rooms for this many seconds has lost them. */
const LOST_SECONDS = 30;
/** After this many seconds the process that a message is for has gone, and its people with it. */
const GONE_SECONDS = 60;

/** Which process holds which room; all people in a room meet in one process. */
export interface OpenRooms {
  /** @throws ServiceError 503 `room_elsewhere` while another process holds the room */
  claim(roomId: string): Promise<void>;
  /**
   * Renews this process's claims, and returns the rooms that it still holds: one may have been deleted
   * elsewhere.
   */
  renew(roomIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** @throws ServiceError 503 `room_elsewhere` while another process holds the room */
  requireHere(roomId: string): Promise<void>;
  release(roomId: string): Promise<void>;
  /**
   * Asks the process that holds somebody's room to remove them, which happens within seconds; false where no
   * such process can exist.
   */
  askToLeave(sessionId: string): Promise<boolean>;
  /** The sessions of people who left through another process, from all rooms. */
  leavings(): Promise<readonly string[]>;
  /** One of them was removed. */
  left(sessionId: string): Promise<void>;
  /**
   * Passes a page's report to the process that holds the person's room; repetitions count once until it
   * arrives. False as for `askToLeave`.
   */
  passReport(sessionId: string, kind: PageReport): Promise<boolean>;
  /** What pages reported to other processes, from all rooms. */
  passedReports(): Promise<readonly { readonly sessionId: string; readonly kind: PageReport }[]>;
  /** One of them has reached the process that holds the room. */
  reported(sessionId: string, kind: PageReport): Promise<void>;
}

/** Opens the list in the installation's database, for this process. */
export function openOpenRooms({ database }: Pick<Resources, 'database'>): OpenRooms {
  const worker = `${os.hostname()} ${process.pid} ${randomUUID()}`;
  return {
    async claim(roomId) {
      const held = await database.run(
        `insert into private.voice_open_rooms as held (room_id, worker) values ($1, $2)
         on conflict (room_id) do update set worker = excluded.worker, seen_at = now()
          where held.worker = excluded.worker or held.seen_at < now() - make_interval(secs => $3)`,
        [roomId, worker, LOST_SECONDS],
      );
      if (held === 0) throw elsewhere();
    },
    async renew(roomIds) {
      if (roomIds.length === 0) return new Set();
      const rows = await database.many(
        `update private.voice_open_rooms set seen_at = now()
          where room_id = any($1::uuid[]) and worker = $2 returning room_id`,
        [roomIds, worker],
      );
      return new Set(rows.map(({ room_id }) => room_id));
    },
    async requireHere(roomId) {
      const held = await database.maybe(
        `select worker from private.voice_open_rooms
          where room_id = $1 and worker <> $2 and seen_at >= now() - make_interval(secs => $3)`,
        [roomId, worker, LOST_SECONDS],
      );
      if (held !== undefined) throw elsewhere();
    },
    async release(roomId) {
      await database.run('delete from private.voice_open_rooms where room_id = $1 and worker = $2', [
        roomId,
        worker,
      ]);
    },
    async askToLeave(sessionId) {
      // An id with a record is that of a call or a room, not of a person in one.
      const asked = await database.run(
        `insert into private.voice_room_leavings as asked (session_id)
         select $1::uuid where not exists (select from private.voice_records where id = $1)
            and exists (select from private.voice_open_rooms
                         where worker <> $2 and seen_at >= now() - make_interval(secs => $3))
         on conflict (session_id) do update set asked_at = asked.asked_at`,
        [sessionId, worker, LOST_SECONDS],
      );
      return asked > 0;
    },
    async leavings() {
      const rows = await database.many(
        `with gone as (
           delete from private.voice_room_leavings where asked_at < now() - make_interval(secs => $1))
         select session_id from private.voice_room_leavings`,
        [GONE_SECONDS],
      );
      return rows.map(({ session_id }) => session_id);
    },
    async left(sessionId) {
      await database.run('delete from private.voice_room_leavings where session_id = $1', [sessionId]);
    },
    async passReport(sessionId, kind) {
      const passed = await database.run(
        `insert into private.voice_room_reports as passed (session_id, kind)
         select $1::uuid, $2 where not exists (select from private.voice_records where id = $1)
            and exists (select from private.voice_open_rooms
                         where worker <> $3 and seen_at >= now() - make_interval(secs => $4))
         on conflict (session_id, kind) do update set reported_at = passed.reported_at`,
        [sessionId, kind, worker, LOST_SECONDS],
      );
      return passed > 0;
    },
    async passedReports() {
      const rows = await database.many(
        `with gone as (
           delete from private.voice_room_reports where reported_at < now() - make_interval(secs => $1))
         select session_id, kind from private.voice_room_reports`,
        [GONE_SECONDS],
      );
      return rows.map(({ session_id, kind }) => ({ sessionId: session_id, kind: kind as PageReport }));
    },
    async reported(sessionId, kind) {
      await database.run('delete from private.voice_room_reports where session_id = $1 and kind = $2', [
        sessionId,
        kind,
      ]);
    },
  };
}

const elsewhere = (): ServiceError =>
  new ServiceError(
    503,
    'room_elsewhere',
    'This room is held by another process of this server; please try again.',
    { headers: { 'retry-after': '1' } },
  );
