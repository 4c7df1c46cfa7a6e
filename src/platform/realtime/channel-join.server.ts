import type { Relation } from '@northline/postgrest/schema-shape';
import { OWN_SCHEMA } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Authenticate } from '../../kernel/http/authenticate.ts';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import { type Database, sqlState } from '../../kernel/resources/database/database.ts';
import type { Log } from '../../kernel/resources/log/log.ts';
import type { Subscription } from './change-delivery.server.ts';
import type { ChangeFeed } from './change-feed.server.ts';
import { Channel } from './channel.server.ts';
import { replayBroadcasts } from './database-broadcasts.server.ts';
import type { ClientMessage } from './frames.server.ts';
import { type JoinRequest, parseJoin, type WantedChange } from './join-parser.server.ts';
import { mayUseTopic } from './private-topic.server.ts';
import type { PubSub } from './pub-sub.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';
import type { RealtimeSocket } from './realtime-socket.server.ts';
import { checkReadable, isStillWatched, type Watched, type WatchedTable } from './visible-changes.server.ts';

/** What the handlers of the service share. */
export interface RealtimeService {
  readonly database: Database;
  /**
   * The schemas of REST_SCHEMAS, for which `*` stands. Clients may follow their tables, and those of the
   * product's own schema by its name.
   */
  readonly schemas: readonly string[];
  readonly authenticate: Authenticate;
  readonly feed: ChangeFeed;
  readonly pubSub: PubSub;
  readonly log: Log;
}

/** SQLSTATE `insufficient_privilege`. */
const NO_PRIVILEGE = '42501';

/** A join that is refused; `reason` is `Code: text` (docs/contracts/platform.md §5). */
class Refusal extends Error {}

