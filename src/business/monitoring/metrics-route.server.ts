import { Gauge, Registry } from 'prom-client';
import { PRODUCT_VERSION } from '../../kernel/config/product-version.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { bearerToken } from '../../kernel/http/bearer-token.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { equalSecrets } from '../../kernel/resources/crypto/secrets.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { measureWalArchive } from './archive-metrics.server.ts';
import { measureDatabase } from './database-metrics.server.ts';
import { measureProcess } from './process-metrics.server.ts';

const WRONG_TOKENS = { name: 'wrong metrics tokens', count: 30, seconds: 60 };
/** Scrapes within this time share the figures read from the database, milliseconds. */
const FRESH_MS = 5000;

/**
 * `GET /metrics` in Prometheus' text format, for the bearer `metrics_token` of keys.json; otherwise 401
 * `metrics_token_needed`. The process counts its own work; figures of the installation are read from the
 * database, so every process reports the same. Mount it first, because it counts the requests of everything
 * mounted later.
 */
export function mountMetrics(http: HttpContext, resources: Resources): void {
  const register = new Registry();
  new Gauge({
    name: 'northline_info',
    help: 'The running version.',
    labelNames: ['version', 'node'],
    registers: [register],
  }).set({ version: PRODUCT_VERSION, node: process.version }, 1);
  measureProcess(http, resources, register);
  measureWalArchive(resources.settings.DATA_DIR, register);
  const figures = measureDatabase(resources.database, register);
  let read: { readonly at: number; readonly done: Promise<void> } | undefined;
  http.server.get('/metrics', async (request, reply) => {
    if (!equalSecrets(bearerToken(request.headers) ?? '', resources.keys.metrics_token)) {
      await http.rateLimiter.take(WRONG_TOKENS, http.addressOf(request));
      throw new ServiceError(
        401,
        'metrics_token_needed',
        'Metrics need the header Authorization: Bearer with the metrics_token of keys.json.',
        { headers: { 'www-authenticate': 'Bearer' } },
      );
    }
    if (read === undefined || Date.now() - read.at > FRESH_MS)
      read = { at: Date.now(), done: figures.read() };
    await read.done;
    return reply.type(register.contentType).send(await register.metrics());
  });
}
