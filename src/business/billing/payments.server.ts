import { currencyWord } from '@northline/vat/money';
import Stripe from 'stripe';
import type { Plan } from '../../kernel/contract/plans.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { createPriceMap, type PriceMap } from './price-map.server.ts';

/** The payment provider as billing uses it, whether it is Stripe or the embedded one. */
export interface Payments {
  /** The official client. */
  readonly stripe: Stripe;
  readonly prices: PriceMap;
  /** Secrets with which webhooks may be signed; more than one while a secret is being replaced. */
  readonly webhookSecrets: readonly string[];
  /** The required value of `livemode` in every object and event. */
  readonly livemode: boolean;
  /** True when the provider calculates VAT; it then asks payers for their country (decision 0393). */
  readonly taxed: boolean;
  /** The provider in this process; set when no Stripe key is configured. */
  readonly embedded: EmbeddedProvider | undefined;
  /** The provider's time, epoch seconds: ahead of ours if the embedded provider's clock was advanced. */
  now(): Promise<number>;
}

/**
 * A payment provider that runs in this process in place of Stripe. It is used through its API and its
 * webhooks, as Stripe is.
 */
export interface EmbeddedProvider {
  readonly apiKey: string;
  /** Signs its webhooks. */
  readonly webhookSecret: string;
  /** The address of its API, e.g. `http://127.0.0.1:8080/test-provider`; waits until the server listens. */
  address(): Promise<string>;
  /** Its time, epoch seconds; its clock can be advanced. */
  now(): Promise<number>;
}

const TIMEOUT_MS = 20_000;
const NETWORK_RETRIES = 2;

/**
 * Opens the client of Stripe, or of the embedded provider if one is given.
 *
 * @throws Error with one sentence for STRIPE_PRICES that cannot be used
 */
export function openPayments(resources: Resources, embedded: EmbeddedProvider | undefined): Payments {
  const { settings } = resources;
  const livemode = /^(sk|rk)_live_/.test(settings.STRIPE_SECRET_KEY);
  const prices = createPriceMap(settings.STRIPE_PRICES, resources, livemode);
  const taxed = settings.VAT_COUNTRY !== '';
  const common = { timeout: TIMEOUT_MS, maxNetworkRetries: NETWORK_RETRIES, telemetry: false };
  if (embedded === undefined) {
    let client = { key: settings.STRIPE_SECRET_KEY, stripe: new Stripe(settings.STRIPE_SECRET_KEY, common) };
    return {
      /** An operator may replace the key while the process runs. */
      get stripe() {
        const key = settings.STRIPE_SECRET_KEY;
        if (key !== client.key) client = { key, stripe: new Stripe(key, common) };
        return client.stripe;
      },
      prices,
      get webhookSecrets() {
        return (
          settings.STRIPE_WEBHOOK_SECRET.split(',')
            .map((secret) => secret.trim())
            // Anybody can sign with an empty secret.
            .filter((secret) => secret !== '')
        );
      },
      livemode,
      taxed,
      embedded: undefined,
      now: async () => Math.floor(Date.now() / 1000),
    };
  }
  return {
    stripe: new Stripe(embedded.apiKey, { ...common, protocol: 'http', httpClient: clientOf(embedded) }),
    prices,
    webhookSecrets: [embedded.webhookSecret],
    livemode: false,
    taxed,
    embedded,
    now: () => embedded.now(),
  };
}

/** The fields of a checkout request that make the provider calculate VAT; empty when it does not. */
export function taxFields(
  { taxed }: Payments,
  customer: string | undefined,
): Pick<
  Stripe.Checkout.SessionCreateParams,
  'automatic_tax' | 'billing_address_collection' | 'tax_id_collection' | 'customer_update'
> {
  if (!taxed) return {};
  return {
    automatic_tax: { enabled: true },
    billing_address_collection: 'required',
    tax_id_collection: { enabled: true },
    ...(customer !== undefined && { customer_update: { address: 'auto', name: 'auto' } }),
  };
}

/** The provider sells one customer running plans in one currency only, and never changes that of a subscription. */
export function otherCurrency(held: Plan, plan: Plan): ServiceError {
  const [present, next] = [currencyWord(held.currency), currencyWord(plan.currency)];
  return new ServiceError(
    400,
    'other_currency',
    `You pay for your ${held.name} in ${present}, and this plan is sold in ${next}. You can buy it when your ${held.name} has ended.`,
  );
}

/** The SDK has no setting for a path before `/v1`, nor for an address that becomes known later. */
function clientOf(embedded: EmbeddedProvider): Stripe.HttpClient {
  const client = Stripe.createNodeHttpClient();
  const send = client.makeRequest.bind(client);
  // biome-ignore lint/complexity/useMaxParams: the SDK calls it with these eight
  client.makeRequest = async (_host, _port, path, method, headers, body, protocol, timeout) => {
    const { hostname, port, pathname } = new URL(await embedded.address());
    const host = hostname.replace(/^\[|\]$/g, '');
    return send(host, port, `${pathname}${path}`, method, headers, body, protocol, timeout);
  };
  return client;
}
