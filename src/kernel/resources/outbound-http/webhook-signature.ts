import { Webhook } from 'standardwebhooks';

/**
 * The headers by which a receiver knows that a message is ours (Standard Webhooks).
 *
 * @param id the same at every attempt
 * @param secrets each `whsec_…`; the receiver accepts a signature by any of them
 */
export function signedHeaders(id: string, body: string, secrets: readonly string[]): Record<string, string> {
  const now = new Date();
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' '),
  };
}
