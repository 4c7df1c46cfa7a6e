import { useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { BILLING_FUNCTIONS, type OpenBillingPortalRequest } from './billing-management.contract.ts';
import { callBilling } from './billing-read.web.ts';

/** Opens the payment provider's page, for the card, a confirmation by the bank, or everything. */
export interface BillingPortal {
  /** True while the browser is about to leave the page. */
  readonly busy: boolean;
  /** Opens the page that `wanted` names; a failure is shown in a toast. */
  open(wanted?: Omit<OpenBillingPortalRequest, 'return_url'>): void;
}

/** The provider sends the browser back to the Billing tab. */
export function usePortal(): BillingPortal {
  const [busy, setBusy] = useState(false);
  const opening = useRef(false);
  const leave = async (wanted: Omit<OpenBillingPortalRequest, 'return_url'>): Promise<void> => {
    if (opening.current) return;
    opening.current = true;
    setBusy(true);
    try {
      const { url } = await callBilling<{ url: string }>(BILLING_FUNCTIONS.portal, {
        ...wanted,
        return_url: `${location.origin}${PAGES.billing.path}`,
      });
      location.assign(url);
    } catch (error) {
      toast.error(error instanceof Error ? error.message : String(error));
    } finally {
      opening.current = false;
      setBusy(false);
    }
  };
  return { busy, open: (wanted = {}) => void leave(wanted) };
}
