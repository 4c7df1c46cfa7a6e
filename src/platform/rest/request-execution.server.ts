import type { IncomingHttpHeaders } from 'node:http';
import { nearestName } from '@northline/nearest-word/nearest-word';
import {
  ambiguousRoutine,
  type CallArguments,
  chooseRoutine,
  compileCall,
} from '@northline/postgrest/call-compiler';
import { isArgument, parseQuery, rangeError } from '@northline/postgrest/query-parser';
import type { QueryTree } from '@northline/postgrest/query-tree';
import {
  type Preferences,
  type Representation,
  readAccept,
  readPreferences,
  readRange,
  readRootAccept,
} from '@northline/postgrest/request-preferences';
import { bodyError, restError } from '@northline/postgrest/rest-error';
import type { Relation, Schema } from '@northline/postgrest/schema-shape';
import { Parameters } from '@northline/postgrest/sql-text';
import {
  compileChange,
  compileExplain,
  compileRead,
  compileResults,
  type Statement,
} from '@northline/postgrest/statement-compiler';
import {
  compileDelete,
  compileInsert,
  compileUpdate,
  readRows,
  requireOneRow,
  type WriteTarget,
} from '@northline/postgrest/write-compiler';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import type { Database } from '../../kernel/resources/database/database.ts';
import { applied, changeReply, type RestReply, readReply } from './reply-building.server.ts';
import type { RestBody } from './request-body.server.ts';
import { withRequestedReply } from './requested-reply.server.ts';
import type { SchemaCache } from './schema/schema-cache.server.ts';
import { describeSchema } from './schema/schema-description.server.ts';
import { explainStatement, type PlanGuard, runStatement } from './statement-execution.server.ts';

/** SQLSTATE `ambiguous_function`. */
const AMBIGUOUS_FUNCTION = '42725';

/** A request for a table, view or function. */
export interface RestRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly name: string;
  /** The path below `/rest/v1`: `/notes`, `/rpc/add`. */
  readonly path: string;
  /** The query string, still encoded, without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: RestBody;
  readonly caller: Caller;
  /** The requested schema. */
  readonly schemaName: string;
}

/** What the handlers of requests to one schema share. */
export interface RestService {
  readonly database: Database;
  readonly schema: SchemaCache;
  /** Its name. */
  readonly schemaName: string;
  /** Whether clients may read the database's query plans (REST_PLAN). */
  readonly plans: boolean;
}

/** Reads or changes the rows of a table or view. @throws ServiceError in the words of docs/contracts/platform.md §4 */
export async function answerTable(service: RestService, request: RestRequest): Promise<RestReply> {
  const asked = readPreferences(request.headers);
  const representation = readAccept(request.headers, service.plans);
  const tree = withRange(parseQuery(request.query), request);
  const { schema, relation } = await findRelation(service, request.name);
  const preferences = { ...asked, ...resolutionOf(request, asked, tree, relation) };
  if (request.method === 'GET' || request.method === 'HEAD') {
    return readTable(service, request, { schema, relation, tree, preferences, representation });
  }
  const parameters = new Parameters();
  const write = compileWrite(request, { table: relation, tree, preferences, parameters });
  const { returns } = preferences;
  const statement = compileChange({ schema, tree, parameters }, relation, { write, returns, representation });
  const { plan } = representation;
  if (plan !== undefined)
    return answerPlan(service, request, statement, { ...preferences, plan, readOnly: false });
  const outcome = await runStatement(service.database, request, statement, {
    readOnly: false,
    single: representation.form === 'object',
    rollback: preferences.rollback,
    maxAffected: request.method === 'POST' ? undefined : preferences.maxAffected,
    timeZone: preferences.timeZone,
  });
  return withRequestedReply(outcome, changeReply(request, preferences, representation, outcome));
}

/** How a request meets rows that exist: PUT replaces them, and without a key no row can be the same as another. */
function resolutionOf(
  { method }: RestRequest,
  { resolution, applied: words }: Preferences,
  { onConflict }: QueryTree,
  { primaryKey }: Relation,
): Pick<Preferences, 'resolution' | 'applied'> {
  const hasKey = primaryKey.length > 0 || onConflict !== undefined;
  const none = [...(NOT_APPLIED[method] ?? []), ...(hasKey ? [] : ['resolution'])];
  const applied = appliedBut(none, { applied: words });
  if (method === 'PUT') return { resolution: 'merge-duplicates', applied };
  return { resolution: method === 'POST' && hasKey ? resolution : undefined, applied };
}

const appliedBut = (names: readonly string[], { applied: words }: Pick<Preferences, 'applied'>): string[] =>
  words.filter((word) => !names.includes(word.split('=')[0] ?? ''));

