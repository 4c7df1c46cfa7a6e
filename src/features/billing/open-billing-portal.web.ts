import { PAGES, SERVICES } from '../../contract/routes.ts';
import { publicConfig } from '../../web/public-config.ts';
import { supabase } from '../../web/session/client.ts';

/**
 * Asks for the payment provider's page where card, plan and invoices are managed.
 *
 * @returns the address to go to
 * @throws Error with the sentence for the user
 */
export async function billingPortalAddress(): Promise<string> {
  const [client, { publicKey }] = await Promise.all([supabase(), publicConfig()]);
  const { data } = await client.auth.getSession();
  const response = await fetch(SERVICES.billingPortal, {
    method: 'POST',
    headers: {
      apikey: publicKey,
      authorization: `Bearer ${data.session?.access_token ?? publicKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ return_url: `${location.origin}${PAGES.billing.path}` }),
  });
  const reply = (await response.json().catch(() => ({}))) as {
    url?: string;
    message?: string;
    error?: string;
  };
  if (response.ok && typeof reply.url === 'string') return reply.url;
  throw new Error(reply.message ?? reply.error ?? 'Unable to open billing. Please try again later.');
}