/** Handles `phx_join`: changes are followed before the reply is sent, so that none is missed. */
export async function joinChannel(
  service: RealtimeService,
  socket: RealtimeSocket,
  message: ClientMessage,
): Promise<void> {
  try {
    const request = readRequest(socket, message);
    if (request.replay !== undefined && !request.isPrivate) {
      throw new Refusal('UnableToReplayMessages: Replay is not allowed for public channels');
    }
    const { caller, token } = await authenticateChannel(service, socket, request);
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
    sendJoinReply(service, message, channel);
    if (request.replay !== undefined) await replayBroadcasts(service.database, channel, request.replay);
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

async function authenticateChannel(service: RealtimeService, socket: RealtimeSocket, request: JoinRequest) {
  const given = request.token;
  const isKey = given === undefined || given.startsWith('sb_') || given === socket.keyHeaders.apikey;
  const caller = await service.authenticate(isKey ? socket.keyHeaders : { authorization: `Bearer ${given}` });
  return { caller, token: isKey ? undefined : given };
}

/**
 * The requested changes with their tables, checked with the caller's own rights. When an entry names several
 * tables, the caller must be able to read at least one; changes of the others are not delivered.
 */
async function prepareChanges(
  service: RealtimeService,
  caller: Caller,
  changes: readonly WantedChange[],
): Promise<Subscription[]> {
  const subscriptions: Subscription[] = [];
  for (const [at, wanted] of changes.entries()) {
    const tables = await tablesOf(service, wanted);
    const forbidden: unknown[] = [];
    for (const table of tables) {
      const error = await prohibitionOf(service, caller, table, wanted);
      if (error !== undefined) forbidden.push(error);
    }
    // Without a token there is nothing to see yet: the token often comes after the join
    // (docs/contracts/platform.md §7).
    if (caller.role !== 'anon' && forbidden.length === tables.length) throw forbidden[0];
    subscriptions.push(...tables.map((table) => ({ id: at + 1, table, wanted })));
  }
  return subscriptions;
}

/**
 * The watched tables that an entry names: `*` means every served schema, or every table. @throws Refusal when
 * there is none
 */
async function tablesOf({ database, feed, schemas: served }: RealtimeService, wanted: WantedChange) {
  const { schema = 'public' } = wanted;
  const table = wanted.table === '*' ? undefined : wanted.table;
  const schemas =
    schema === OWN_SCHEMA ? [schema] : served.filter((name) => schema === '*' || schema === name);
  if (schemas.length === 0) throw notWatched(wanted);
  const find = (watched: Watched): WatchedTable[] =>
    [...watched.values()].filter(
      (one) => schemas.includes(one.schema) && (table === undefined || table === one.name),
    );
  const [known] = schema === '*' || table === undefined ? [] : find(await feed.watched());
  if (known !== undefined && (await isStillWatched(database, known))) return [known];
  // The table may have come under watch, or into the publication, after the list was read.
  await database.one('select realtime.watch_published($1, $2)', [table ?? null, schemas]);
  const found = find(await feed.watched(true));
  if (found.length === 0) throw notWatched(wanted);
  return found;
}

/** Worded as in the reference. */
function notWatched({ event, schema = 'public', table = '*' }: WantedChange): Refusal {
  return new Refusal(
    `UnableToSubscribe: Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [event: ${event}, schema: ${schema}, table: ${table}]`,
  );
}

/**
 * The database's error for a caller who may not read the table, else undefined.
 *
 * @throws Refusal, or the database's error, for a filter that does not fit the table
 */
async function prohibitionOf(
  { database }: RealtimeService,
  caller: Caller,
  table: Relation,
  wanted: WantedChange,
): Promise<unknown> {
  const unknown = wanted.filter.find((condition) => !table.columns.has(condition.place.column));
  if (unknown !== undefined) {
    throw new Refusal(`InvalidFilter: there is no column ${unknown.place.column} in ${table.name}`);
  }
  try {
    await checkReadable(database, caller, table, wanted.filter);
    return undefined;
  } catch (error) {
    if (sqlState(error)?.code === NO_PRIVILEGE) return error;
    throw error;
  }
}

/** A second join of a topic replaces the first. */
function closeEarlier(socket: RealtimeSocket, topic: string): void {
  const earlier = socket.channels.get(topic);
  if (earlier === undefined) return;
  earlier.end();
  socket.push({ joinRef: earlier.joinRef, ref: earlier.joinRef, topic, event: 'phx_close' }, {});
}

function sendJoinReply(service: RealtimeService, message: ClientMessage, channel: Channel): void {
  const { socket, request, name } = channel;
  const { joinRef, topic } = message;
  const bindings = request.changes.map(({ given }, at) => ({ id: at + 1, ...pickGiven(given) }));
  socket.reply(message, 'ok', { postgres_changes: bindings });
  const tell = (extension: string, text: string): void =>
    socket.push(
      { joinRef, ref: null, topic, event: 'system' },
      { extension, status: 'ok', message: text, channel: name.topic },
    );
  if (request.changes.length > 0) tell('postgres_changes', 'Subscribed to PostgreSQL');
  // This process listens to the database before it accepts sockets.
  if (request.replicationReady) tell('system', 'Replication connection established');
  if (channel.hasPresence) {
    const state = service.pubSub.presenceState(name);
    socket.push({ joinRef, ref: null, topic, event: 'presence_state' }, state);
  }
}

function pickGiven(given: Record<string, unknown>): Record<string, unknown> {
  const names = ['event', 'schema', 'table', 'filter', 'select'];
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}

/** The reason for the client; undefined when the fault is ours. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof Refusal) return error.message;
  if (error instanceof ServiceError && error.status === 401)
    return 'InvalidJWTToken: Token has expired or is not valid';
  if (error instanceof ServiceError && error.status === 503) return `DatabaseUnavailable: ${error.message}`;
  if (error instanceof ServiceError) return `InvalidFilter: ${error.message}`;
  const state = sqlState(error)?.code;
  if (state === NO_PRIVILEGE) return 'Unauthorized: You do not have permissions to read this table';
  if (state !== undefined && /^(22|42)/.test(state)) return `InvalidFilter: ${(error as Error).message}`;
  return undefined;
}
