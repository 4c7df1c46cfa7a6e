import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonColumns as ProviderColumns } from '@northline/stripe-emulator/json-columns';
import { providerNow } from '@northline/stripe-emulator/provider-clock';
import type { ProviderHost } from '@northline/stripe-emulator/provider-host';
import { mountEmulator } from '@northline/stripe-emulator/provider-routes';
import { EMULATOR_PATH } from '@northline/stripe-emulator/provider-store';
import type { Statements as ProviderStatements } from '@northline/stripe-emulator/statements.generated';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import { vatTerms } from '../../kernel/config/vat-settings.ts';
import { SPECIFIED_PLANS } from '../../kernel/contract/plans.ts';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { holdsName } from '../../kernel/contract/site-content.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { ownOrigin } from '../../kernel/http/own-origin.ts';
import type { RateLimit } from '../../kernel/http/rate-limit.ts';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { EmbeddedProvider } from './payments.server.ts';

// Our database runs the provider's statements too, and its tables are in the same schema.
declare module '../../kernel/resources/database/statements.generated.ts' {
  interface Statements extends ProviderStatements {}
}
declare module '../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns extends ProviderColumns {}
}

const PAGE_LIMIT: RateLimit = { name: 'emulator page', count: 120, seconds: 60 };
const TOKENS = 'src/ui/styles/tokens.css';

/**
 * The API key and the webhook secret, derived from the installation's keys, so that there are no default
 * ones.
 */
export function providerSecrets(keys: Resources['keys']): { apiKey: string; webhook: string } {
  return {
    apiKey: `sk_test_${derivedSecret(keys, 'test provider api key').toString('hex')}`,
    webhook: `whsec_${derivedSecret(keys, 'test provider webhook').toString('base64url')}`,
  };
}

/** What the provider's ledger needs of us: the database, the queue, our address, our VAT and our plans. */
export function providerHost(
  resources: Pick<Resources, 'database' | 'jobs' | 'settings' | 'site' | 'siteUrl'>,
): ProviderHost {
  const { database, jobs, settings, site, siteUrl } = resources;
  const catalogue = {
    first: SPECIFIED_PLANS,
    sold: () => site.plans.sold,
    find: (priceId: string) => site.plans.find(priceId),
  };
  return { database, jobs, siteUrl, vat: vatTerms(settings), catalogue };
}

/** Mounts the embedded payment provider, which stands in for Stripe while no key is configured. */
export function openStripeEmulator(http: HttpContext, resources: Resources): EmbeddedProvider {
  const { settings, site, database, log } = resources;
  const { apiKey, webhook } = providerSecrets(resources.keys);
  mountEmulator(http.server, {
    ...providerHost(resources),
    apiKey,
    webhookSecret: webhook,
    endpoint: async () => `${await ownOrigin(http)}${SERVICES.stripeWebhook}`,
    // Read at each use: the agency may publish another name.
    seller: {
      get brand() {
        return settings.BRAND;
      },
      get logo() {
        const { logo } = site;
        return logo && { src: logo.src, holdsName: holdsName(logo) };
      },
      get contact() {
        return settings.CONTACT_EMAIL;
      },
      vatNumber: settings.VAT_NUMBER,
    },
    tokens: readFileSync(path.join(PROJECT_ROOT, TOKENS), 'utf8'),
    limitForm: (request) => http.rateLimiter.take(PAGE_LIMIT, http.addressOf(request)),
    log,
  });
  return {
    apiKey,
    webhookSecret: webhook,
    address: async () => `${await ownOrigin(http)}${EMULATOR_PATH}`,
    now: () => providerNow(database),
  };
}
