import { MESSAGES } from '../../contract/messages.ts';
import { SERVICES } from '../../contract/routes.ts';
import { supabase } from '../../web/session/client.ts';
import { CHECKOUT_SECRETS_KEY } from './start-checkout.web.ts';

/**
 * Joins a payment made before the account existed to the signed-in user.
 *
 * @throws Error 'Failed to link customer'; asking again is safe
 */
export async function linkCustomer(sessionId: string): Promise<void> {
  try {
    const client = await supabase();
    const { data } = await client.auth.getSession();
    if (data.session === null) throw new Error(MESSAGES.delete.loginAgain);
    const response = await fetch(SERVICES.linkCustomer, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${data.session.access_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        session_id: sessionId,
        user_id: data.session.user.id,
        checkout_secret: checkoutSecrets()[sessionId],
      }),
    });
    if (!response.ok) throw new Error(`link-customer answered ${response.status}`);
    forgetSecret(sessionId);
  } catch (cause) {
    throw new Error(MESSAGES.linkCustomer.failed, { cause });
  }
}

function checkoutSecrets(): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(CHECKOUT_SECRETS_KEY) ?? '{}') as Record<string, string>;
  } catch {
    // Storage refused or spoilt: the payment's e-mail address may still prove the claim.
    return {};
  }
}

function forgetSecret(sessionId: string): void {
  const { [sessionId]: _used, ...rest } = checkoutSecrets();
  if (Object.keys(rest).length === 0) localStorage.removeItem(CHECKOUT_SECRETS_KEY);
  else localStorage.setItem(CHECKOUT_SECRETS_KEY, JSON.stringify(rest));
}

/** Whether this browser started the checkout as a visitor and nobody has claimed it here yet. */
export function holdsCheckoutSecret(sessionId: string): boolean {
  return sessionId in checkoutSecrets();
}
