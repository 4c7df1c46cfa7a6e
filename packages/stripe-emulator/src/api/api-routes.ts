import { createHash } from 'node:crypto';
import { ServiceError } from '@northline/service-error/service-error';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { equalSecrets } from '../equal-secrets.ts';
import { runDueWork } from '../ledger/renewal-round.ts';
import { providerNow } from '../provider-clock.ts';
import type { ApiHost } from '../provider-host.ts';
import { changeAt, providerId } from '../provider-store.ts';
import type { Queries } from '../queries.ts';
import type { ApiRoute } from '../route-descriptions.ts';
import { API_ROUTES } from './api-replies.ts';
import { decodeForm } from './form-decoder.ts';
import { expandObjects } from './object-expansion.ts';

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly replayed: boolean;
}

/**
 * Serves the subset of Stripe's REST API that the official SDK calls: form-encoded requests,
 * Stripe's error bodies, idempotency keys.
 */
export function serveApi(scope: FastifyInstance, host: ApiHost): void {
  scope.addHook('onRequest', async (request, reply) => {
    reply.header('request-id', providerId('req'));
    const key = request.headers.authorization?.replace(/^Bearer +/i, '') ?? '';
    if (!equalSecrets(key, host.apiKey)) {
      throw new ServiceError(401, 'api_key_invalid', 'Invalid API Key provided.');
    }
  });
  scope.setErrorHandler((thrown, request, reply) => {
    const { status, code, message, details } = asProviderError(thrown);
    if (status >= 500) host.log.error({ err: thrown, request: request.id }, 'the Stripe emulator failed');
    const type = status >= 500 ? 'api_error' : (details.type ?? 'invalid_request_error');
    return reply.code(status).send({ error: { ...details, type, code, message } });
  });
  for (const route of API_ROUTES) {
    scope.route({
      method: route.method,
      url: route.path,
      handler: async (request, reply) => {
        const answer = await host.database.transaction((queries) =>
          once(queries, request, () => work(queries, route, request)),
        );
        const due = answer.replayed ? undefined : route.dueAfter?.(answer.body as Record<string, unknown>);
        if (due !== undefined) await runDueWork(host, due.to, due.scope);
        if (answer.replayed) reply.header('idempotent-replayed', 'true');
        return reply.code(answer.status).send(answer.body);
      },
    });
  }
  scope.all('/v1/*', async (request) => {
    throw new ServiceError(
      404,
      'url_invalid',
      `Unrecognized request URL (${request.method}: ${request.url.split('?', 1)[0]}).`,
    );
  });

  async function work(queries: Queries, route: ApiRoute, request: FastifyRequest): Promise<object> {
    const params = decodeForm(parametersOf(request));
    if (params === undefined)
      throw new ServiceError(400, 'parameter_invalid', 'The parameters are malformed.');
    const { id = '' } = request.params as { id?: string };
    const change = changeAt(host, queries, await providerNow(queries));
    const answer = await route.answer({ change, id, params });
    const paths = Array.isArray(params.expand) ? params.expand.map(String) : [];
    return expandObjects(queries, answer, paths);
  }
}

/** Runs a POST once for each Idempotency-Key and answers repeats with the first answer. */
async function once(queries: Queries, request: FastifyRequest, work: () => Promise<object>): Promise<Answer> {
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || typeof key !== 'string') {
    return { status: 200, body: await work(), replayed: false };
  }
  await queries.many("select pg_advisory_xact_lock(hashtextextended('idempotency ' || $1, 0))", [key]);
  const fingerprint = createHash('sha256')
    .update(`${request.method} ${request.url}\n${parametersOf(request)}`)
    .digest();
  const earlier = await queries.maybe(
    'select fingerprint, status, body from private.provider_idempotency_keys where key = $1',
    [key],
  );
  if (earlier === undefined) {
    const body = await work();
    await queries.run(
      'insert into private.provider_idempotency_keys (key, fingerprint, status, body) values ($1, $2, 200, $3)',
      [key, fingerprint, JSON.stringify(body)],
    );
    return { status: 200, body, replayed: false };
  }
  if (!earlier.fingerprint.equals(fingerprint)) {
    throw new ServiceError(
      400,
      'idempotency_key_in_use',
      'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      { details: { type: 'idempotency_error' } },
    );
  }
  return { status: earlier.status, body: earlier.body, replayed: true };
}

/** GET and DELETE carry their parameters in the address, POST in the body. */
function parametersOf(request: FastifyRequest): string {
  if (request.method === 'POST') return typeof request.body === 'string' ? request.body : '';
  return request.url.split('?').slice(1).join('?');
}

function asProviderError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const { statusCode } = thrown as { statusCode?: number };
  return statusCode !== undefined && statusCode < 500
    ? new ServiceError(statusCode, 'parameter_invalid', 'The request cannot be understood.')
    : new ServiceError(500, 'api_error', 'An error occurred in the Stripe emulator.', { cause: thrown });
}
