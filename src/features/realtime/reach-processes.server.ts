import { randomUUID } from 'node:crypto';
import type { Database } from '../../resources/database/database.ts';
import type { Log } from '../../resources/log/log.ts';
import type { PresenceEntry } from './presence.server.ts';

/** What processes on one database tell each other. */
export type ProcessMessage =
  | {
      kind: 'broadcast';
      topic: string;
      event: string;
      encoding: 'json' | 'binary';
      payload: string;
      isPrivate: boolean;
    }
  | { kind: 'enter'; entry: PresenceEntry; previous?: string }
  | { kind: 'leave'; topic: string; key: string; ref: string }
  /** A process that starts asks for the presences of the others. */
  | { kind: 'hello' }
  | { kind: 'alive' };

/** The way to the other processes on the same database. */
export interface OtherProcesses {
  /** This process. */
  readonly name: string;
  send(message: ProcessMessage): void;
  close(): Promise<void>;
}

const CHANNEL = 'realtime_processes';
/** A NOTIFY carries less than 8000 bytes; what is longer goes through a table. */
const MAX_NOTIFY = 7500;

/** Opens the way; `heard` gets what others send, in order, with the sender's name. */
export async function reachProcesses(
  database: Database,
  log: Log,
  heard: (message: ProcessMessage, from: string) => void,
): Promise<OtherProcesses> {
  const name = randomUUID();
  let waiting: string[] = [];
  let sending = false;
  let receiving: Promise<void> = Promise.resolve();

  async function sendAll(): Promise<void> {
    for (;;) {
      if (waiting.length === 0) {
        // In the same step as the look at the queue, so that no message is left behind.
        sending = false;
        return;
      }
      const batch = waiting;
      waiting = [];
      await database.run(
        `with body as (select * from unnest($1::text[]) with ordinality as given (text, n)),
         parcel as (insert into realtime.parcels (body) select text from body where octet_length(text) > ${MAX_NOTIFY} order by n returning id, body)
         select pg_notify('${CHANNEL}', coalesce((select json_build_object('from', $2::text, 'parcel', id)::text from parcel where parcel.body = text limit 1), text))
         from body order by n`,
        [batch, name],
      );
    }
  }

  async function receive(payload: string): Promise<void> {
    const head = JSON.parse(payload) as { from: string; parcel?: number; message?: ProcessMessage };
    if (head.from === name) return;
    if (head.parcel === undefined) {
      if (head.message !== undefined) heard(head.message, head.from);
      return;
    }
    const row = await database.maybe<{ body: string }>('select body from realtime.parcels where id = $1', [
      head.parcel,
    ]);
    if (row === undefined) return;
    heard((JSON.parse(row.body) as { message: ProcessMessage }).message, head.from);
  }

  const stop = await database.listen(CHANNEL, (payload) => {
    receiving = receiving
      .then(() => receive(payload))
      .catch((error) => log.warn({ err: error }, 'a message of another process was lost'));
  });

  return {
    name,
    send(message) {
      waiting.push(JSON.stringify({ from: name, message }));
      if (sending) return;
      sending = true;
      sendAll().catch((error) => {
        sending = false;
        log.warn({ err: error }, 'other processes could not be told');
      });
    },
    close: stop,
  };
}

/** Removes parcels that every process has read long ago. */
export async function sweepParcels(database: Database): Promise<void> {
  await database.run("delete from realtime.parcels where sent_at < now() - interval '2 minutes'");
}
