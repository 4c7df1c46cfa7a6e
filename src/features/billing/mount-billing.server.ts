import { isLoopback } from '../../config/settings.ts';
import type { Door } from '../../http/door.ts';
import type { Resources } from '../../resources/resources.ts';
import { mountDownloadInvoice } from './download-invoice.server.ts';
import { endCustomersOfDeletedUsers } from './end-customers.server.ts';
import { lapseCredits } from './lapse-credits.server.ts';
import { mountLinkCustomer } from './link-customer.server.ts';
import { mountManageBilling } from './manage-billing.server.ts';
import { mountBillingPortal } from './open-billing-portal.server.ts';
import { openPayments } from './open-payments.server.ts';
import { mountOperateBilling } from './operate-billing.server.ts';
import { mountWebhook } from './receive-webhook.server.ts';
import { mountReconciliation } from './reconcile-customers.server.ts';
import { mountCheckout } from './start-checkout.server.ts';
import { mountTestProvider } from './test-provider/mount-provider.server.ts';

/**
 * Mounts checkout, link-customer, the billing portal and the provider's webhooks; with no
 * Stripe key also the provider itself.
 *
 * @throws Error with one sentence for settings that cannot be used
 */
export function mountBilling(door: Door, resources: Resources): void {
  const payments = openPayments(door, resources);
  mountCheckout(door, resources, payments);
  mountLinkCustomer(door, resources, payments);
  mountBillingPortal(door, resources, payments);
  mountManageBilling(door, resources, payments);
  mountDownloadInvoice(door, resources, payments);
  mountWebhook(door, resources, payments);
  mountReconciliation(door, resources, payments);
  mountOperateBilling(door, resources, payments);
  endCustomersOfDeletedUsers(resources, payments, () => door.server.server.listening);
  lapseCredits(resources, payments);
  if (!payments.embedded) return;
  mountTestProvider(door, resources, payments.stripe);
  if (!isLoopback(new URL(resources.siteUrl).hostname)) {
    resources.log.warn('payments are in test mode: plans cost nothing until STRIPE_SECRET_KEY is set');
  }
}
