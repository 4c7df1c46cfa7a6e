import type { Database } from '../../kernel/resources/database/database.ts';
import type { Log } from '../../kernel/resources/log/log.ts';
import type { Channel } from './channel.server.ts';
import { encodeText } from './frames.server.ts';
import type { Replay } from './join-parser.server.ts';
import type { PubSub } from './pub-sub.server.ts';

const NOTIFIED = 'realtime_messages';

/**
 * The broadcasts that were replayed to a channel, so that each arrives either live or replayed, never both.
 */
const replays = new WeakMap<Channel, { readonly ids: Set<string>; underWay: boolean }>();

function isNews(channel: Channel, id: string): boolean {
  const replay = replays.get(channel);
  if (replay === undefined) return true;
  if (replay.ids.has(id)) return false;
  if (replay.underWay) replay.ids.add(id);
  return true;
}

/**
 * Sends what SQL writes into `realtime.messages` (`realtime.send`, `realtime.broadcast_changes`) to the
 * clients of this process, in the order of the commits. Every process is notified on its own.
 *
 * @trigger realtime.messages tell_message
 * @returns a function that stops it
 */
export async function followDatabaseBroadcasts(
  database: Database,
  log: Log,
  pubSub: PubSub,
): Promise<() => Promise<void>> {
  let last: Promise<void> = Promise.resolve();
  const stop = await database.listen(NOTIFIED, (id) => {
    last = last
      .then(() => deliver(database, pubSub, id))
      .catch((error: unknown) => log.warn({ err: error }, 'a broadcast of the database was lost'));
  });
  return async () => {
    await stop();
    await last;
  };
}

async function deliver(database: Database, pubSub: PubSub, id: string): Promise<void> {
  const row = await database.maybe(
    'select topic, event, payload::text as payload, binary_payload, private from realtime.messages where id = $1',
    [id],
  );
  if (row === undefined || row.event === null) return;
  const bytes = row.binary_payload;
  const content =
    bytes === null
      ? { encoding: 'json' as const, payload: Buffer.from(row.payload ?? '{}') }
      : { encoding: 'binary' as const, payload: bytes };
  pubSub.receive({ topic: row.topic, isPrivate: row.private }, { event: row.event, ...content }, (channel) =>
    isNews(channel, id),
  );
}

/**
 * Sends a private channel's latest broadcasts of JSON from SQL to a client that asked for them, oldest first,
 * each marked as a replay.
 */
export async function replayBroadcasts(database: Database, channel: Channel, replay: Replay): Promise<void> {
  const sent = { ids: new Set<string>(), underWay: true };
  replays.set(channel, sent);
  const rows = await database.many(
    `select id, event, payload::text as payload from realtime.messages
     where topic = $1 and private and event is not null and binary_payload is null and inserted_at > to_timestamp($2::float8 / 1000)
     order by inserted_at desc limit $3`,
    [channel.name.topic, replay.since, replay.limit],
  );
  for (const row of rows.reverse()) {
    if (sent.ids.has(row.id)) continue;
    sent.ids.add(row.id);
    const event = JSON.stringify(row.event);
    const meta = JSON.stringify({ id: row.id, replayed: true });
    const payload = `{"type":"broadcast","event":${event},"payload":${row.payload ?? '{}'},"meta":${meta}}`;
    const message = { joinRef: null, ref: null, topic: channel.topic, event: 'broadcast', payload };
    channel.socket.send(encodeText(channel.socket.version, message), 'droppable');
  }
  sent.underWay = false;
}

/**
 * Deletes broadcasts from SQL after three days, as the hosted stack does. The two rows against which policies
 * are checked stay.
 */
export async function sweepDatabaseBroadcasts(database: Database): Promise<void> {
  await database.run(
    "delete from realtime.messages where topic <> '' and inserted_at < now() - interval '3 days'",
  );
}
