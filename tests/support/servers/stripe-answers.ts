import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { openPayments, type Payments } from '../../../src/business/billing/payments.server.ts';
import type { Resources } from '../../../src/kernel/resources/resources.ts';

/** A refusal by Stripe's API: its status and the fields of `error`. */
export class StripeRefusal {
  readonly status: number;
  readonly error: Readonly<Record<string, string>>;

  constructor(status: number, error: Readonly<Record<string, string>>) {
    this.status = status;
    this.error = error;
  }
}

/** The replies to `GET /v1/customers/cus_1` and the like: an object of the API, or a refusal. */
export type StripeRoutes = Readonly<Record<string, object>>;

/**
 * A server for Stripe's API with replies chosen by a test, for cases that neither a test card nor the
 * embedded provider can cause.
 */
export interface StripeAnswers {
  readonly address: string;
  /** host:port, for OUTBOUND_ALLOW_HOSTS. */
  readonly host: string;
  /** Methods and paths of the requests. */
  readonly asked: string[];
  /** Payments as the product opens them, through the official client. */
  readonly payments: Payments;
  close(): Promise<void>;
}

/** A list in the API's form. */
export const stripeList = (data: readonly object[]): object => ({
  object: 'list',
  url: '/v1/list',
  has_more: false,
  data,
});

/** The product's client puts the provider's path before `/v1`. */
const PREFIX = '/stripe';
const MISSING = new StripeRefusal(404, {
  type: 'invalid_request_error',
  code: 'resource_missing',
  message: 'No such object',
});

/** Starts it. Objects that `routes` does not name are missing; lists that it does not name are empty. */
export async function startStripeAnswers(
  resources: Pick<Resources, 'settings' | 'site' | 'database'>,
  routes: StripeRoutes,
): Promise<StripeAnswers> {
  const asked: string[] = [];
  const server = http.createServer(async (request, response) => {
    await text(request);
    const pathname = new URL(request.url ?? '', 'http://stripe.local').pathname.slice(PREFIX.length);
    const what = `${request.method} ${pathname}`;
    asked.push(what);
    const isList = request.method === 'GET' && /^\/v1\/(checkout\/)?[a-z_]+$/.test(pathname);
    const answer = routes[what] ?? (isList ? stripeList([]) : MISSING);
    const [status, body] =
      answer instanceof StripeRefusal ? [answer.status, { error: answer.error }] : [200, answer];
    // The client does not retry what Stripe declares final.
    response
      .writeHead(status, { 'content-type': 'application/json', 'stripe-should-retry': 'false' })
      .end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const address = `http://${host}`;
  const payments = openPayments(resources as Resources, {
    apiKey: 'sk_test_answers',
    webhookSecret: 'whsec_answers',
    address: async () => address + PREFIX,
    now: async () => Math.floor(Date.now() / 1000),
  });
  return {
    address,
    host,
    asked,
    payments,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
