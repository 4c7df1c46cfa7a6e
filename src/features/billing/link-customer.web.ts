import { MESSAGES } from '../../contract/messages.ts';
import { SERVICES } from '../../contract/routes.ts';
import { supabase } from '../../web/session/client.ts';
import {
  checkoutSecretOf,
  forgetCheckoutSecret,
  forgetStaleCheckout,
  keptCheckouts,
} from './keep-checkout-secrets.web.ts';

/**
 * Joins a payment made before the account existed to the signed-in user.
 *
 * @throws Error 'Failed to link customer'; asking again is safe
 */
export async function linkCustomer(sessionId: string): Promise<void> {
  try {
    const status = await claim(sessionId);
    if (status !== 200) throw new Error(`link-customer answered ${status}`);
  } catch (cause) {
    throw new Error(MESSAGES.linkCustomer.failed, { cause });
  }
}

/**
 * Joins what was paid in this browser and never came back from the payment page, e.g. because the
 * browser was closed. What is not paid (yet) is left alone; nothing is told of it.
 */
export async function linkKeptPurchases(): Promise<void> {
  for (const sessionId of keptCheckouts()) {
    const status = await claim(sessionId).catch(() => undefined);
    if (status === 403) forgetStaleCheckout(sessionId);
  }
}

/** @returns the status that the function answers with; 200 when the purchase is the user's */
async function claim(sessionId: string): Promise<number> {
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
  if (response.ok) forgetCheckoutSecret(sessionId);
  return response.ok ? 200 : response.status;
}
