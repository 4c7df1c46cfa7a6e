import '../styles/dashboard.css';
import '../styles/billing.css';
import '../styles/devices.css';
import '../styles/passkeys.css';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'wouter';
import { PAGES } from '../../contract/routes.ts';
import { AccessGate } from '../../features/auth/access-gate.web.tsx';
import { AccountTab } from '../../features/auth/account-tab.web.tsx';
import { BillingTab } from '../../features/billing/billing-tab.web.tsx';
import { customerQuery } from '../../features/billing/read-customer.web.ts';
import { Announcer } from '../../features/files/announce.web.tsx';
import { Skeleton } from '../../features/files/file-lists.web.tsx';
import { FilesTab } from '../../features/files/files-tab.web.tsx';
import { useChanges } from '../../features/files/follow-changes.web.ts';
import { Button } from '../parts/button.tsx';
import { DashboardBar } from '../parts/dashboard-bar.tsx';
import { ErrorBoundary } from '../parts/error-boundary.tsx';
import { PageShell } from '../parts/page-shell.tsx';
import { ShortcutHelp } from '../parts/shortcuts.tsx';
import { isLeaving } from '../session/client.ts';
import { queriesOf } from '../session/queries.ts';
import { type SessionState, useSession } from '../session/use-session.ts';

/** /dashboard, /dashboard/billing and /dashboard/account (`spec/site.md §2`), behind the access gate. */
export default function DashboardPage() {
  const session = useSession();
  const [path] = useLocation();
  useGate(session, path);
  if (session.status === 'signed-in') {
    const { id, email, phone } = session.session.user;
    return (
      <QueryClientProvider client={queriesOf(id)}>
        <Frame path={path}>
          <ErrorBoundary key={path}>
            {path === PAGES.account.path ? (
              <AccountTab userId={id} address={email || (phone ? `+${phone}` : '')} />
            ) : path === PAGES.billing.path ? (
              <LiveBilling userId={id} />
            ) : (
              <FilesTab userId={id} />
            )}
          </ErrorBoundary>
          <Announcer />
        </Frame>
      </QueryClientProvider>
    );
  }
  return (
    <>
      {session.status !== 'signed-out' && (
        <div className="signed-in">
          <Frame path={path} waiting>
            {session.status === 'unreachable' ? (
              <Unreachable retry={session.retry} />
            ) : (
              <Waiting path={path} />
            )}
          </Frame>
        </div>
      )}
      <div className={session.status === 'signed-out' ? undefined : 'signed-out'}>
        <PageShell className="gate-page">
          <AccessGate />
        </PageShell>
      </div>
    </>
  );
}

/** The Billing tab, which follows the same changes as the files do (`spec/site.md §4`). */
function LiveBilling({ userId }: { userId: string }) {
  const customer = useQuery(customerQuery(userId));
  useChanges(userId, customer.data?.customer_id ?? null);
  return <BillingTab userId={userId} />;
}

/** Without a session the route leads to /login; the page that was wanted stays in the history entry. */
function useGate(session: SessionState, path: string): void {
  const [, navigate] = useLocation();
  const isOut = session.status === 'signed-out';
  useEffect(() => {
    if (isOut && !isLeaving()) navigate(PAGES.login.path, { replace: true, state: { next: path } });
  }, [isOut, path, navigate]);
}

interface FrameProps {
  readonly path: string;
  /** The session is not known yet. */
  readonly waiting?: boolean;
  readonly children: ReactNode;
}

function Frame({ path, waiting = false, children }: FrameProps) {
  // Both views are printed; only one of them may be the page's main part.
  if (waiting) {
    return (
      <>
        <DashboardBar path={path} />
        <div className="wrap dash">{children}</div>
      </>
    );
  }
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <DashboardBar path={path} />
      <main id="main" className="wrap dash" tabIndex={-1}>
        {children}
        <ShortcutHelp />
      </main>
    </>
  );
}

function Waiting({ path }: { path: string }) {
  const heading = path === PAGES.billing.path ? 'Billing' : path === PAGES.account.path ? 'Account' : 'Files';
  return (
    <>
      <div className="lead-in">
        <div>
          <h1>{heading}</h1>
          {heading === 'Files' && <p className="live num">Live updates</p>}
        </div>
      </div>
      <div className="cols">
        <div className="lists">
          <Skeleton />
        </div>
      </div>
    </>
  );
}

function Unreachable({ retry }: { retry: () => void }) {
  return (
    <div className="panel empty" role="alert">
      <h1>The dashboard could not be reached</h1>
      <p className="meta">Check your connection and try again.</p>
      <Button look="quiet" onClick={retry}>
        Try again
      </Button>
    </div>
  );
}
