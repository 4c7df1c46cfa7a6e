import Stripe from 'stripe';
import type { Door } from '../../http/door.ts';
import { derivedSecret } from '../../resources/crypto/secrets.ts';
import type { Resources } from '../../resources/resources.ts';
import { createPriceMap, type PriceMap } from './map-prices.server.ts';
import { providerNow } from './test-provider/keep-clock.server.ts';
import { TEST_PROVIDER_PATH } from './test-provider/provider-store.server.ts';

/** The payment provider as billing sees it: the same whether it is Stripe or the embedded one. */
export interface Payments {
  /** The official client. */
  readonly stripe: Stripe;
  readonly prices: PriceMap;
  /** Secrets that may sign webhooks; more than one while a secret is being replaced. */
  readonly webhookSecrets: readonly string[];
  /** What `livemode` of every object and event must be. */
  readonly livemode: boolean;
  /** No Stripe key is set: the provider in this process is used. */
  readonly embedded: boolean;
  /** The provider's time, epoch seconds: ahead of ours where the embedded one's clock was moved. */
  now(): Promise<number>;
}

const TIMEOUT_MS = 20_000;
const NETWORK_RETRIES = 2;

/** The secrets of the embedded provider, derived so that no default one exists anywhere. */
export function providerSecrets(keys: Resources['keys']): { apiKey: string; webhook: string } {
  return {
    apiKey: `sk_test_${derivedSecret(keys, 'test provider api key').toString('hex')}`,
    webhook: `whsec_${derivedSecret(keys, 'test provider webhook').toString('base64url')}`,
  };
}

/**
 * Opens the client of the provider that the settings name.
 *
 * @throws Error with one sentence for STRIPE_PRICES that cannot be used
 */
export function openPayments(door: Door, resources: Resources): Payments {
  const { settings, keys } = resources;
  const livemode = /^(sk|rk)_live_/.test(settings.STRIPE_SECRET_KEY);
  const prices = createPriceMap(settings.STRIPE_PRICES, resources.database, livemode);
  const common = { timeout: TIMEOUT_MS, maxNetworkRetries: NETWORK_RETRIES, telemetry: false };
  if (settings.STRIPE_SECRET_KEY !== '') {
    return {
      stripe: new Stripe(settings.STRIPE_SECRET_KEY, common),
      prices,
      webhookSecrets: settings.STRIPE_WEBHOOK_SECRET.split(',').map((secret) => secret.trim()),
      livemode,
      embedded: false,
      now: async () => Math.floor(Date.now() / 1000),
    };
  }
  const { apiKey, webhook } = providerSecrets(keys);
  return {
    stripe: new Stripe(apiKey, { ...common, protocol: 'http', httpClient: ownServerClient(door) }),
    prices,
    webhookSecrets: [webhook],
    livemode: false,
    embedded: true,
    now: () => providerNow(resources.database),
  };
}

/** Host and port under which this process reaches itself; known once it listens. */
export function ownAddress(door: Door): { host: string; port: number } {
  const address = door.server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen yet');
  const wildcard = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address.address];
  return { host: wildcard ?? address.address, port: address.port };
}

/** The SDK has no setting for a path in front of `/v1`, nor for an address that is known later. */
function ownServerClient(door: Door): Stripe.HttpClient {
  const client = Stripe.createNodeHttpClient();
  const send = client.makeRequest.bind(client);
  client.makeRequest = async (_host, _port, path, method, headers, body, protocol, timeout) => {
    const { host, port } = ownAddress(door);
    return send(host, String(port), `${TEST_PROVIDER_PATH}${path}`, method, headers, body, protocol, timeout);
  };
  return client;
}
