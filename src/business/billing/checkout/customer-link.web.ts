import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { supabase } from '../../../ui/session/client.ts';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';
import {
  checkoutSecretOf,
  forgetCheckoutSecret,
  forgetStaleCheckout,
  savedCheckouts,
} from './checkout-secrets.web.ts';

/**
 * Links a payment that was made before the account existed to the signed-in user.
 *
 * @throws Error 'Failed to link customer'; calling again is safe
 */
export async function linkCustomer(sessionId: string): Promise<void> {
  try {
    await claim(sessionId);
  } catch (cause) {
    throw new Error(MESSAGES.linkCustomer.failed, { cause });
  }
}

/**
 * Links payments made in this browser that never returned from the payment page, e.g. because the browser was
 * closed. Unpaid ones are left for the next sign-in.
 */
export async function linkSavedPurchases(): Promise<void> {
  for (const sessionId of savedCheckouts()) {
    await claim(sessionId).catch((error: unknown) => {
      if (error instanceof CallRefused && error.status === 403) forgetStaleCheckout(sessionId);
    });
  }
}

/** @throws CallRefused unless the purchase is the user's */
async function claim(sessionId: string): Promise<void> {
  const { data } = await (await supabase()).auth.getSession();
  const body = {
    session_id: sessionId,
    user_id: data.session?.user.id,
    checkout_secret: checkoutSecretOf(sessionId),
  };
  await callServer(SERVICES.linkCustomer, { as: 'user', body });
  forgetCheckoutSecret(sessionId);
}
