import '../../platform/auth/site/account.css';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { checkoutSecretOf } from '../../business/billing/checkout/checkout-secrets.web.ts';
import { linkCustomer } from '../../business/billing/checkout/customer-link.web.ts';
import { LIMITS } from '../../kernel/contract/limits.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { ButtonLink } from '../../ui/parts/button.tsx';
import { useSession } from '../../ui/session/session.ts';
import { checkoutSession } from '../app/post-login.ts';
import { PageShell } from '../frame/page-shell.tsx';

/**
 * /success: to the dashboard after 3 s with a session, else to an account
 * (docs/specification/site.md §2). Until the session is known `html[data-session]` picks the view.
 */
export default function SuccessPage() {
  const session = useSession();
  const [isPayment, setIsPayment] = useState(true);
  // In an effect, since the printed page knows no query.
  useEffect(() => setIsPayment(checkoutSession() !== null), []);
  const known = session.status === 'signed-in' || session.status === 'signed-out';
  if (!isPayment) {
    return (
      <PageShell className="success-page">
        <NoPayment />
      </PageShell>
    );
  }
  return (
    <PageShell className="success-page">
      {(!known || session.status === 'signed-in') && <Paid settled={session.status === 'signed-in'} />}
      {(!known || session.status === 'signed-out') && <NeedsAccount />}
    </PageShell>
  );
}

/** The line with its last station lit. */
function Arrived() {
  return (
    <svg className="arrived" viewBox="0 0 160 24" width="160" height="24" aria-hidden="true">
      <path d="M2 12h132" />
      <circle cx="30" cy="12" r="6" />
      <circle cx="80" cy="12" r="6" />
      <circle className="lit" cx="144" cy="12" r="9" />
    </svg>
  );
}

/** The address names no payment: it was typed, or kept as a bookmark. */
function NoPayment() {
  return (
    <div className="notice">
      <h1>No payment to show here</h1>
      <p>This page opens after a payment. Your plan and your invoices are on the Billing tab.</p>
      <p className="notice-links">
        <ButtonLink look="signal" href={PAGES.billing.path}>
          Go to Billing
        </ButtonLink>
        <ButtonLink look="quiet" href="/#documents">
          See the plans
        </ButtonLink>
      </p>
    </div>
  );
}

function Paid({ settled }: { settled: boolean }) {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (!settled) return undefined;
    const sessionId = checkoutSession();
    // Bought as a visitor and signed in since, e.g. in another tab. Should it fail, /signup?session_id=… does it again.
    if (sessionId !== null && checkoutSecretOf(sessionId) !== undefined)
      linkCustomer(sessionId).catch(() => undefined);
    const timer = setTimeout(() => navigate(PAGES.dashboard.path, { replace: true }), LIMITS.successRedirect);
    return () => clearTimeout(timer);
  }, [settled, navigate]);
  return (
    <div className="notice signed-in">
      <Arrived />
      <h1>Payment Successful!</h1>
      <p role="status">Thank you. Your dashboard opens in {LIMITS.successRedirect / 1000} seconds.</p>
      <p className="notice-links">
        <ButtonLink look="signal" href={PAGES.dashboard.path}>
          Go to the dashboard now
        </ButtonLink>
      </p>
    </div>
  );
}

function NeedsAccount() {
  const [query, setQuery] = useState('');
  useEffect(() => setQuery(location.search), []);
  return (
    <div className="notice signed-out">
      <Arrived />
      <h1>Payment received. Now create your account</h1>
      <p>
        Your plan waits for the account that it belongs to. It takes a minute, and what you paid for is in it
        at once.
      </p>
      <p className="notice-links">
        <ButtonLink look="signal" href={`${PAGES.signup.path}${query}`}>
          Create Free Account
        </ButtonLink>
        <ButtonLink look="quiet" href={`${PAGES.login.path}${query}`}>
          Sign In
        </ButtonLink>
      </p>
    </div>
  );
}
