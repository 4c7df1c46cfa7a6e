import { randomUUID } from 'node:crypto';
import type { Database } from '../../kernel/resources/database/database.ts';
import type { Log } from '../../kernel/resources/log/log.ts';
import type { PresenceEntry } from './presence.server.ts';

/** The messages that processes on one database send each other. */
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
  /** All presences of the sender; they replace those that the receiver knows of it. */
  | { kind: 'presences'; entries: readonly PresenceEntry[] }
  /** Asks the others for their presences. */
  | { kind: 'hello' }
  | { kind: 'alive' };

/** Messages between the processes on one database. */
export interface ProcessBus {
  /** Name of this process, unique. */
  readonly node: string;
  send(message: ProcessMessage): void;
  close(): Promise<void>;
}

/** Handlers of incoming messages. */
export interface ProcessBusHandlers {
  /** Called in the order of sending, with the sender's name. */
  onMessage(message: ProcessMessage, from: string): void;
  /** Called when messages may have been lost in either direction, because the database was unavailable. */
  onGap(): void;
}

const CHANNEL = 'realtime_processes';
/** A NOTIFY carries less than 8000 bytes; longer messages go through a table. */
const MAX_NOTIFY = 7500;

/** Opens the bus over LISTEN and NOTIFY. */
export async function openProcessBus(
  database: Database,
  log: Log,
  handlers: ProcessBusHandlers,
): Promise<ProcessBus> {
  const bus = new DatabaseBus(database, log, handlers);
  await bus.listen();
  return bus;
}

/** Pause before the processes synchronise after a failed statement, milliseconds. */
const GAP_RETRY_MS = 1000;

class DatabaseBus implements ProcessBus {
  readonly node = randomUUID();
  readonly #database: Database;
  readonly #log: Log;
  readonly #handlers: ProcessBusHandlers;
  #stop: () => Promise<void> = async () => {};
  #waiting: string[] = [];
  #sending = false;
  #receiving: Promise<void> = Promise.resolve();
  #gapTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(database: Database, log: Log, handlers: ProcessBusHandlers) {
    this.#database = database;
    this.#log = log;
    this.#handlers = handlers;
  }

  async listen(): Promise<void> {
    this.#stop = await this.#database.listen(
      CHANNEL,
      (payload) => {
        this.#receiving = this.#receiving
          .then(() => this.#receive(payload))
          .catch((error) => this.#onLoss(error, 'a message of another process was lost'));
      },
      () => this.#handlers.onGap(),
    );
  }

  send(message: ProcessMessage): void {
    this.#waiting.push(JSON.stringify({ from: this.node, message }));
    if (this.#sending) return;
    this.#sending = true;
    this.#sendWaiting().catch((error) => {
      this.#sending = false;
      this.#onLoss(error, 'messages to other processes were lost');
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#gapTimer);
    await this.#stop();
  }

  async #sendWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#database.run(
        `with body as (select text, n from unnest($1::text[]) with ordinality as given (text, n)),
         parcel as (insert into realtime.parcels (body) select text from body where octet_length(text) > ${MAX_NOTIFY} order by n returning id, body)
         select pg_notify('${CHANNEL}', coalesce((select json_build_object('from', $2::text, 'parcel', id)::text from parcel where parcel.body = text limit 1), text))
         from body order by n`,
        [batch, this.node],
      );
    }
    this.#sending = false;
  }

  async #receive(payload: string): Promise<void> {
    const head = JSON.parse(payload) as { from: string; parcel?: number; message?: ProcessMessage };
    if (head.from === this.node) return;
    if (head.parcel === undefined) {
      if (head.message !== undefined) this.#handlers.onMessage(head.message, head.from);
      return;
    }
    const row = await this.#database.maybe('select body from realtime.parcels where id = $1', [head.parcel]);
    if (row === undefined) return;
    this.#handlers.onMessage((JSON.parse(row.body) as { message: ProcessMessage }).message, head.from);
  }

  /** Schedules a synchronisation, because the processes' presences may differ from now on. */
  #onLoss(error: unknown, what: string): void {
    if (this.#closed) return;
    this.#log.warn({ err: error }, what);
    clearTimeout(this.#gapTimer);
    this.#gapTimer = setTimeout(() => this.#handlers.onGap(), GAP_RETRY_MS).unref();
  }
}

/** Deletes stored messages that every process has had time to read. */
export async function sweepParcels(database: Database): Promise<void> {
  await database.run("delete from realtime.parcels where sent_at < now() - interval '2 minutes'");
}
