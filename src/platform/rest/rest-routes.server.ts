import type { IncomingMessage } from 'node:http';
import { restError } from '@northline/postgrest/rest-error';
import type { Relation } from '@northline/postgrest/schema-shape';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { RateLimit } from '../../kernel/http/rate-limit.ts';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { CallerShares } from './caller-share.server.ts';
import { asTokenError } from './database-error.server.ts';
import { refuseGraphql } from './graphql-refusal.server.ts';
import type { RestReply } from './reply-building.server.ts';
import { convertBody, hasBody, readBody } from './request-body.server.ts';
import {
  answerCall,
  answerRoot,
  answerTable,
  findRelation,
  type RestRequest,
  type RestService,
} from './request-execution.server.ts';
import { openSchemaCaches, servedSchemas, withOwnSchema } from './schema/schema-cache.server.ts';
import { isSchemaOutdated } from './statement-execution.server.ts';
import { warnOfUnreadSettings } from './unread-settings.server.ts';

/**
 * Limits for an address without a session, and for a user, in this process; the server's own key is not
 * limited.
 */
const ANONYMOUS_LIMIT: RateLimit = { name: 'rest anonymous', count: 200, seconds: 1, burst: 2000 };
const USER_LIMIT: RateLimit = { name: 'rest user', count: 400, seconds: 1, burst: 4000 };

type Answer = (service: RestService, request: RestRequest) => Promise<RestReply>;
interface NameParams {
  Params: { name?: string };
}

/** The caller of each request; known before its body is read. */
const callers = new WeakMap<FastifyRequest, Caller>();

/** Mounts the data service under `/rest/v1` (docs/contracts/platform.md §4), and the refusal of GraphQL. */
export async function mountRest(http: HttpContext, resources: Resources): Promise<void> {
  const { database, settings, log } = resources;
  const names = servedSchemas(settings);
  const schemas = await openSchemaCaches(database, withOwnSchema(names));
  await warnOfUnreadSettings(database, log);
  const shares = new CallerShares(settings.DATABASE_POOL);
  const serviceOf = (request: FastifyRequest): RestService => {
    const schemaName = schemaNameOf(request, names);
    const schema = schemas.get(schemaName);
    if (schema === undefined) throw unknownSchema(schemaName, names);
    return { database, schema, schemaName, plans: settings.REST_PLAN };
  };
  await http.server.register(
    async (scope) => {
      acceptBodies(http, scope);
      const on = (path: string, methods: RestRequest['method'][], answer: Answer) =>
        scope.route<NameParams>({
          method: methods,
          url: path,
          exposeHeadRoute: false,
          handler: async (request, reply) => {
            const caller = callerOf(request);
            const service = serviceOf(request);
            const asked = { ...(await readRequest(request, caller)), schemaName: service.schemaName };
            const result = await shares
              .run(caller, http.addressOf(request), () =>
                answer(service, asked).catch((error: unknown) => {
                  if (!isSchemaOutdated(error)) throw error;
                  service.schema.markStale();
                  if (!isUnknownColumn(error)) throw error;
                  return answer(service, asked);
                }),
              )
              .catch((error: unknown) => {
                const text = error instanceof ServiceError ? error.details.statusText : undefined;
                if (typeof text === 'string') reply.raw.statusMessage = text;
                throw error;
              });
            return send(request, reply, result, service.schemaName);
          },
        });
      on('/:name', ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], answerTable);
      on('/', ['GET', 'HEAD'], answerRoot);
      scope.route({
        method: ['POST', 'PUT', 'PATCH', 'DELETE'],
        url: '/',
        handler: async ({ method }) => {
          throw restError(405, 'PGRST117', `Unsupported HTTP method: ${method}`);
        },
      });
      on('/rpc/:name', ['GET', 'HEAD', 'POST'], answerCall);
      scope.route({
        method: ['PUT', 'PATCH', 'DELETE'],
        url: '/rpc/:name',
        handler: async (request) => {
          throw restError(405, 'PGRST101', `Cannot use the ${request.method} method on RPC`);
        },
      });
      mountOptions(scope, serviceOf);
      scope.setNotFoundHandler(async () => {
        throw restError(404, 'PGRST125', 'Invalid path specified in request URL');
      });
    },
    { prefix: SERVICES.rest },
  );
  refuseGraphql(http);
}

/**
 * PostgreSQL reports this before it runs anything, so the request can be run again with the current schema.
 */
function isUnknownColumn(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'PGRST204';
}