/** Preferences that mean nothing for a method, so Preference-Applied does not list them. */
const NOT_APPLIED: Partial<Record<RestRequest['method'], readonly string[]>> = {
  GET: ['resolution', 'missing', 'return', 'max-affected'],
  HEAD: ['resolution', 'missing', 'return', 'max-affected'],
  POST: ['max-affected'],
  PUT: ['resolution', 'missing', 'max-affected'],
  PATCH: ['resolution'],
  DELETE: ['resolution', 'missing'],
};

interface TableRead {
  readonly schema: Schema;
  readonly relation: Relation;
  readonly tree: QueryTree;
  readonly preferences: Preferences;
  readonly representation: Representation;
}

async function readTable(service: RestService, request: RestRequest, read: TableRead): Promise<RestReply> {
  const { schema, relation, tree, preferences, representation } = read;
  const { count } = preferences;
  const counting = count === 'exact' ? 'all' : count === 'estimated' ? 'some' : 'none';
  const context = { schema, tree, parameters: new Parameters() };
  const statement = compileRead(context, relation, {
    representation,
    counting,
    body: request.method === 'GET',
  });
  const { plan } = representation;
  if (plan !== undefined)
    return answerPlan(service, request, statement, { ...preferences, plan, readOnly: true });
  const guessed = count === 'planned' || count === 'estimated';
  const outcome = await runStatement(service.database, request, statement, {
    readOnly: true,
    single: representation.form === 'object',
    timeZone: preferences.timeZone,
    ...(guessed ? { explain: compileExplain({ ...context, parameters: new Parameters() }, relation) } : {}),
  });
  const { headers, ...reply } = readReply(tree, representation, outcome, preferences);
  return { ...reply, headers: { ...headers, 'content-location': canonicalPath(request) } };
}

/** The path with its parameters sorted by name. */
function canonicalPath({ path, query }: RestRequest): string {
  const pairs = [...new URLSearchParams(query)].filter(([name]) => name !== 'apikey');
  const encode = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const sorted = pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const text = sorted.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  return text === '' ? path : `${path}?${text}`;
}

/** How the database would find or change the rows; with the option `analyze` it does so. */
async function answerPlan(
  service: RestService,
  request: RestRequest,
  statement: Statement,
  guard: PlanGuard & Pick<Preferences, 'applied'>,
): Promise<RestReply> {
  return {
    status: 200,
    headers: { 'content-type': guard.plan.contentType, ...applied(guard) },
    body: await explainStatement(service.database, request, statement, guard),
  };
}

function compileWrite(request: RestRequest, target: WriteTarget): string {
  if (request.method === 'DELETE') return compileDelete(target);
  if (request.body.type !== 'json') throw notAcceptable(request);
  const { table, tree } = target;
  const rows = readRows(request.body.text, tree);
  if (request.method === 'PATCH') return compileUpdate(target, rows);
  if (request.method !== 'PUT') return compileInsert(target, rows);
  requireOneRow(table, tree, rows);
  const first = { ...rows, firstOnly: true };
  return compileInsert({ ...target, tree: { ...tree, onConflict: undefined } }, first);
}

/**
 * Describes the tables and functions that the caller may use. @throws ServiceError 406 PGRST107 when the
 * client asks for another type
 */
export async function answerRoot(service: RestService, request: RestRequest): Promise<RestReply> {
  const type = readRootAccept(request.headers);
  const schema = await service.schema.current();
  return {
    status: 200,
    headers: { 'content-type': `${type}; charset=utf-8` },
    body: await describeSchema(service.database, schema, request.caller),
  };
}

