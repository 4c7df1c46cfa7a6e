import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type Stripe from 'stripe';
import { PROJECT_ROOT } from '../../../config/project-root.ts';
import type { Door } from '../../../http/door.ts';
import type { RateLimit } from '../../../http/rate-limit.ts';
import type { Resources } from '../../../resources/resources.ts';
import { ownAddress, providerSecrets } from '../open-payments.server.ts';
import { deliverEvents } from './deliver-events.server.ts';
import { providerNow } from './keep-clock.server.ts';
import { TEST_PROVIDER_PATH } from './provider-store.server.ts';
import { runDueWork } from './run-due-work.server.ts';
import { serveApi } from './serve-api.server.ts';
import { serveInvoicePage } from './serve-invoice-page.server.ts';
import { servePayPage } from './serve-pay-page.server.ts';
import { servePortalPage } from './serve-portal-page.server.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const PAGE_LIMIT: RateLimit = { name: 'test provider page', count: 120, seconds: 60 };
const FORGET_ROUND_SECONDS = 3600;
const DUE_ROUND_SECONDS = 30;
/** One style: the site's tokens, then what uses them. */
const STYLES = ['src/web/styles/tokens.css', 'src/features/billing/test-provider/provider.css'];
const FONT = '@fontsource-variable/archivo/files/archivo-latin-wdth-normal.woff2';

/**
 * Mounts the embedded payment provider: API, hosted pages, webhooks and renewals. All its
 * state is in PostgreSQL, so that a kill loses nothing.
 */
export function mountTestProvider(door: Door, resources: Resources, stripe: Stripe): void {
  const { apiKey, webhook } = providerSecrets(resources.keys);
  door.server.register(
    async (scope) => {
      takeForms(scope);
      await scope.register(async (api) => serveApi(api, resources, apiKey));
      await scope.register(async (hosted) => {
        hosted.addHook('onRequest', async (request) => {
          if (request.method === 'POST') door.rateLimiter.take(PAGE_LIMIT, door.addressOf(request));
        });
        servePayPage(hosted, resources, TEST_PROVIDER_PATH);
        servePortalPage(hosted, resources, TEST_PROVIDER_PATH);
        serveInvoicePage(hosted, resources, TEST_PROVIDER_PATH);
        serveAssets(hosted);
      });
    },
    { prefix: TEST_PROVIDER_PATH },
  );
  deliverEvents(resources, {
    stripe,
    secret: webhook,
    origin: () => {
      const { host, port } = ownAddress(door);
      return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    },
  });
  resources.jobs.every('forget-idempotency-keys', FORGET_ROUND_SECONDS, async () => {
    await resources.database.run(
      "delete from private.provider_idempotency_keys where created_at < now() - interval '24 hours'",
    );
  });
  resources.jobs.every('run-test-provider', DUE_ROUND_SECONDS, async () =>
    runDueWork(resources, await providerNow(resources.database)),
  );
}

/** Forms and the API's bodies are read as text and decoded by whoever serves them. */
function takeForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(FORM_TYPE, { parseAs: 'string', bodyLimit: 64 * 1024 }, (_request, body, done) =>
    done(null, body),
  );
}

function serveAssets(scope: FastifyInstance): void {
  const style = STYLES.map((file) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8')).join('\n');
  const font = readFileSync(createRequire(import.meta.url).resolve(FONT));
  scope.get('/assets/provider.css', (_request, reply) =>
    reply.headers({ 'cache-control': 'public, max-age=3600' }).type('text/css; charset=utf-8').send(style),
  );
  scope.get('/assets/archivo.woff2', (_request, reply) =>
    reply.headers({ 'cache-control': 'public, max-age=86400' }).type('font/woff2').send(font),
  );
}
