import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import Stripe from 'stripe';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { ownOrigin } from '../../kernel/http/own-origin.ts';
import type { RateLimit } from '../../kernel/http/rate-limit.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { serveApi } from './api/api-routes.server.ts';
import { runDueWork } from './ledger/due-work.server.ts';
import { deliverEvents } from './ledger/event-delivery.server.ts';
import { serveInvoicePage } from './pages/invoice-page.server.ts';
import { servePayPage } from './pages/pay-page.server.ts';
import { servePortalPage } from './pages/portal-page.server.ts';
import { providerNow } from './provider-clock.server.ts';
import { providerSecrets } from './provider-secrets.server.ts';
import { TEST_PROVIDER_PATH } from './provider-store.server.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const PAGE_LIMIT: RateLimit = { name: 'test provider page', count: 120, seconds: 60 };
const FORGET_ROUND_SECONDS = 3600;
const DUE_ROUND_SECONDS = 30;
/** The style sheets of the pages: the site's tokens, then the provider's own rules. */
const STYLES = ['src/ui/styles/tokens.css', 'src/emulators/stripe/pages/provider.css'];
const FONT = '@fontsource-variable/archivo/files/archivo-latin-wdth-normal.woff2';

/** What a client of the provider needs, as it would need it for Stripe. */
export interface TestProvider {
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** The base address of the API; waits until the server listens. */
  address(): Promise<string>;
  /** Epoch seconds. */
  now(): Promise<number>;
}

/**
 * Mounts the embedded payment provider: API, hosted pages, webhooks and renewals. All its state is in
 * PostgreSQL, so that nothing is lost when the process is killed.
 */
export function mountTestProvider(http: HttpContext, resources: Resources): TestProvider {
  const { apiKey, webhook } = providerSecrets(resources.keys);
  http.server.register(
    async (scope) => {
      takeForms(scope);
      await scope.register(async (api) => serveApi(api, resources, apiKey));
      await scope.register(async (hosted) => {
        hosted.addHook('onRequest', async (request) => {
          if (request.method === 'POST') await http.rateLimiter.take(PAGE_LIMIT, http.addressOf(request));
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
    stripe: new Stripe(apiKey),
    secret: webhook,
    origin: () => ownOrigin(http),
  });
  resources.jobs.every('forget-idempotency-keys', FORGET_ROUND_SECONDS, async () => {
    await resources.database.run(
      "delete from private.provider_idempotency_keys where created_at < now() - interval '24 hours'",
    );
  });
  resources.jobs.every('run-test-provider', DUE_ROUND_SECONDS, async () =>
    runDueWork(resources, await providerNow(resources.database)),
  );
  return {
    apiKey,
    webhookSecret: webhook,
    address: async () => `${await ownOrigin(http)}${TEST_PROVIDER_PATH}`,
    now: () => providerNow(resources.database),
  };
}

/** Reads forms and the API's bodies as text; their handlers decode them. */
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
