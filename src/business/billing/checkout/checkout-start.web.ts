import { toast } from 'react-hot-toast/headless';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { PAGES, SERVICES } from '../../../kernel/contract/routes.ts';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';
import { saveCheckoutSecret } from './checkout-secrets.web.ts';
import { LEAVING } from './checkout-start.contract.ts';

/**
 * Starts the purchase of a plan and opens the provider's page. The bearer is the user's access token, or the
 * public key (docs/specification/site.md §6, §7).
 *
 * @returns whether the browser is leaving the page; if not, a toast has shown the reason in the words of
 * docs/specification/site.md §8
 */
export async function startCheckout(priceId: string, mode: 'subscription'): Promise<boolean> {
  const id = toast.loading(MESSAGES.checkout.loading);
  try {
    const reply = await callServer(SERVICES.checkout, {
      as: 'visitor',
      body: {
        price_id: priceId,
        success_url: location.origin + PAGES.success.path,
        cancel_url: location.origin + PAGES.cancel.path,
        mode,
      },
    });
    const body = await reply.json();
    if (typeof body?.url !== 'string' || body.url === '') return refuse(id, MESSAGES.checkout.noUrl);
    saveSecret(body);
    toast.dismiss(id);
    location.assign(body.url);
    return true;
  } catch (error) {
    if (error instanceof CallRefused && error.code === LEAVING) return refuse(id, MESSAGES.checkout.leaving);
    const refused = error instanceof CallRefused && error.status !== 0;
    return refuse(id, refused ? MESSAGES.checkout.failed : MESSAGES.checkout.unavailable);
  }
}

function refuse(id: string, message: string): false {
  toast.error(message, { id });
  return false;
}

/** At sign-up this proves that this browser paid (docs/specification/site.md §10, link-customer). */
function saveSecret(body: { session_id?: unknown; checkout_secret?: unknown }): void {
  if (typeof body.checkout_secret === 'string' && typeof body.session_id === 'string')
    saveCheckoutSecret(body.session_id, body.checkout_secret);
}
