import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { isWriting, rightOfFunction } from '../contract/api-rights.ts';
import { SERVICES } from '../contract/routes.ts';
import { ServiceError } from '../contract/service-error.ts';
import { requireUser } from '../http/authenticate.ts';
import type { HeavyQueues, HttpContext } from '../http/http-context.ts';
import { inputIssues } from '../http/input-issues.ts';
import { JsonBytes, sendJson } from '../http/json-slices.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { Caller } from '../resources/database/caller.ts';

/** One call of a function, after its caller, limit and body have been checked. */
export interface FunctionCall<Body> {
  readonly caller: Caller;
  /** The JSON body (for GET the query) as parsed by `body` of the declaration. */
  readonly body: Body;
  /** The client's address, through trusted proxies only. */
  readonly address: string;
  readonly request: FastifyRequest;
}

/** A function under `/functions/v1/` (docs/contracts/platform.md §5, docs/specification/site.md §7). */
export interface FunctionDeclaration<Schema extends z.ZodType> {
  /** Last part of the address, e.g. `checkout`. */
  readonly name: string;
  /** Default POST. With GET the query is checked in place of a body. */
  readonly method?: 'GET' | 'POST';
  /** `anyone` with a valid key or token, the public key included; `users` only with a user's access token. */
  readonly callers: 'anyone' | 'users';
  /**
   * By default, a function for users requires the second factor of accounts that have one (403
   * `insufficient_aal`). True when the function works without it, because it reveals nothing or checks the
   * factor itself.
   */
  readonly beforeSecondFactor?: boolean;
  readonly body: Schema;
  /** Counted by the user, or by the client's address when there is no user. */
  readonly limit: Omit<RateLimit, 'name'>;
  /** Code of the 429 reply; default `over_request_rate_limit`. */
  readonly limitCode?: string;
  /** Largest body, bytes; default 64 KB. */
  readonly bodyLimit?: number;
  /** Set for expensive work: the request queues with others of its kind, one at a time for each caller. */
  readonly heavyFor?: keyof HeavyQueues;
  /** HTTP status of a successful reply; default 200. */
  readonly status?: number;
  /**
   * The returned object is sent as JSON, unless it is JSON already. Failures are ServiceErrors: `{error:
   * sentence, code}`.
   */
  handle(call: FunctionCall<z.output<Schema>>): Promise<object>;
}

const BODY_LIMIT = 64 * 1024;
/** Only callers with a session may send larger bodies. */
const ANONYMOUS_BODY_LIMIT = 1024 * 1024;

/**
 * Mounts a function. The order of the checks is the order of their cost: key or token, rate limit, body.
 *
 * @example declareFunction(http, {
 *   name: 'enquiry', callers: 'anyone', body: z.object({ name: z.string() }),
 *   limit: { count: 10, seconds: 600 }, handle: async ({ body }) => ({ id: await store(body) }),
 * });
 */
export function declareFunction<Schema extends z.ZodType>(
  http: HttpContext,
  declaration: FunctionDeclaration<Schema>,
): void {
  const { name, method = 'POST', callers, body, handle } = declaration;
  const { bodyLimit = BODY_LIMIT } = declaration;
  const limit: RateLimit = { ...declaration.limit, name: `function ${name}` };
  const { heavyFor } = declaration;
  const queue = heavyFor === undefined ? undefined : http.heavyQueues[heavyFor];
  const inTurn = (key: string, work: () => Promise<object>) => queue?.run(key, work) ?? work();
  http.server.route({
    method,
    url: `${SERVICES.functions}/${name}`,
    bodyLimit,
    ...(bodyLimit > ANONYMOUS_BODY_LIMIT && { onRequest: (request) => refuseLargeOfAnyone(http, request) }),
    handler: async (request, reply) => {
      const right = rightOfFunction(name, request.body);
      const caller = await http.authenticate(
        request.headers,
        request.query as Record<string, unknown>,
        right,
      );
      if (callers === 'users') requireUser(caller);
      const address = http.addressOf(request);
      await http.rateLimiter.take(limit, caller.userId ?? address, { code: declaration.limitCode });
      if (callers === 'users' && declaration.beforeSecondFactor !== true)
        await http.requireSecondFactor(caller);
      const input = parseInput(body, method === 'GET' ? request.query : request.body);
      const work = () =>
        inTurn(caller.userId ?? address, () => handle({ caller, body: input, address, request }));
      const isKeyWrite = caller.apiKeyId !== undefined && right !== undefined && isWriting(right);
      const answer = await (isKeyWrite ? recordedWrite(http, caller, { name, request, work }) : work());
      reply.code(declaration.status ?? 200);
      return answer instanceof JsonBytes ? sendJson(reply, answer) : reply.send(answer);
    },
  });
}

/** The names under which bodies hold the id of what they change. */
const SUBJECTS = ['id', 'file_id', 'user_id'] as const;

/** Does what a caller with an API key asked for, between the two records of it. */
async function recordedWrite(
  http: HttpContext,
  caller: Caller,
  { name, request, work }: { name: string; request: FastifyRequest; work: () => Promise<object> },
): Promise<object> {
  const body = (request.body ?? {}) as Readonly<Record<string, unknown>>;
  const subject = SUBJECTS.map((field) => body[field]).find((id) => typeof id === 'string');
  const key = request.headers['idempotency-key'];
  const settle = await http.recordKeyWrite({
    caller,
    action: typeof body.do === 'string' ? body.do : name,
    subject: String(subject ?? '').slice(0, 100),
    idempotencyKey: typeof key === 'string' && key !== '' ? key : undefined,
  });
  try {
    const answer = await work();
    await settle('done');
    return answer;
  } catch (error) {
    await settle(error instanceof ServiceError ? error.code : 'unexpected_failure');
    throw error;
  }
}

/**
 * Authenticates the sender of a large body before any of it is read.
 *
 * @throws ServiceError 401 without a key, 413 `body_too_large` for callers without a session
 */
async function refuseLargeOfAnyone(
  { authenticate }: HttpContext,
  { headers }: FastifyRequest,
): Promise<void> {
  const length =
    headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
  if (length <= ANONYMOUS_BODY_LIMIT) return;
  const { role } = await authenticate(headers);
  if (role === 'anon') throw new ServiceError(413, 'body_too_large', 'The request body is too large.');
}

/** Answers 404 `{error, code}` for every function that is not declared. */
export function mountUnknownFunctions(http: HttpContext): void {
  http.server.all(`${SERVICES.functions}/*`, async () => {
    throw new ServiceError(404, 'not_found', 'There is no such function.');
  });
}

/**
 * Parses an input by `schema`.
 *
 * @throws ServiceError 400 `validation_failed` whose details name the wrong fields: `{fields: {email:
 * 'why'}}`
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const outcome = schema.safeParse(input);
  if (outcome.success) return outcome.data;
  const { field, reason, fields } = inputIssues(outcome.error);
  throw new ServiceError(400, 'validation_failed', `The field ${field} is not valid: ${reason}.`, {
    details: { fields },
  });
}
