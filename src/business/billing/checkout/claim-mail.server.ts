import { randomBytes } from 'node:crypto';
import { languageOfAddress } from '../../../kernel/resources/mailer/mail-language.ts';
import { openTemplates } from '../../../kernel/resources/mailer/mail-templates.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { lockPaymentCustomer } from '../customers/own-customer.server.ts';
import { hashSecret } from '../known-secret.server.ts';
import type { PaidSession } from './checkout-fulfilment.server.ts';
import { CLAIM_FRAGMENT } from './checkout-start.contract.ts';

const SECRET_BYTES = 32;
const MAILS = openTemplates('business/billing/mails', { 'purchase-ready': ['href'] } as const);

/**
 * Mails the payer of a visitor's unclaimed purchase a link with which to claim it on another device: opening
 * it proves the payment's address (docs/specification/site.md §10). Sent once for each purchase. The secret
 * is in the fragment, which no server and no log sees.
 */
export async function mailClaim(
  resources: Pick<Resources, 'database' | 'mailer' | 'site' | 'siteUrl' | 'settings'>,
  paid: PaidSession,
): Promise<void> {
  const { database, mailer, siteUrl } = resources;
  const { email } = paid;
  if (email === null) return;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await database.transaction(async (queries) => {
    await lockPaymentCustomer(queries, paid.customerId);
    const waits = await queries.run(
      `update private.checkouts c set claim_hash = $2
       where c.session_id = $1 and c.started_by is null and c.linked_at is null and c.claim_hash is null
         and exists (select 1 from private.payment_customers p join public.customers o on o.id = p.customer_row
           where p.customer_id = c.customer_id and o.user_id is null)`,
      [paid.id, hashSecret(secret)],
    );
    if (waits === 0) return;
    const query = new URLSearchParams({ session_id: paid.id });
    const href = `${siteUrl}/signup?${query}${CLAIM_FRAGMENT}${secret}`;
    await mailer.send(queries, {
      to: email,
      // From another device, it is the only way to the purchase.
      purpose: 'account',
      ...MAILS.mail(resources, await languageOfAddress(queries, email), 'purchase-ready', { href }),
    });
  });
}