/** Calls a function. @throws ServiceError in the words of docs/contracts/platform.md §4 */
export async function answerCall(service: RestService, request: RestRequest): Promise<RestReply> {
  const asked = readPreferences(request.headers);
  const representation = readAccept(request.headers, service.plans);
  const isPost = request.method === 'POST';
  const minimal = isPost && asked.returns === 'minimal';
  const none = ['resolution', 'missing', ...(minimal ? [] : ['return'])];
  const preferences = { ...asked, applied: appliedBut(none, asked) };
  const tree = withRange(parseQuery(request.query, isPost ? undefined : isArgument), request);
  const given = isPost ? readArguments(request.body, tree) : textArguments(queryArguments(request.query));
  const { schema, routine } = await findRoutine(service, request.name, given);
  if (preferences.maxAffected !== undefined && !routine.returnsSet) throw maxAffectedOfOne();
  const context = { schema, tree, parameters: new Parameters() };
  const call = compileCall(context, routine, given);
  const counting = preferences.count === undefined ? ('none' as const) : ('all' as const);
  const wanted = { representation, counting, body: request.method !== 'HEAD' && !minimal };
  const statement = compileResults(context, routine, { call, wanted });
  const readOnly = !isPost || !routine.volatile;
  const { plan } = representation;
  if (plan !== undefined) return answerPlan(service, request, statement, { ...preferences, plan, readOnly });
  const outcome = await runStatement(service.database, request, statement, {
    readOnly,
    single: representation.form === 'object' && routine.returnsSet,
    rollback: preferences.rollback,
    maxAffected: preferences.maxAffected,
    timeZone: preferences.timeZone,
  }).catch((error: unknown) => {
    // By types PostgreSQL finds several functions, although the names fit only one.
    const overloads = schema.routines.get(routine.name) ?? [];
    if ((error as { code?: unknown }).code !== AMBIGUOUS_FUNCTION || overloads.length < 2) throw error;
    throw ambiguousRoutine(overloads);
  });
  const reply = readReply(tree, representation, outcome, preferences);
  const silent = routine.returns === 'void' || minimal;
  return withRequestedReply(outcome, silent ? withoutBody(reply) : reply);
}

function withoutBody({ headers: { 'content-type': _, ...headers } }: RestReply): RestReply {
  return { status: 204, headers, body: undefined };
}

/**
 * 400 PGRST128 as PostgREST words it: a function that returns no set does not tell how many rows it changed.
 */
function maxAffectedOfOne(): Error {
  const words =
    'Function must return SETOF or TABLE when max-affected preference is used with handling=strict';
  return restError(400, 'PGRST128', words);
}

function notAcceptable(request: RestRequest): Error {
  return restError(415, 'PGRST102', `Content-Type not acceptable: ${request.headers['content-type']}`);
}

function queryArguments(query: string): [name: string, value: string][] {
  return [...new URLSearchParams(query)].filter(([name, value]) => isArgument(name, value));
}

function textArguments(pairs: Iterable<[name: string, value: string]>): CallArguments {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return { kind: 'texts', values };
}

/** The arguments in a body. The parameter `columns` names those that count; of several rows the first has them. */
function readArguments(body: RestBody, { columns }: QueryTree): CallArguments {
  if (body.type !== 'json') return { kind: 'whole', text: body.text, type: body.type };
  if (body.fields !== undefined) return textArguments(body.fields);
  const text = body.text.trim() === '' ? '{}' : body.text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw bodyError('Empty or invalid json');
  }
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const isObject = typeof first === 'object' && first !== null && !Array.isArray(first);
  const names = columns ?? (isObject ? Object.keys(first) : []);
  return { kind: 'json', text, names, isJson: body.isCsv !== true };
}

/** The table or view of a name. @throws ServiceError 404 PGRST205 */
export async function findRelation(
  service: RestService,
  name: string,
): Promise<{ schema: Schema; relation: Relation }> {
  for (const load of ['current', 'refreshed'] as const) {
    const schema = await service.schema[load]();
    const relation = schema.relations.get(name);
    if (relation !== undefined) return { schema, relation };
  }
  throw restError(
    404,
    'PGRST205',
    `Could not find the table '${service.schemaName}.${name}' in the schema cache`,
    { hint: await similarTable(service, name) },
  );
}

async function similarTable({ schema, schemaName }: RestService, name: string): Promise<string | null> {
  const near = nearestName(name, [...(await schema.current()).relations.keys()]);
  return near === undefined ? null : `Perhaps you meant the table '${schemaName}.${near}'`;
}

async function findRoutine(service: RestService, name: string, given: CallArguments) {
  const schema = await service.schema.current();
  try {
    return { schema, routine: chooseRoutine(schema, name, given) };
  } catch {
    const refreshed = await service.schema.refreshed();
    return { schema: refreshed, routine: chooseRoutine(refreshed, name, given) };
  }
}

/** Narrows limit and offset by the header Range. @throws ServiceError 416 PGRST103 */
function withRange(tree: QueryTree, request: RestRequest): QueryTree {
  const range = request.method === 'GET' ? readRange(request.headers) : undefined;
  if (range === undefined) return tree;
  const { first, last } = range;
  if (last !== undefined && last < first) {
    throw rangeError(
      'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    );
  }
  const offset = Math.max(tree.root.offset, first);
  const size = last === undefined ? undefined : last - offset + 1;
  const limit = Math.min(tree.root.limit ?? Number.POSITIVE_INFINITY, size ?? Number.POSITIVE_INFINITY);
  const root = { ...tree.root, offset, limit: Number.isFinite(limit) ? Math.max(0, limit) : undefined };
  return { ...tree, root };
}
