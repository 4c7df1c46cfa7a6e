import { useCallback, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { saveMailedClaim } from '../../business/billing/checkout/checkout-secrets.web.ts';
import { linkCustomer, linkSavedPurchases } from '../../business/billing/checkout/customer-link.web.ts';
import { PAGES } from '../../kernel/contract/routes.ts';

/** The way from an account page into the dashboard. */
export interface PostLogin {
  /** True when the visitor paid before having an account: the address has a `session_id`. */
  readonly paid: boolean;
  /** `?session_id=…` for links between the account pages, or empty. */
  readonly query: string;
  /** Navigation state for the same links: the page that sent the visitor here. */
  readonly state: { readonly next?: unknown };
  /** True when the person is signed in, but linking the payment failed. */
  readonly linkFailed: boolean;
  /** Links the payment if there is one, then opens the dashboard or the page that asked for the sign-in. */
  enter(): Promise<void>;
}

/** What happens after a sign-in or sign-up (docs/specification/site.md §2, §7). */
export function usePostLogin(): PostLogin {
  const [, navigate] = useLocation();
  const [linkFailed, setLinkFailed] = useState(false);
  const [query, setQuery] = useState('');
  const [state, setState] = useState<PostLogin['state']>({});
  // In an effect, because the printed page has no query string.
  useEffect(() => {
    setState({ next: wantedPage() });
    const sessionId = checkoutSession();
    if (sessionId === null) return;
    saveMailedClaim(sessionId);
    setQuery(`?session_id=${encodeURIComponent(sessionId)}`);
  }, []);
  const enter = useCallback(async () => {
    const sessionId = checkoutSession();
    try {
      if (sessionId !== null) await linkCustomer(sessionId);
    } catch {
      setLinkFailed(true);
      return;
    }
    // The visitor paid in this browser earlier, but closed it before the payment page could return.
    await linkSavedPurchases();
    navigate(wantedPage(), { replace: true });
  }, [navigate]);
  return { paid: query !== '', query, state, linkFailed, enter };
}

/** The payment provider's checkout session in the address, if any. */
export function checkoutSession(): string | null {
  return new URLSearchParams(location.search).get('session_id');
}

/**
 * The page of the dashboard that sent the visitor here to sign in. It is in the history entry, so the address
 * stays `/login`.
 */
function wantedPage(): string {
  const wanted: unknown = (history.state as { next?: unknown } | null)?.next;
  const isOurs = typeof wanted === 'string' && /^\/(dashboard|operator)([/?#]|$)/.test(wanted);
  return isOurs ? wanted : PAGES.dashboard.path;
}
