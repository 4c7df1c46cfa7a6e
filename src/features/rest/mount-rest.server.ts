import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SERVICES } from '../../contract/routes.ts';
import type { Door } from '../../http/door.ts';
import type { Resources } from '../../resources/resources.ts';
import {
  answerCall,
  answerRoot,
  answerTable,
  findRelation,
  type RestReply,
  type RestRequest,
  type RestService,
} from './answer-request.server.ts';
import { keepSchema } from './keep-schema.server.ts';
import { EXPOSED_SCHEMA } from './load-schema.server.ts';
import { csvToJson } from './parse-csv.server.ts';
import { asTokenError, bodyError, restError } from './rest-error.server.ts';
import { speaksOfOldSchema } from './run-statement.server.ts';

/** Largest body, bytes. */
const MAX_BODY = 5 * 1024 * 1024;
/** Deepest nesting of a JSON body (security.md, attack 48). */
const MAX_JSON_DEPTH = 64;

type Answer = (service: RestService, request: RestRequest) => Promise<RestReply>;
interface NameParams {
  Params: { name?: string };
}

/** Mounts the data service under `/rest/v1` (contract §4). */
export async function mountRest(door: Door, resources: Resources): Promise<void> {
  const service: RestService = {
    database: resources.database,
    schema: await keepSchema(resources.database),
  };
  await door.server.register(
    async (scope) => {
      scope.removeAllContentTypeParsers();
      const parsed = { parseAs: 'string' as const, bodyLimit: MAX_BODY };
      // The text itself goes to PostgreSQL; we only look at the keys.
      scope.addContentTypeParser(
        /^application\/(vnd\.pgrst\.[\w.+]+|json)/,
        parsed,
        (_request, body: string, done) => done(null, body),
      );
      scope.addContentTypeParser('text/csv', parsed, (_request, body: string, done) => {
        try {
          done(null, body === '' ? '' : csvToJson(body));
        } catch (error) {
          done(error as Error);
        }
      });
      scope.addContentTypeParser(
        'application/x-www-form-urlencoded',
        parsed,
        (_request, body: string, done) =>
          done(null, JSON.stringify(Object.fromEntries(new URLSearchParams(body)))),
      );
      // For functions of one unnamed argument; a table refuses them.
      scope.addContentTypeParser(/^text\/(plain|xml)/, parsed, (_request, body: string, done) =>
        done(null, body),
      );
      scope.addContentTypeParser(
        'application/octet-stream',
        { parseAs: 'buffer', bodyLimit: MAX_BODY },
        (_request, body: Buffer, done) => done(null, `\\x${body.toString('hex')}`),
      );
      // Without a content type the body is taken as JSON, as PostgREST does.
      scope.addContentTypeParser('*', parsed, (request, body: string, done) => {
        const type = request.headers['content-type'];
        if (body === '' || type === undefined || type === '') done(null, body);
        else done(restError(415, 'PGRST102', `Content-Type not acceptable: ${type}`));
      });
      const on = (path: string, methods: RestRequest['method'][], answer: Answer) =>
        scope.route<NameParams>({
          method: methods,
          url: path,
          exposeHeadRoute: false,
          handler: (request, reply) => handle(door, service, answer, request, reply),
        });
      on('/:name', ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], answerTable);
      on('/', ['GET', 'HEAD'], answerRoot);
      on('/rpc/:name', ['GET', 'HEAD', 'POST'], answerCall);
      scope.route({
        method: ['PUT', 'PATCH', 'DELETE'],
        url: '/rpc/:name',
        handler: async (request) => {
          throw restError(405, 'PGRST101', `Cannot use the ${request.method} method on RPC`);
        },
      });
      mountOptions(scope, service);
      scope.setNotFoundHandler(async () => {
        throw restError(404, 'PGRST125', 'Invalid path specified in request URL');
      });
    },
    { prefix: SERVICES.rest },
  );
}

async function handle(
  door: Door,
  service: RestService,
  answer: Answer,
  request: FastifyRequest<NameParams>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const caller = await door
    .identify(request.headers, request.query as Record<string, unknown>)
    .catch((error: unknown) => {
      throw asTokenError(error, request.headers.authorization);
    });
  requireExposedSchema(request);
  const body = typeof request.body === 'string' ? request.body : '';
  const bodyType = bodyTypeOf(request);
  if (bodyType === 'json') requireFlatJson(body);
  const { name = '' } = request.params;
  if (name.includes('\0')) throw restError(404, 'PGRST205', 'Could not find the table in the schema cache');
  const mark = request.url.indexOf('?');
  const result = await answer(service, {
    method: request.method as RestRequest['method'],
    name,
    query: mark === -1 ? '' : request.url.slice(mark + 1),
    headers: request.headers,
    body,
    bodyType,
    caller,
  }).catch((error: unknown) => {
    if (speaksOfOldSchema(error)) service.schema.markStale();
    throw error;
  });
  reply.code(result.status).headers({ ...result.headers, 'content-profile': EXPOSED_SCHEMA });
  return reply.send(result.body === undefined ? undefined : request.method === 'HEAD' ? '' : result.body);
}

/** What a body that is no JSON is, for functions that take it whole. */
function bodyTypeOf(request: FastifyRequest): RestRequest['bodyType'] {
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/octet-stream')) return 'bytea';
  if (type.startsWith('text/xml')) return 'xml';
  return type.startsWith('text/plain') ? 'text' : 'json';
}

/** OPTIONS that is no preflight (that is answered at the door): which methods an address takes. */
function mountOptions(scope: FastifyInstance, service: RestService): void {
  const allow = (path: string, methods: (name: string) => Promise<string>) =>
    scope.options<NameParams>(path, async (request, reply) =>
      reply
        .code(200)
        .header('allow', await methods(request.params.name ?? ''))
        .send(),
    );
  allow('/', async () => 'OPTIONS,GET,HEAD');
  allow('/:name', async (name) => {
    await findRelation(service, name);
    return 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE';
  });
  allow('/rpc/:name', async (name) => {
    const { routines } = await service.schema.current();
    const [routine] = routines.get(name) ?? [];
    return routine === undefined || routine.volatile ? 'OPTIONS,POST' : 'OPTIONS,GET,HEAD,POST';
  });
}

/** @throws ServiceError 406 PGRST106 for any schema but the exposed one */
function requireExposedSchema(request: FastifyRequest): void {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const schema = request.headers[reads ? 'accept-profile' : 'content-profile'];
  if (schema === undefined || schema === EXPOSED_SCHEMA) return;
  throw restError(406, 'PGRST106', `Invalid schema: ${String(schema)}`, {
    hint: `Only the following schemas are exposed: ${EXPOSED_SCHEMA}`,
  });
}

/** @throws ServiceError PGRST102 for JSON nested deeper than anything that has a column */
function requireFlatJson(text: string): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === 0x5c) at += 1;
      else if (character === 0x22) inString = false;
    } else if (character === 0x22) inString = true;
    else if (character === 0x5b || character === 0x7b) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) throw bodyError(`The body is nested deeper than ${MAX_JSON_DEPTH} levels`);
    } else if (character === 0x5d || character === 0x7d) depth -= 1;
  }
}