/** Identifies the sender of a body and checks their limits before any of it is read. */
function acceptBodies(http: HttpContext, scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request) => {
    if (request.method === 'OPTIONS') return;
    const caller = await http
      .authenticate(request.headers, request.query as Record<string, unknown>)
      .catch((error: unknown) => {
        throw asTokenError(error, request.headers.authorization);
      });
    callers.set(request, caller);
    if (caller.role === 'service_role') return;
    const limit = caller.userId === undefined ? ANONYMOUS_LIMIT : USER_LIMIT;
    http.rateLimiter.takeHere(limit, caller.userId ?? http.addressOf(request));
  });
  scope.removeAllContentTypeParsers();
  // Reads the bytes only; the handler parses them in slices.
  scope.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
    readBody(payload, request.headers['content-length'], callers.get(request)),
  );
}

function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('the request was not authenticated');
  return caller;
}

async function readRequest(
  request: FastifyRequest<NameParams>,
  caller: Caller,
): Promise<Omit<RestRequest, 'schemaName'>> {
  const { name = '' } = request.params;
  if (name.includes('\0')) throw restError(404, 'PGRST205', 'Could not find the table in the schema cache');
  const bytes = hasBody(request) && Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const mark = request.url.indexOf('?');
  return {
    method: request.method as RestRequest['method'],
    name,
    path: request.url.slice(0, mark === -1 ? undefined : mark).replace(/^\/rest\/v1/, ''),
    query: mark === -1 ? '' : request.url.slice(mark + 1),
    headers: request.headers,
    body: await convertBody(bytes, request.headers['content-type']),
    caller,
  };
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body }: RestReply,
  schemaName: string,
): FastifyReply {
  // `Origin` is there already.
  const vary = [reply.getHeader('vary'), 'Accept, Prefer, Range'].flat().filter(Boolean).join(', ');
  reply.code(status).headers({ vary, ...headers, 'content-profile': schemaName });
  // Nothing instead of an empty text, whose length would be sent as that of the rows.
  return reply.send(request.method === 'HEAD' ? undefined : body);
}

/** OPTIONS requests that are not preflights: which methods a path accepts. */
function mountOptions(scope: FastifyInstance, serviceOf: (request: FastifyRequest) => RestService): void {
  const allow = (path: string, methods: (service: RestService, name: string) => Promise<string>) =>
    scope.options<NameParams>(path, async (request, reply) =>
      reply
        .code(200)
        .header('allow', await methods(serviceOf(request), request.params.name ?? ''))
        .send(),
    );
  allow('/', async () => 'OPTIONS,GET,HEAD');
  allow('/:name', async (service, name) => {
    const { relation } = await findRelation(service, name);
    return ['OPTIONS', 'GET', 'HEAD', ...(await changesOf(service, relation))].join(',');
  });
  allow('/rpc/:name', async (service, name) => {
    const { routines } = await service.schema.current();
    const [routine] = routines.get(name) ?? [];
    return routine === undefined || routine.volatile ? 'OPTIONS,POST' : 'OPTIONS,GET,HEAD,POST';
  });
}

/** Bits of `pg_relation_is_updatable`. */
const [UPDATE, INSERT, DELETE] = [4, 8, 16];

/** The methods that change rows of a table or view. A PUT needs a key. */
async function changesOf(
  { database }: RestService,
  { schema, name, primaryKey }: Relation,
): Promise<string[]> {
  const { bits } = await database.one(
    'select pg_relation_is_updatable(format($1, $2::text, $3::text)::regclass, true) as bits',
    ['%I.%I', schema, name],
  );
  const can = (bit: number): boolean => ((bits ?? 0) & bit) !== 0;
  return [
    ...(can(INSERT) ? ['POST'] : []),
    ...(can(INSERT) && can(UPDATE) && primaryKey.length > 0 ? ['PUT'] : []),
    ...(can(UPDATE) ? ['PATCH'] : []),
    ...(can(DELETE) ? ['DELETE'] : []),
  ];
}

/** The schema that a request names in its profile header, or the first one. */
function schemaNameOf(request: FastifyRequest, names: readonly string[]): string {
  const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
  const named = request.headers[reads ? 'accept-profile' : 'content-profile'];
  return named === undefined || named === '' ? (names[0] ?? 'public') : String(named);
}

/** 406 PGRST106 for any schema but the exposed ones. */
function unknownSchema(name: string, names: readonly string[]): Error {
  return restError(406, 'PGRST106', `Invalid schema: ${name}`, {
    hint: `Only the following schemas are exposed: ${names.join(', ')}`,
  });
}
