import '../../business/files/list/dashboard.css';
import '../../business/inbox/inbox.css';
import '../../business/documents/search/search.css';
import '../../business/documents/invoices/invoices.css';
import '../../business/documents/own-fields/own-fields.css';
import '../../business/documents/rules/rules.css';
import '../../business/documents/site/tables.css';
import '../../business/documents/viewer/viewer.css';
import '../../business/documents/viewer/preview.css';
import '../../business/courses/site/courses.css';
import '../../business/messages/site/messages.css';
import '../../business/billing/site/billing.css';
import '../../platform/auth/sessions/devices.css';
import '../../platform/auth/account/account-settings.css';
import '../../platform/auth/passkeys/passkeys.css';
import '../../business/teams/site/team.css';
import '../../business/api-keys/api-keys.css';
import '../../ui/people/avatar.css';
import type { User } from '@supabase/supabase-js';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect } from 'react';
import { useLocation } from 'wouter';
import { SupportBanner } from '../../business/console/records/support-access.web.tsx';
import { Announcer } from '../../business/files/list/announcer.web.tsx';
import { Skeleton } from '../../business/files/list/file-lists.web.tsx';
import { PAGES } from '../../kernel/contract/routes.ts';
import { DeletionNotice } from '../../platform/auth/account/deletion-notice.web.tsx';
import { FactorGate } from '../../platform/auth/account/factor-gate.web.tsx';
import { AccessGate } from '../../platform/auth/site/access-gate.web.tsx';
import { Button } from '../../ui/parts/button.tsx';
import { ErrorBoundary } from '../../ui/parts/error-boundary.tsx';
import { ShortcutHelp } from '../../ui/parts/shortcuts.tsx';
import { isLeaving } from '../../ui/session/client.ts';
import { queriesOf } from '../../ui/session/queries.ts';
import { type SessionState, useSession } from '../../ui/session/session.ts';
import {
  AccountPart,
  BillingPart,
  CourseTab,
  fetchPart,
  InvoicesPage,
  MessagesPart,
  OwnFieldsPage,
  RulesPage,
  SearchPage,
} from '../dashboard/dashboard-parts.ts';
import { FilesPart } from '../dashboard/files-part.tsx';
import { DashboardBar } from '../frame/dashboard-bar.tsx';
import { PageShell } from '../frame/page-shell.tsx';

// Together with the session's client, long before the tab can be shown. The printer has no address.
if (typeof location !== 'undefined') fetchPart(location.pathname);

/**
 * /dashboard, /dashboard/billing and /dashboard/account (docs/specification/site.md §2), for signed-in users.
 */
export default function DashboardPage() {
  const session = useSession();
  const [path] = useLocation();
  useGate(session, path);
  if (session.status === 'signed-in') {
    const { user } = session.session;
    return (
      <QueryClientProvider client={queriesOf(user.id)}>
        <Frame path={path} userId={user.id}>
          <ErrorBoundary key={path}>
            <FactorGate session={session.session}>
              <SupportBanner userId={user.id} />
              <DeletionNotice user={user} />
              <Suspense fallback={<Waiting path={path} />}>
                <Tab path={path} user={user} />
              </Suspense>
            </FactorGate>
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

function Tab({ path, user }: { path: string; user: User }) {
  if (path === PAGES.account.path) return <AccountPart user={user} />;
  if (path === PAGES.search.path) return <SearchPage />;
  if (path === PAGES.courses.path) return <CourseTab userId={user.id} />;
  if (path === PAGES.messages.path) return <MessagesPart user={user} />;
  if (path === PAGES.invoices.path) return <InvoicesPage userId={user.id} />;
  if (path === PAGES.fields.path) return <OwnFieldsPage userId={user.id} />;
  if (path === PAGES.rules.path) return <RulesPage userId={user.id} />;
  return path === PAGES.billing.path ? <BillingPart user={user} /> : <FilesPart userId={user.id} />;
}

/** Without a session the route leads to /login; the requested page is kept in the history entry. */
function useGate(session: SessionState, path: string): void {
  const [, navigate] = useLocation();
  const isOut = session.status === 'signed-out';
  const ended = isOut && session.ended;
  useEffect(() => {
    if (!isOut || isLeaving()) return;
    const next = `${path}${location.search}${location.hash}`;
    navigate(PAGES.login.path, { replace: true, state: { next, ended } });
  }, [isOut, ended, path, navigate]);
}

interface FrameProps {
  readonly path: string;
  readonly userId?: string;
  /** True while the session is not known yet. */
  readonly waiting?: boolean;
  readonly children: ReactNode;
}

function Frame({ path, userId, waiting = false, children }: FrameProps) {
  // Both views are printed, but only one of them may be the page's main element.
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
      <DashboardBar path={path} {...(userId !== undefined && { userId })} />
      <main id="main" className="wrap dash" tabIndex={-1}>
        {children}
        <ShortcutHelp />
      </main>
    </>
  );
}

const HEADINGS: Readonly<Record<string, string>> = {
  [PAGES.billing.path]: 'Billing',
  [PAGES.account.path]: 'Account',
  [PAGES.search.path]: 'Search',
  [PAGES.invoices.path]: 'Bills',
  [PAGES.fields.path]: 'Fields',
  [PAGES.rules.path]: 'Rules',
  [PAGES.courses.path]: 'Course',
  [PAGES.messages.path]: 'Messages',
};

function Waiting({ path }: { path: string }) {
  const heading = HEADINGS[path] ?? 'Files';
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
