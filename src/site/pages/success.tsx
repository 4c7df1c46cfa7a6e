import '../../platform/auth/site/sign-in.css';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { usePayment } from '../../business/billing/checkout/checkout-outcome.web.ts';
import { checkoutSecretOf } from '../../business/billing/checkout/checkout-secrets.web.ts';
import { linkCustomer } from '../../business/billing/checkout/customer-link.web.ts';
import { LIMITS } from '../../kernel/contract/limits.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { Button, ButtonLink } from '../../ui/parts/button.tsx';
import { useSession } from '../../ui/session/session.ts';
import { checkoutSession } from '../app/post-login.ts';
import { PageShell } from '../frame/page-shell.tsx';

/**
 * /success: after a paid checkout, leads to the dashboard after 3 s when there is a session, else to the
 * account pages (docs/specification/site.md §2). A session id that is invented or not paid gets no thanks.
 */
export default function SuccessPage() {
  const session = useSession();
  const [sessionId, setSessionId] = useState<string | null>();
  // In an effect, because the printed page has no query string.
  useEffect(() => setSessionId(checkoutSession()), []);
  const payment = usePayment(sessionId);
  const known = session.status === 'signed-in' || session.status === 'signed-out';
  return (
    <PageShell className="success-page">
      {payment.state === 'paid' && known && <Paid isSignedIn={session.status === 'signed-in'} />}
      {(payment.state === 'checking' || (payment.state === 'paid' && !known)) && <Checking />}
      {payment.state === 'unpaid' && <NoPayment named={sessionId !== null} />}
      {payment.state === 'unknown' && <NotAsked retry={payment.retry} />}
    </PageShell>
  );
}

function Paid({ isSignedIn }: { isSignedIn: boolean }) {
  return isSignedIn ? <Arriving /> : <NeedsAccount />;
}

function Checking() {
  return (
    <div className="notice">
      <h1>Your payment</h1>
      <p role="status">Asking whether it arrived…</p>
      <noscript>
        <p>This page needs JavaScript to look. Your plan and your invoices are on the Billing tab.</p>
      </noscript>
    </div>
  );
}

/** Shown when the server did not answer, which says nothing about the payment. */
function NotAsked({ retry }: { retry: () => void }) {
  return (
    <div className="notice" role="alert">
      <h1>We could not look up the payment</h1>
      <p>Check your connection. If you have paid, nothing is lost and you need not pay again.</p>
      <p className="notice-links">
        <Button look="signal" onClick={retry}>
          Try again
        </Button>
      </p>
    </div>
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

/**
 * Shown when the address has no payment, or one that is not paid: it was typed, kept as a bookmark, or is
 * still being processed.
 */
function NoPayment({ named }: { named: boolean }) {
  return (
    <div className="notice">
      <h1>No payment to show here</h1>
      <p>
        {named
          ? 'No paid purchase belongs to this address. A payment that your bank still works on appears on the Billing tab when it is through.'
          : 'This page opens after a payment. Your plan and your invoices are on the Billing tab.'}
      </p>
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

function Arriving() {
  const [, navigate] = useLocation();
  useEffect(() => {
    const sessionId = checkoutSession();
    // Bought as a visitor who has since signed in, e.g. in another tab. If it fails, /signup?session_id=…
    // tries again.
    if (sessionId !== null && checkoutSecretOf(sessionId) !== undefined)
      linkCustomer(sessionId).catch(() => undefined);
    const timer = setTimeout(() => navigate(PAGES.dashboard.path, { replace: true }), LIMITS.successRedirect);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <div className="notice">
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
    <div className="notice">
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
