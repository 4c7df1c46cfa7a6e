import { isLoopback } from '../../kernel/config/settings.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { mountCheckoutOutcome } from './checkout/checkout-outcome.server.ts';
import { mountCheckout } from './checkout/checkout-start.server.ts';
import { mountCreditPurchase } from './checkout/credit-purchase.server.ts';
import { mountLinkCustomer } from './checkout/customer-link.server.ts';
import { mountOperateBilling } from './customers/billing-operations.server.ts';
import { expireCredits } from './customers/credit-expiry.server.ts';
import { addressCustomers } from './customers/customer-address.server.ts';
import { mountReconciliation } from './customers/customer-reconciliation.server.ts';
import { endCustomersOfDeletedUsers } from './customers/customer-removal.server.ts';
import { type EmbeddedProvider, openPayments, type Payments } from './payments.server.ts';
import { mountBillingDetails } from './subscription/billing-details.server.ts';
import { mountManageBilling } from './subscription/billing-management.server.ts';
import { mountBillingPortal } from './subscription/billing-portal.server.ts';
import { mountDownloadInvoice } from './subscription/invoice-download.server.ts';
import { mountWebhook } from './webhook-receipt.server.ts';

/**
 * Mounts checkout, link-customer, the billing portal and the provider's webhooks.
 *
 * @param embedded the provider to use in place of Stripe
 * @returns the provider, for features that change the plans on sale
 * @throws Error with one sentence for settings that cannot be used
 */
export function mountBilling(
  http: HttpContext,
  resources: Resources,
  embedded: EmbeddedProvider | undefined,
): Payments {
  const payments = openPayments(resources, embedded);
  mountCheckout(http, resources, payments);
  mountCheckoutOutcome(http, resources, payments);
  mountCreditPurchase(http, resources, payments);
  mountBillingDetails(http, resources, payments);
  mountLinkCustomer(http, resources, payments);
  mountBillingPortal(http, resources, payments);
  mountManageBilling(http, resources, payments);
  mountDownloadInvoice(http, resources, payments);
  mountWebhook(http, resources, payments);
  mountReconciliation(http, resources, payments);
  mountOperateBilling(http, resources, payments);
  endCustomersOfDeletedUsers(resources, payments, () => http.server.server.listening);
  addressCustomers(resources, payments, () => http.server.server.listening);
  expireCredits(resources, payments);
  if (embedded !== undefined && !isLoopback(new URL(resources.siteUrl).hostname)) {
    resources.log.warn('payments are in test mode: plans cost nothing until STRIPE_SECRET_KEY is set');
  }
  return payments;
}
