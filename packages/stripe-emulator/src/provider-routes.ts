import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Stripe from 'stripe';
import { serveApi } from './api/api-routes.ts';
import { deliverEvents } from './ledger/event-delivery.ts';
import { runDueWork } from './ledger/renewal-round.ts';
import { serveInvoicePage } from './pages/invoice-page.ts';
import { servePayPage } from './pages/pay-page.ts';
import { servePortalPage } from './pages/portal-page.ts';
import { providerNow } from './provider-clock.ts';
import type { ApiHost, PageHost } from './provider-host.ts';
import { EMULATOR_PATH } from './provider-store.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const FORGET_ROUND_SECONDS = 3600;
const DUE_ROUND_SECONDS = 30;
const STYLES = '@northline/stripe-emulator/provider.css';
const FONT = '@fontsource-variable/archivo/files/archivo-latin-wdth-normal.woff2';

/** Everything that the provider needs of the program that it runs in. */
export interface ProviderOptions extends ApiHost, PageHost {
  /** Signs the webhooks. */
  readonly webhookSecret: string;
  /** The address that webhooks go to. Resolves when the server listens. */
  endpoint(): Promise<string>;
  /** CSS that precedes the pages' own rules: the custom properties of colours, sizes and type that these use. */
  readonly tokens: string;
  /** Called before each form of the pages is read. @throws when this client has sent too many */
  limitForm(request: FastifyRequest): Promise<void>;
}

/**
 * Mounts the embedded payment provider at `EMULATOR_PATH`: API, hosted pages, webhooks and renewals. All its
 * state is in PostgreSQL, so that nothing is lost when the process is killed.
 */
export function mountEmulator(server: FastifyInstance, options: ProviderOptions): void {
  const { database, jobs } = options;
  server.register(
    async (scope) => {
      takeForms(scope);
      await scope.register(async (api) => serveApi(api, options));
      await scope.register(async (hosted) => {
        hosted.addHook('onRequest', async (request) => {
          if (request.method === 'POST') await options.limitForm(request);
        });
        servePayPage(hosted, options);
        servePortalPage(hosted, options);
        serveInvoicePage(hosted, options);
        serveAssets(hosted, options.tokens);
      });
    },
    { prefix: EMULATOR_PATH },
  );
  deliverEvents(options, {
    stripe: new Stripe(options.apiKey),
    secret: options.webhookSecret,
    endpoint: () => options.endpoint(),
  });
  jobs.every('old idempotency keys', FORGET_ROUND_SECONDS, async () => {
    await database.run(
      "delete from private.provider_idempotency_keys where created_at < now() - interval '24 hours'",
    );
  });
  jobs.every('due payments at the emulator', DUE_ROUND_SECONDS, async () =>
    runDueWork(options, await providerNow(database)),
  );
}

/** Reads forms and the API's bodies as text; their handlers decode them. */
function takeForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(FORM_TYPE, { parseAs: 'string', bodyLimit: 64 * 1024 }, (_request, body, done) =>
    done(null, body),
  );
}

function serveAssets(scope: FastifyInstance, tokens: string): void {
  const { resolve } = createRequire(import.meta.url);
  const own = readFileSync(resolve(STYLES), 'utf8');
  const font = readFileSync(resolve(FONT));
  scope.get('/assets/provider.css', (_request, reply) =>
    reply
      .headers({ 'cache-control': 'public, max-age=3600' })
      .type('text/css; charset=utf-8')
      .send(`${tokens}\n${own}`),
  );
  scope.get('/assets/archivo.woff2', (_request, reply) =>
    reply.headers({ 'cache-control': 'public, max-age=86400' }).type('font/woff2').send(font),
  );
}
