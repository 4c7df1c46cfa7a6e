import { toast } from 'react-hot-toast/headless';
import { MESSAGES } from '../../contract/messages.ts';
import { PAGES, SERVICES } from '../../contract/routes.ts';
import { publicConfig } from '../../web/public-config.ts';
import { supabase } from '../../web/session/client.ts';
import { readStoredSession } from '../../web/stored-session.ts';
import { keepCheckoutSecret } from './keep-checkout-secrets.web.ts';

/**
 * Starts the purchase of a plan and leaves for the provider's page. The bearer
 * is the user's access token, or the public key (`spec/site.md §6, §7`).
 *
 * @returns whether the browser is leaving; if not, a toast has said why in the words of `spec/site.md §8`
 */
export async function startCheckout(priceId: string, mode: 'subscription'): Promise<boolean> {
  const id = toast.loading(MESSAGES.checkout.loading);
  try {
    const reply = await fetch(SERVICES.checkout, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await bearer()}` },
      body: JSON.stringify({
        price_id: priceId,
        success_url: location.origin + PAGES.success.path,
        cancel_url: location.origin + PAGES.cancel.path,
        mode,
      }),
    });
    if (!reply.ok) return refuse(id, MESSAGES.checkout.failed);
    const body = await reply.json();
    if (typeof body?.url !== 'string' || body.url === '') return refuse(id, MESSAGES.checkout.noUrl);
    keepSecret(body);
    toast.dismiss(id);
    location.assign(body.url);
    return true;
  } catch {
    return refuse(id, MESSAGES.checkout.unavailable);
  }
}

function refuse(id: string, message: string): false {
  toast.error(message, { id });
  return false;
}

/** The user's token while it is good; the client library is fetched only to renew an old one. */
async function bearer(): Promise<string> {
  const session = readStoredSession();
  if (session === undefined) return (await publicConfig()).publicKey;
  if (session.expiresAt * 1000 > Date.now() + 30_000) return session.accessToken;
  const { data } = await (await supabase()).auth.getSession();
  return data.session?.access_token ?? (await publicConfig()).publicKey;
}

/** Sign-up proves with it that this browser paid (`spec/readings.md`, link-customer). */
function keepSecret(body: { session_id?: unknown; checkout_secret?: unknown }): void {
  if (typeof body.checkout_secret === 'string' && typeof body.session_id === 'string')
    keepCheckoutSecret(body.session_id, body.checkout_secret);
}
