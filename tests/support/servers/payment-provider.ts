import Stripe from 'stripe';
import { providerSecrets } from '../../../src/business/billing/stripe-emulator.server.ts';
import type { TestApp } from '../test-app.ts';

/**
 * The official client for the embedded provider; the path before `/v1` is added, because the client has no
 * setting for it.
 */
export function providerClient(app: TestApp, key = providerSecrets(app.resources.keys).apiKey): Stripe {
  const httpClient = Stripe.createNodeHttpClient();
  const send = httpClient.makeRequest.bind(httpClient);
  httpClient.makeRequest = (host, port, path, ...rest) => send(host, port, `/test-provider${path}`, ...rest);
  const { hostname, port } = new URL(app.url);
  return new Stripe(key, { host: hostname, port, protocol: 'http', httpClient, maxNetworkRetries: 0 });
}

/**
 * Moves the provider's clock forward; everything that becomes due has happened when this resolves, except for
 * its webhooks: wait for them with `settle`.
 */
export async function advanceClock(app: TestApp, days: number): Promise<void> {
  await callProvider(app, 'POST', '/v1/test_helpers/clock', { advance_seconds: String(days * 24 * 3600) });
}

/** A call without a method in the SDK, for features of the embedded provider only. */
export async function callProvider(
  app: TestApp,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  params: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const reply = await fetch(`${app.url}/test-provider${path}`, {
    method,
    headers: { authorization: `Bearer ${providerSecrets(app.resources.keys).apiKey}` },
    ...(method === 'POST' ? { body: new URLSearchParams(params) } : {}),
  });
  const body = (await reply.json()) as Record<string, unknown>;
  if (!reply.ok) throw new Error(`the provider answered ${reply.status}: ${JSON.stringify(body)}`);
  return body;
}
