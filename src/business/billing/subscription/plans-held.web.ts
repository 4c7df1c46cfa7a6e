import { SERVICES } from '../../../kernel/contract/routes.ts';
import { callServer } from '../../../ui/session/server-call.ts';

/**
 * Price ids of the caller's current subscriptions, read without the client library, which public pages do not
 * load.
 *
 * @throws CallRefused
 */
export async function readHeldPrices(): Promise<readonly string[]> {
  const address = `${SERVICES.rest}/subscriptions?select=price_id&status=in.(active,trialing)`;
  // As the client library does, because another schema may be the default (REST_SCHEMAS).
  const reply = await callServer(address, { as: 'visitor', headers: { 'accept-profile': 'public' } });
  return ((await reply.json()) as { price_id: string }[]).map(({ price_id: id }) => id);
}
