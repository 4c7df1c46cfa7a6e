import { ServiceError } from '../../contract/service-error.ts';
import type { Identify } from '../../http/identify.ts';
import type { Caller } from '../../resources/database/caller.ts';
import { type Database, sqlState } from '../../resources/database/database.ts';
import type { Relation } from '../rest/load-schema.server.ts';
import { Channel } from './channel.server.ts';
import type { Subscription } from './deliver-changes.server.ts';
import type { ChangeFeed } from './follow-changes.server.ts';
import type { ClientMessage } from './frames.server.ts';
import { type JoinRequest, parseJoin, type WantedChange } from './parse-join.server.ts';
import { mayUseTopic } from './private-topic.server.ts';
import { checkReadable } from './read-changes.server.ts';
import type { Hub } from './realtime-hub.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';
import type { RealtimeSocket } from './realtime-socket.server.ts';

/** What joining needs. */
export interface JoinService {
  readonly database: Database;
  readonly identify: Identify;
  readonly feed: ChangeFeed;
  readonly hub: Hub;
}

/** A join that is refused; `reason` is `Code: text` (contract §5). */
class Refusal extends Error {}

/** Handles `phx_join`: the changes are followed before the reply goes out, so none is missed. */
export async function joinChannel(
  service: JoinService,
  socket: RealtimeSocket,
  message: ClientMessage,
): Promise<void> {
  try {
    const request = readRequest(socket, message);
    const { caller, token } = await identifyChannel(service, socket, request);
    if (request.isPrivate && !(await mayUseTopic(service.database, caller, message.topic, 'read'))) {
      throw new Refusal(
        `Unauthorized: You do not have permissions to read from this Channel topic: ${message.topic.slice('realtime:'.length)}`,
      );
    }
    const subscriptions = await prepareChanges(service, caller, request.changes);
    if (!socket.open) return;
    closeEarlier(socket, message.topic);
    const channel = new Channel(socket, message, { request, caller, token, subscriptions }, service);
    socket.channels.set(message.topic, channel);
    welcome(service, socket, message, channel);
    await channel.resume();
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === undefined) throw error;
    socket.reply(message, 'error', { reason });
  }
}

function readRequest(socket: RealtimeSocket, message: ClientMessage): JoinRequest {
  const { topic } = message;
  if (!topic.startsWith('realtime:') || topic.length === 'realtime:'.length) {
    throw new Refusal('TopicNameRequired: You must provide a topic name');
  }
  if (Buffer.byteLength(topic) > REALTIME_LIMITS.topicBytes)
    throw new Refusal('TopicTooLong: at most 255 bytes');
  if (!socket.channels.has(topic) && socket.channels.size >= REALTIME_LIMITS.channelsPerSocket) {
    throw new Refusal(
      `ChannelRateLimitReached: Too many channels, at most ${REALTIME_LIMITS.channelsPerSocket}`,
    );
  }
  const request = parseJoin(message.payload);
  if (request === undefined)
    throw new Refusal('InvalidJoinPayload: the configuration of the channel cannot be read');
  return request;
}

async function identifyChannel(service: JoinService, socket: RealtimeSocket, request: JoinRequest) {
  const given = request.token;
  const isKey = given === undefined || given.startsWith('sb_') || given === socket.keyHeaders.apikey;
  const caller = await service.identify(isKey ? socket.keyHeaders : { authorization: `Bearer ${given}` });
  return { caller, token: isKey ? undefined : given };
}

/** The wanted changes with their tables, checked with the caller's own rights. */
async function prepareChanges(
  service: JoinService,
  caller: Caller,
  changes: readonly WantedChange[],
): Promise<Subscription[]> {
  const subscriptions: Subscription[] = [];
  for (const [at, wanted] of changes.entries()) {
    for (const table of await tablesOf(service, wanted)) {
      await checkTable(service.database, caller, table, wanted);
      subscriptions.push({ id: at + 1, wanted: { ...wanted, table: table.name } });
    }
  }
  return subscriptions;
}

async function tablesOf(service: JoinService, wanted: WantedChange): Promise<Relation[]> {
  if (wanted.schema !== undefined && wanted.schema !== '*' && wanted.schema !== 'public')
    throw notWatched(wanted);
  if (wanted.table === undefined || wanted.table === '*') return [...(await service.feed.watched()).values()];
  const table =
    (await service.feed.watched()).get(wanted.table) ?? (await service.feed.watched(true)).get(wanted.table);
  if (table === undefined) throw notWatched(wanted);
  return [table];
}

function notWatched({ event, schema, table }: WantedChange): Refusal {
  return new Refusal(
    `UnableToSubscribe: Realtime is not enabled for the given parameters: [event: ${event}, schema: ${schema ?? '*'}, table: ${table ?? '*'}]`,
  );
}

async function checkTable(
  database: Database,
  caller: Caller,
  table: Relation,
  wanted: WantedChange,
): Promise<void> {
  const unknown = wanted.filter.find((condition) => !table.columns.has(condition.place.column));
  if (unknown !== undefined) {
    throw new Refusal(`InvalidFilter: there is no column ${unknown.place.column} in ${table.name}`);
  }
  try {
    await checkReadable(database, caller, table, wanted.filter);
  } catch (error) {
    // Without a right to read there is nothing to see yet: the token often comes after the join (contract §7).
    if (sqlState(error)?.code === '42501' && (caller.role === 'anon' || wanted.table === undefined)) return;
    throw error;
  }
}

/** A second join of a topic takes the place of the first. */
function closeEarlier(socket: RealtimeSocket, topic: string): void {
  const earlier = socket.channels.get(topic);
  if (earlier === undefined) return;
  earlier.end();
  socket.push(earlier.joinRef, earlier.joinRef, topic, 'phx_close', {});
}

function welcome(
  service: JoinService,
  socket: RealtimeSocket,
  message: ClientMessage,
  channel: Channel,
): void {
  const { changes } = channel.request;
  const bindings = changes.map(({ given }, at) => ({ id: at + 1, ...pickGiven(given) }));
  socket.reply(message, 'ok', { postgres_changes: bindings });
  if (changes.length > 0) {
    socket.push(message.joinRef, null, message.topic, 'system', {
      extension: 'postgres_changes',
      status: 'ok',
      message: 'Subscribed to PostgreSQL',
      channel: channel.room.topic,
    });
  }
  if (channel.wantsPresence) {
    socket.push(
      message.joinRef,
      null,
      message.topic,
      'presence_state',
      service.hub.presenceState(channel.room),
    );
  }
}

function pickGiven(given: Record<string, unknown>): Record<string, unknown> {
  const names = ['event', 'schema', 'table', 'filter', 'select'];
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}

/** The reason for the client, or undefined for a fault of ours. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof Refusal) return error.message;
  if (error instanceof ServiceError && error.status === 401)
    return 'InvalidJWTToken: Token has expired or is not valid';
  if (error instanceof ServiceError && error.status === 503) return `DatabaseUnavailable: ${error.message}`;
  if (error instanceof ServiceError) return `InvalidFilter: ${error.message}`;
  const state = sqlState(error)?.code;
  if (state === '42501') return 'Unauthorized: You do not have permissions to read this table';
  if (state !== undefined && /^(22|42)/.test(state)) return `InvalidFilter: ${(error as Error).message}`;
  return undefined;
}
