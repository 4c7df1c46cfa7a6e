import { MESSAGES } from '../../contract/messages.ts';
import { SERVICES } from '../../contract/routes.ts';
import { supabase } from '../../web/session/client.ts';
import { checkoutSecretOf, forgetCheckoutSecret } from './keep-checkout-secrets.web.ts';

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
        checkout_secret: checkoutSecretOf(sessionId),
      }),
    });
    if (!response.ok) throw new Error(`link-customer answered ${response.status}`);
    forgetCheckoutSecret(sessionId);
  } catch (cause) {
    throw new Error(MESSAGES.linkCustomer.failed, { cause });
  }
}
